#include "base/names.h"

#include "base/text.h"

enum collective_kind collective_kind(const char *operation)
{
    static const char *const names[] = {
        [COLLECTIVE_ALL] = "Barrier Allreduce Allgather Allgatherv Alltoall Alltoallv Alltoallw "
                           "Reduce_scatter Reduce_scatter_block",
        [COLLECTIVE_FROM_ROOT] = "Bcast Scatter Scatterv",
        [COLLECTIVE_TO_ROOT] = "Reduce Gather Gatherv",
        [COLLECTIVE_PREFIX] = "Scan Exscan",
        [COLLECTIVE_NEIGHBOURS] = "Neighbor_allgather Neighbor_allgatherv Neighbor_alltoall "
                                  "Neighbor_alltoallv Neighbor_alltoallw"};
    char name[40];
    enum collective_kind kind = COLLECTIVE_ALL;
    text_copy(name, sizeof name, operation + (strncmp(operation, "MPI_", 4) ? 0 : 4));
    if (text_ends_with(name, "_c"))
        name[strlen(name) - 2] = '\0';
    if (text_ends_with(name, "_init"))
        name[strlen(name) - 5] = '\0';
    while (kind < COLLECTIVE_OTHER && !text_has_word(names[kind], name + (*name == 'I')))
        kind++;
    return kind;
}
