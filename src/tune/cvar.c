#include "tune/cvar.h"

#ifdef COLLPROF_SIMULATED
const char *cvar_write(const char *name, const char *text)
{
    (void)name, (void)text;
    return "the simulator has none: its own options choose algorithms";
}

bool cvar_read(const char *name, long long *value)
{
    (void)name, (void)value;
    return false;
}

bool cvar_enum_name(const char *variable, int i, int *value, char *name, size_t room)
{
    (void)variable, (void)i, (void)value, (void)name, (void)room;
    return false;
}

void cvar_description(const char *name, char *text, size_t room)
{
    (void)name, (void)room;
    *text = '\0';
}
#else

#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
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
    static bool started;
    char own[256];
    int provided, length = sizeof own, about = sizeof v->about, verbosity, bind, scope;
    if (!started && PMPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        return "the library has no tool interface";
    started = true;
    if (PMPI_T_cvar_get_index(name, &v->index) != MPI_SUCCESS ||
        PMPI_T_cvar_get_info(v->index, own, &length, &verbosity, &v->type, &v->values, v->about,
                             &about, &bind, &scope) != MPI_SUCCESS)
        return "the library has no control variable of that name";
    return NULL;
}

/* Converts TEXT to a number of the type, which has BYTES. Returns NULL or the error. */
static const char *convert(const char *text, MPI_Datatype type, int bytes, long long *number)
{
    char *end;
    errno = 0;
    *number = strtoll(text, &end, 0);
    if (end == text || *end)
        return "expected a number";
    bool is_signed = type == MPI_INT || type == MPI_COUNT;
    long long most = bytes >= 8 ? LLONG_MAX : (1LL << (8 * bytes - is_signed)) - 1;
    bool fits = !errno && *number <= most && *number >= (is_signed ? -most - 1 : 0);
    return fits ? NULL : "the number is out of its range";
}

static bool is_whole(MPI_Datatype type)
{
    return type == MPI_INT || type == MPI_UNSIGNED || type == MPI_UNSIGNED_LONG ||
           type == MPI_UNSIGNED_LONG_LONG || type == MPI_COUNT;
}

static const char *write_value(const struct cvar *v, const char *text)
{
    MPI_T_cvar_handle handle;
    int count, bytes = 0;
    long long number, now = 0;
    if (PMPI_T_cvar_handle_alloc(v->index, NULL, &handle, &count) != MPI_SUCCESS)
        return "it does not belong to the library as a whole";
    bool whole = is_whole(v->type);
    if (whole)
        PMPI_Type_size(v->type, &bytes);
    const char *why = !whole || count != 1 ? "it is no whole number: use: its environment variable"
                                           : convert(text, v->type, bytes, &number);
    if (!why && PMPI_T_cvar_write(handle, &number) != MPI_SUCCESS)
        why = "the library does not let it be set: use: its environment variable";
    /* All supported machines are little-endian: the low bytes come first. */
    if (!why && (PMPI_T_cvar_read(handle, &now) != MPI_SUCCESS ||
                 memcmp(&now, &number, (size_t)bytes) != 0))
        why = "the MPI library ignored the value";
    PMPI_T_cvar_handle_free(&handle);
    return why;
}

const char *cvar_write(const char *name, const char *text)
{
    struct cvar v;
    const char *why = find(name, &v);
    return why ? why : write_value(&v, text);
}

bool cvar_read(const char *name, long long *value)
{
    struct cvar v;
    MPI_T_cvar_handle handle;
    int count, bytes = 0;
    union {
        int number;
        long long large;
        unsigned char truth;
    } now = {.large = 0};
    if (find(name, &v) || v.type == MPI_CHAR || PMPI_Type_size(v.type, &bytes) ||
        bytes > (int)sizeof now || PMPI_T_cvar_handle_alloc(v.index, NULL, &handle, &count))
        return false;
    bool good = count == 1 && PMPI_T_cvar_read(handle, &now) == MPI_SUCCESS;
    PMPI_T_cvar_handle_free(&handle);
    if (good)
        *value = bytes == sizeof now.number ? now.number : bytes == 1 ? now.truth : now.large;
    return good;
}

bool cvar_enum_name(const char *variable, int i, int *value, char *name, size_t room)
{
    struct cvar v;
    int n, length = (int)room;
    char title[256];
    int title_length = sizeof title;
    return !find(variable, &v) && v.values != MPI_T_ENUM_NULL &&
           PMPI_T_enum_get_info(v.values, &n, title, &title_length) == MPI_SUCCESS && i < n &&
           PMPI_T_enum_get_item(v.values, i, value, name, &length) == MPI_SUCCESS;
}

void cvar_description(const char *name, char *text, size_t room)
{
    struct cvar v;
    snprintf(text, room, "%s", find(name, &v) ? "" : v.about);
}
#endif
