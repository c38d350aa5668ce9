#include "tune/cvar.h"

#ifdef COLLPROF_SIMULATED
const char *cvar_write(const char *name, long long value)
{
    (void)name, (void)value;
    return "the simulator has no control variables: its own options choose algorithms";
}

bool cvar_read(const char *name, long long *value)
{
    (void)name, (void)value;
    return false;
}

bool cvar_possible(const char *variable, int i, int *value, char *name, size_t room)
{
    (void)variable, (void)i, (void)value, (void)name, (void)room;
    return false;
}
#else

#include "base/text.h"

#include <mpi.h>
#include <string.h>

struct cvar {
    int index;
    MPI_Datatype type;
    MPI_T_enum values;
    char about[4096];
};

/* Returns NULL, or the error. */
static const char *find(const char *name, struct cvar *v)
{
    static int started = -1; /* -1: not tried yet */
    char own[256];
    int provided, length = sizeof own, about = sizeof v->about, verbosity, bind, scope;
    if (started < 0)
        started = PMPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS;
    if (!started)
        return "the library has no tool interface";
    if (PMPI_T_cvar_get_index(name, &v->index) != MPI_SUCCESS ||
        PMPI_T_cvar_get_info(v->index, own, &length, &verbosity, &v->type, &v->values, v->about,
                             &about, &bind, &scope) != MPI_SUCCESS)
        return "the library has no control variable of that name";
    if (v->type == MPI_CHAR || v->type == MPI_DOUBLE)
        return "this control variable is not an integer: use: its environment variable";
    return NULL;
}

const char *cvar_write(const char *name, long long value)
{
    struct cvar v;
    MPI_T_cvar_handle handle;
    int count = 0;
    long long now = 0;
    const char *why = find(name, &v);
    if (why)
        return why;
    bool open = !PMPI_T_cvar_handle_alloc(v.index, NULL, &handle, &count);
    /* All supported machines are little-endian: the low bytes come first. */
    bool written = open && count == 1 && !PMPI_T_cvar_write(handle, &value);
    if (open)
        PMPI_T_cvar_handle_free(&handle);
    return written && cvar_read(name, &now) && now == value
               ? NULL
               : "the MPI library refuses this value: use: its environment variable";
}

bool cvar_read(const char *name, long long *value)
{
    struct cvar v;
    MPI_T_cvar_handle handle;
    int count, bytes = 0;
    long long now = 0; /* the low bytes come first, as in cvar_write() */
    if (find(name, &v) || PMPI_Type_size(v.type, &bytes) || bytes > (int)sizeof now ||
        PMPI_T_cvar_handle_alloc(v.index, NULL, &handle, &count))
        return false;
    bool good = count == 1 && PMPI_T_cvar_read(handle, &now) == MPI_SUCCESS;
    PMPI_T_cvar_handle_free(&handle);
    if (good)
        *value = bytes == sizeof(int) && v.type != MPI_UNSIGNED ? (int)now : now;
    return good;
}

/* --- the possible values --- */

/* MPICH's description lists the values of a variable as "NAME - meaning", in the order of their
 * numbers, sometimes without line breaks. The text before " - " may then contain the previous
 * meaning, too. The name is the longest entry of this list with which that text ends. */
static const char known[] =
    "auto binomial brucks dissemination error k_brucks k_dissemination linear nb noncommutative "
    "pairwise pairwise_sendrecv_replace percoll recexch recexch_doubling recexch_halving "
    "recursive_doubling recursive_halving reduce_scatter_allgather reduce_scatter_gather ring "
    "scatter_recursive_doubling_allgather scatter_ring_allgather scattered smp tree";

/* The length of the name before END in TEXT; 0 if it is not known. */
static int known_before(const char *text, const char *end)
{
    int best = 0;
    for (const char *word = known; *word; word += strspn(word, " ")) {
        int n = (int)strcspn(word, " ");
        if (end - text >= n && !strncmp(end - n, word, (size_t)n) && n > best)
            best = n;
        word += n;
    }
    return best;
}

static bool described_value(const char *about, int number, char *name, size_t room)
{
    const char *end = about;
    for (int i = 0; (end = strstr(end, " - ")); i++, end += 3)
        if (i == number) {
            while (end > about && end[-1] == ' ')
                end--;
            int n = known_before(about, end);
            text_copy_part(name, room, end - n, (size_t)n);
            return true;
        }
    return false;
}

bool cvar_possible(const char *variable, int i, int *value, char *name, size_t room)
{
    struct cvar v;
    int n, length = (int)room;
    char title[256];
    int title_length = sizeof title;
    if (find(variable, &v))
        return false;
    *value = i;
    if (v.values == MPI_T_ENUM_NULL)
        return described_value(v.about, i, name, room);
    return PMPI_T_enum_get_info(v.values, &n, title, &title_length) == MPI_SUCCESS && i < n &&
           PMPI_T_enum_get_item(v.values, i, value, name, &length) == MPI_SUCCESS;
}
#endif
