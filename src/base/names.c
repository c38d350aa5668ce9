/* Kinds of collective operations, by their standard names. */
#include "base/names.h"

#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum collective_kind collective_kind(const char *operation)
{
    static const char *const all[] = {
        "Barrier",   "Allreduce", "Allgather",      "Allgatherv",           "Alltoall",
        "Alltoallv", "Alltoallw", "Reduce_scatter", "Reduce_scatter_block", NULL};
    static const char *const from_root[] = {"Bcast", "Scatter", "Scatterv", NULL};
    static const char *const to_root[] = {"Reduce", "Gather", "Gatherv", NULL};
    static const char *const prefix[] = {"Scan", "Exscan", NULL};
    char name[40];
    snprintf(name, sizeof name, "%s", text_without_mpi(operation));
    size_t length = strlen(name);
    if (length > 2 && !strcmp(name + length - 2, "_c"))
        name[length -= 2] = '\0';
    if (length > 5 && !strcmp(name + length - 5, "_init"))
        name[length - 5] = '\0';
    char *plain = *name == 'I' ? name + 1 : name;
    *plain = (char)toupper((unsigned char)*plain);
    if (text_is_one_of(plain, all))
        return COLLECTIVE_ALL;
    if (text_is_one_of(plain, from_root))
        return COLLECTIVE_FROM_ROOT;
    if (text_is_one_of(plain, to_root))
        return COLLECTIVE_TO_ROOT;
    if (!strncmp(plain, "Neighbor_", 9))
        return COLLECTIVE_NEIGHBOURS;
    return text_is_one_of(plain, prefix) ? COLLECTIVE_PREFIX : COLLECTIVE_OTHER;
}
