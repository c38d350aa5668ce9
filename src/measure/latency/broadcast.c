#include "measure/latency/broadcast.h"

#include "base/hash.h"
#include "base/try.h"
#include "measure/buffer.h"

#include <string.h>

bool broadcast_is_plain(MPI_Datatype type)
{
    int integers, addresses, types, combiner;
    MPI_Count size, bound, extent;
    return !PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) &&
           !PMPI_Type_size_x(type, &size) && !PMPI_Type_get_extent_x(type, &bound, &extent) &&
           combiner == MPI_COMBINER_NAMED && size == extent;
}

static size_t bytes_of(const struct broadcast *b)
{
    int size = 0;
    PMPI_Type_size(b->type, &size);
    return (size_t)b->count * (size_t)size;
}

/* Whether this rank's data equal the root's. Only the root's hash is sent. */
static int compare(const struct broadcast *b, int *differs)
{
    uint64_t mine = hash_bytes(HASH_START, b->buffer, bytes_of(b)), roots = mine;
    TRY(PMPI_Bcast(&roots, 1, MPI_UINT64_T, b->root, b->comm));
    *differs = mine != roots;
    return MPI_SUCCESS;
}

static int run(void *arg, int root)
{
    const struct broadcast *b = arg;
    return b->bcast->run(b->buffer, b->count, b->type, root, b->comm, b->bcast->arg);
}

int broadcast_check(void *arg, int *wrong)
{
    struct broadcast *b = arg;
    int rank, can = broadcast_is_plain(b->type), all = 0, differs = 0;
    TRY(PMPI_Comm_rank(b->comm, &rank));
    TRY(PMPI_Allreduce(&can, &all, 1, MPI_INT, MPI_MIN, b->comm));
    if (all && rank != b->root)
        memset(b->buffer, 0xA5, bytes_of(b));
    TRY(run(b, b->root));
    if (all)
        TRY(compare(b, &differs));
    return PMPI_Allreduce(&differs, wrong, 1, MPI_INT, MPI_SUM, b->comm);
}

void broadcast_prepare(void *arg)
{
    const struct broadcast *b = arg;
    int rank;
    if (!PMPI_Comm_rank(b->comm, &rank) && rank == b->root && broadcast_is_plain(b->type))
        buffer_write_anew(b->buffer, bytes_of(b));
}

struct latency_case broadcast_case(struct broadcast *b)
{
    return (struct latency_case){.comm = b->comm,
                                 .run = run,
                                 .before = b->fresh ? broadcast_prepare : NULL,
                                 .check = broadcast_check,
                                 .arg = b,
                                 .kind = COLLECTIVE_FROM_ROOT,
                                 .root = b->root};
}
