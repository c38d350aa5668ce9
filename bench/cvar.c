/* --cvar: control variables of the MPI library (MPI's tool interface), its own other algorithms for
 * example. */
#include "bench.h"
#include "bench_inner.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { SET_MAX = 16 };

/* What was set, for the header; and the values of the one that takes several in turn. */
static struct {
    const char *text[SET_MAX]; /* "NAME=VALUE" */
    int n;
    const char *value[CVAR_VALUES];
    size_t values;
    const char *turns; /* its NAME=VALUE,... */
} set;

size_t cvar_values(void)
{
    return set.values ? set.values : 1;
}

const char *cvar_name(char *text, size_t size, const char *what, size_t i)
{
    snprintf(text, size, set.values ? "%s:%s" : "%s", what, set.values ? set.value[i] : "");
    return text;
}

void cvar_facts(struct document *d)
{
    char all[1024] = "";
    for (int i = 0; i < set.n; i++) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", set.text[i]);
    }
    if (set.n)
        document_fact(d, "control variable", "%s", all);
}

#ifdef COLLPROF_SIMULATED
const char *cvar_set(const char *assignment, bool in_turn)
{
    (void)assignment, (void)in_turn;
    return "the simulator has none: its own options choose algorithms";
}

void cvar_use(size_t i)
{
    (void)i;
}
#else

/* MPICH numbers its algorithms as it describes them, "name - what it does" for each, in some
 * versions without an end of the line between them. -1: no name ends so, or several do. */
static int value_described(const char *about, const char *name)
{
    size_t length = strlen(name);
    int found = -1, at = 0;
    for (const char *dash = strstr(about, " - "); dash; dash = strstr(dash + 1, " - "), at++) {
        const char *end = dash;
        while (end > about && end[-1] == ' ')
            end--;
        if ((size_t)(end - about) < length || strncmp(end - length, name, length) != 0)
            continue;
        if (found >= 0)
            return -1;
        found = at;
    }
    return found;
}

/* A variable of the library as a whole, a number of at most eight bytes. */
struct cvar {
    int index;
    MPI_Datatype type;
    char about[4096];
};

/* TEXT as a number of BYTES. NULL: good. */
static const char *convert(const struct cvar *v, const char *text, int bytes, long long *number)
{
    char *end;
    errno = 0;
    *number = strtoll(text, &end, 0);
    if (end == text || *end) {
        *number = value_described(v->about, text);
        return *number >= 0 ? NULL : "it has no value of that name, or several: expected a number";
    }
    bool is_signed = v->type == MPI_INT || v->type == MPI_COUNT;
    long long most = bytes >= 8 ? LLONG_MAX : (1LL << (8 * bytes - is_signed)) - 1;
    bool fits = !errno && *number <= most && *number >= (is_signed ? -most - 1 : 0);
    return fits ? NULL : "the number is out of its range";
}

static const char *write_value(const struct cvar *v, const char *text)
{
    MPI_T_cvar_handle handle;
    int count, bytes = 0;
    long long number, now = 0;
    if (PMPI_T_cvar_handle_alloc(v->index, NULL, &handle, &count) != MPI_SUCCESS)
        return "it is not of the library as a whole";
    bool whole = v->type == MPI_INT || v->type == MPI_UNSIGNED || v->type == MPI_UNSIGNED_LONG ||
                 v->type == MPI_UNSIGNED_LONG_LONG || v->type == MPI_COUNT;
    if (whole)
        PMPI_Type_size(v->type, &bytes);
    const char *why = !whole || count != 1 ? "it is no whole number: use: its environment variable"
                                           : convert(v, text, bytes, &number);
    if (!why && PMPI_T_cvar_write(handle, &number) != MPI_SUCCESS)
        why = "the library does not let it be set: use: its environment variable";
    /* The low bytes come first on every machine that this runs on. */
    if (!why && (PMPI_T_cvar_read(handle, &now) != MPI_SUCCESS ||
                 memcmp(&now, &number, (size_t)bytes) != 0))
        why = "the library did not take the value";
    PMPI_T_cvar_handle_free(&handle);
    return why;
}

/* The variable that ASSIGNMENT names. NULL: good. */
static const char *find(const char *assignment, struct cvar *v)
{
    char name[256];
    const char *equal = strchr(assignment, '=');
    MPI_T_enum values;
    int provided, length = sizeof name, about = sizeof v->about, verbosity, bind, scope;
    if (!equal || equal == assignment || (size_t)(equal - assignment) >= sizeof name)
        return "expected NAME=VALUE";
    snprintf(name, sizeof name, "%.*s", (int)(equal - assignment), assignment);
    if (PMPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        return "the library has no tool interface";
    if (PMPI_T_cvar_get_index(name, &v->index) != MPI_SUCCESS ||
        PMPI_T_cvar_get_info(v->index, name, &length, &verbosity, &v->type, &values, v->about,
                             &about, &bind, &scope) != MPI_SUCCESS)
        return "the library has no control variable of that name";
    return NULL;
}

const char *cvar_set(const char *assignment, bool in_turn)
{
    struct cvar v;
    const char *why = set.n == SET_MAX ? "too many of them" : find(assignment, &v);
    if (why)
        return why;
    char *rest = strdup(strchr(assignment, '=') + 1), *word;
    bool several = strchr(rest, ',') != NULL;
    if (several && (!in_turn || set.turns))
        return in_turn ? "one variable takes several values, not two"
                       : "one value at a time: collbench-collective and collbench-scenario take "
                         "several";
    if (several)
        set.turns = assignment;
    while (!why && (word = strsep(&rest, ","))) {
        if (several && set.values == CVAR_VALUES)
            return "too many values";
        if (several)
            set.value[set.values++] = word;
        why = write_value(&v, word);
    }
    if (!why && several) /* all can be set, and the first stays */
        why = write_value(&v, set.value[0]);
    if (!why)
        set.text[set.n++] = assignment;
    return why;
}

void cvar_use(size_t i)
{
    struct cvar v;
    if (set.values && !find(set.turns, &v))
        write_value(&v, set.value[i]);
}
#endif
