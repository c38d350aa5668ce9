/* --cvar: control variables of the MPI library, for example to choose its algorithms. */
#include "bench.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The variables that were set, for the header: "NAME=NUMBER, ...". */
static char set[1024];

void cvar_facts(struct document *d)
{
    if (*set)
        document_fact(d, "control variable", "%s", set);
}

#ifdef COLLPROF_SIMULATED
const char *cvar_set(const char *assignment)
{
    (void)assignment;
    return "the simulator has none: its own options choose algorithms";
}
#else

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

static const char *write_value(int index, MPI_Datatype type, const char *text)
{
    MPI_T_cvar_handle handle;
    int count, bytes = 0;
    long long number, now = 0;
    if (PMPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS)
        return "it does not belong to the library as a whole";
    bool whole = type == MPI_INT || type == MPI_UNSIGNED || type == MPI_UNSIGNED_LONG ||
                 type == MPI_UNSIGNED_LONG_LONG || type == MPI_COUNT;
    if (whole)
        PMPI_Type_size(type, &bytes);
    const char *why = !whole || count != 1 ? "it is no whole number: use: its environment variable"
                                           : convert(text, type, bytes, &number);
    if (!why && PMPI_T_cvar_write(handle, &number) != MPI_SUCCESS)
        why = "the library does not let it be set: use: its environment variable";
    /* All supported machines are little-endian: the low bytes come first. */
    if (!why && (PMPI_T_cvar_read(handle, &now) != MPI_SUCCESS ||
                 memcmp(&now, &number, (size_t)bytes) != 0))
        why = "the library did not take the value";
    PMPI_T_cvar_handle_free(&handle);
    return why;
}

const char *cvar_set(const char *assignment)
{
    char name[256];
    const char *equal = strchr(assignment, '=');
    MPI_T_enum values;
    MPI_Datatype type;
    int provided, index, length = sizeof name, verbosity, bind, scope;
    if (!equal || equal == assignment || (size_t)(equal - assignment) >= sizeof name)
        return "expected NAME=NUMBER";
    snprintf(name, sizeof name, "%.*s", (int)(equal - assignment), assignment);
    if (PMPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS)
        return "the library has no tool interface";
    if (PMPI_T_cvar_get_index(name, &index) != MPI_SUCCESS ||
        PMPI_T_cvar_get_info(index, name, &length, &verbosity, &type, &values, NULL, NULL, &bind,
                             &scope) != MPI_SUCCESS)
        return "the library has no control variable of that name";
    const char *why = write_value(index, type, equal + 1);
    size_t used = strlen(set);
    if (!why)
        snprintf(set + used, sizeof set - used, "%s%s", used ? ", " : "", assignment);
    return why;
}
#endif
