/* --cvar: control variables of the MPI library (MPI's tool interface), its own other algorithms for
 * example. */
#include "bench.h"
#include "bench_inner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SET_MAX = 16, TEXT_MAX = 4096 };

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

struct cvar {
    MPI_Datatype type;
    MPI_T_enum values;
    char about[TEXT_MAX];
};

/* An enumeration's value of that name; -1: none. */
static int value_named(MPI_T_enum values, const char *name)
{
    char item[128];
    int n = 0, value, found = -1;
    if (values != MPI_T_ENUM_NULL) {
        int length = sizeof item;
        PMPI_T_enum_get_info(values, &n, item, &length);
    }
    for (int i = 0; i < n; i++) {
        int length = sizeof item;
        if (PMPI_T_enum_get_item(values, i, &value, item, &length) == MPI_SUCCESS &&
            strcmp(item, name) == 0)
            found = value;
    }
    return found;
}

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

/* TEXT as the low BYTES of NUMBER. NULL: good. */
static const char *number_of(const struct cvar *v, const char *text, size_t bytes,
                             long long *number)
{
    bool is_signed = v->type == MPI_INT || v->type == MPI_COUNT, minus = *text == '-';
    size_t bits = 8 * bytes - is_signed;
    char *end;
    errno = 0;
    *number = minus ? strtoll(text, &end, 0) : (long long)strtoull(text, &end, 0);
    if (end != text && !*end) {
        unsigned long long bare = (unsigned long long)(minus ? ~*number : *number);
        bool fits = !errno && is_signed >= minus && (bits > 63 || bare >> bits == 0);
        return fits ? NULL : "the number is out of its range";
    }
    *number = value_named(v->values, text);
    if (*number < 0)
        *number = value_described(v->about, text);
    return *number >= 0 ? NULL : "it has no value of that name, or several: expected a number";
}

/* The value in the variable's own type: BYTES of it at VALUE. NULL: good. */
static const char *convert(const struct cvar *v, const char *text, int count, char *value,
                           size_t *bytes)
{
    long long number;
    if (v->type == MPI_CHAR) {
        if (strlen(text) >= (size_t)count || strlen(text) >= TEXT_MAX)
            return "the value is too long for it";
        strcpy(value, text);
        *bytes = strlen(text) + 1;
        return NULL;
    }
    int size = 0;
    PMPI_Type_size(v->type, &size);
    *bytes = (size_t)size;
    bool whole = v->type == MPI_INT || v->type == MPI_UNSIGNED || v->type == MPI_UNSIGNED_LONG ||
                 v->type == MPI_UNSIGNED_LONG_LONG || v->type == MPI_COUNT;
    if (!whole || count != 1)
        return "it is no whole number and no text";
    const char *why = number_of(v, text, *bytes, &number);
    memcpy(value, &number,
           *bytes); /* the low bytes come first on every machine that this runs on */
    return why;
}

static const char *write_value(int index, const struct cvar *v, const char *text)
{
    MPI_T_cvar_handle handle;
    int count;
    size_t bytes = 0;
    char value[TEXT_MAX] = "", now[TEXT_MAX] = "";
    if (PMPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS)
        return "it is not of the library as a whole";
    const char *why = count > TEXT_MAX ? "it is too long" : convert(v, text, count, value, &bytes);
    if (!why && PMPI_T_cvar_write(handle, value) != MPI_SUCCESS)
        why = "the library does not let it be set: as an environment variable it may";
    if (!why && (PMPI_T_cvar_read(handle, now) != MPI_SUCCESS || memcmp(now, value, bytes) != 0))
        why = "the library did not take the value";
    PMPI_T_cvar_handle_free(&handle);
    return why;
}

/* The variable that ASSIGNMENT names. NULL: good. */
static const char *find(const char *assignment, const char *equal, struct cvar *v, int *index)
{
    char name[256];
    int provided, length = sizeof name, about = sizeof v->about, verbosity, bind, scope;
    if (!equal || equal == assignment || (size_t)(equal - assignment) >= sizeof name)
        return "expected NAME=VALUE";
    snprintf(name, sizeof name, "%.*s", (int)(equal - assignment), assignment);
    if (PMPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        return "the library has no tool interface";
    if (PMPI_T_cvar_get_index(name, index) != MPI_SUCCESS ||
        PMPI_T_cvar_get_info(*index, name, &length, &verbosity, &v->type, &v->values, v->about,
                             &about, &bind, &scope) != MPI_SUCCESS)
        return "the library has no control variable of that name";
    return NULL;
}

/* All of them are tried, and the first stays. */
static const char *take_turns(int index, const struct cvar *v, const char *assignment,
                              const char *list)
{
    char *rest = strdup(list), *word;
    const char *why = set.turns ? "one variable takes several values, not two" : NULL;
    set.turns = assignment;
    while (!why && (word = strsep(&rest, ","))) {
        if (set.values == CVAR_VALUES)
            return "too many values";
        set.value[set.values++] = word;
        why = write_value(index, v, word);
    }
    return why ? why : write_value(index, v, set.value[0]);
}

const char *cvar_set(const char *assignment, bool in_turn)
{
    const char *equal = strchr(assignment, '=');
    struct cvar v;
    int index;
    const char *why = set.n == SET_MAX ? "too many of them" : find(assignment, equal, &v, &index);
    if (why)
        return why;
    bool several = v.type != MPI_CHAR && strchr(equal, ',');
    if (several && !in_turn)
        why = "one value at a time: collbench-collective and collbench-scenario take several";
    else
        why = several ? take_turns(index, &v, assignment, equal + 1)
                      : write_value(index, &v, equal + 1);
    if (!why)
        set.text[set.n++] = assignment;
    return why;
}

void cvar_use(size_t i)
{
    struct cvar v;
    int index;
    if (set.values && !find(set.turns, strchr(set.turns, '='), &v, &index))
        write_value(index, &v, set.value[i]);
}
#endif
