/* --cvar: control variables of the MPI library, for example to choose its algorithms. */
#include "bench.h"

#include "base/text.h"
#include "tune/cvar.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The variables that were set, for the header: "NAME=NUMBER, ...". */
static char set[1024];

void cvar_facts(struct document *d)
{
    if (*set)
        document_fact(d, "control variable", "%s", set);
}

const char *cvar_set(const char *assignment)
{
    char name[256], *end;
    const char *equal = strchr(assignment, '=');
    if (!equal || (size_t)(equal - assignment) >= sizeof name)
        return "expected NAME=NUMBER";
    errno = 0;
    long long value = strtoll(equal + 1, &end, 0);
    if (!equal[1] || *end)
        return "expected NAME=NUMBER";
    if (errno == ERANGE)
        return "the library does not take this value";
    text_copy_part(name, sizeof name, assignment, (size_t)(equal - assignment));
    const char *why = cvar_write(name, value);
    size_t used = strlen(set);
    if (!why)
        snprintf(set + used, sizeof set - used, "%s%s", used ? ", " : "", assignment);
    return why;
}
