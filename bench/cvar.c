/* --cvar: control variables of the MPI library, for example to choose its algorithms. */
#include "bench.h"

#include "tune/cvar.h"

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
    char name[256];
    const char *equal = strchr(assignment, '=');
    if (!equal || equal == assignment || (size_t)(equal - assignment) >= sizeof name)
        return "expected NAME=NUMBER";
    snprintf(name, sizeof name, "%.*s", (int)(equal - assignment), assignment);
    const char *why = cvar_write(name, equal + 1);
    size_t used = strlen(set);
    if (!why)
        snprintf(set + used, sizeof set - used, "%s%s", used ? ", " : "", assignment);
    return why;
}
