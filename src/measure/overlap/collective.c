/* Non-blocking collective operations, timed on node 0. Node 0 is the first to start and tells the
 * others to: if they were there before, with their small messages under way already, nothing would
 * be left to wait for. The operation begins when the last of them starts, and time and computation
 * count from there. Where data comes to node 0 from one rank, or passes through all, that is the
 * last one. */
#include "measure/overlap/overlap_inner.h"

#include "base/clock.h"

#include <math.h>
#include <stdlib.h>

/* In COMM, node 0 is the last rank where the benchmark says so, otherwise the first. */
struct collective {
    struct operation_call call;
    MPI_Comm comm;
    double *latency; /* node 0: to each of the others */
};

static bool begin(struct overlap_side *s)
{
    bool twin;
    const struct operation *operation = operation_find(s->benchmark->operation, &twin);
    struct collective *c = calloc(1, sizeof *c);
    MPI_Comm comm;
    PMPI_Comm_split(s->comm, 0, s->benchmark->comes_last ? -s->rank : s->rank, &comm);
    double *latency = overlap_latencies(s, s->size - 1);
    if (!c || !latency || !operation_prepare(&c->call, operation, comm, 0, s->bytes)) {
        PMPI_Comm_free(&comm);
        free(latency);
        free(c);
        return false;
    }
    c->comm = comm;
    c->latency = latency;
    s->own = c;
    return true;
}

static void end(struct overlap_side *s)
{
    struct collective *c = s->own;
    operation_release(&c->call);
    PMPI_Comm_free(&c->comm);
    free(c->latency);
    free(c);
}

static void overlap_one(struct overlap_side *s)
{
    struct collective *c = s->own;
    MPI_Request request;
    operation_start(&c->call, &request);
    overlap_compute(s);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

static double first(struct overlap_side *s)
{
    const struct collective *c = s->own;
    double begins = 0;
    for (int other = 1; other < s->size; other++)
        overlap_hear(s, other, OVERLAP_TAG_READY);
    double start = clock_now();
    for (int other = 1; other < s->size; other++) {
        begins = fmax(begins, overlap_elapsed(s, start) + c->latency[other - 1]);
        overlap_say(s, other, OVERLAP_TAG_READY);
    }
    s->late = fmax(0, begins - overlap_elapsed(s, start));
    overlap_one(s);
    return overlap_elapsed(s, start) - begins;
}

static void others(struct overlap_side *s)
{
    overlap_say(s, 0, OVERLAP_TAG_READY);
    overlap_hear(s, 0, OVERLAP_TAG_READY);
    overlap_one(s);
}

#define COLLECTIVE(id, word, what, ...)                                                            \
    const struct overlap_benchmark overlap_i##id = {.name = "i" word,                              \
                                                    .title = "non-blocking " word,                 \
                                                    .summary = what,                               \
                                                    .base = NO_BASE,                               \
                                                    .least_ranks = 2,                              \
                                                    .simulable = true,                             \
                                                    .starts_late = true,                           \
                                                    .operation = word,                             \
                                                    .begin = begin,                                \
                                                    .end = end,                                    \
                                                    .first = first,                                \
                                                    .others = others,                              \
                                                    __VA_ARGS__}
#define BY_NAME .only_by_name = true
#define COMES_LAST .only_by_name = true, .comes_last = true

COLLECTIVE(allreduce, "allreduce", "MPI_Iallreduce, compute, wait, on all ranks", );
COLLECTIVE(alltoall, "alltoall", "MPI_Ialltoall, compute, wait; the size is that of a block", );
COLLECTIVE(barrier, "barrier", "MPI_Ibarrier; the size does not matter", BY_NAME);
COLLECTIVE(gather, "gather", "MPI_Igather to node 0; the size is that of a block", BY_NAME);
COLLECTIVE(allgather, "allgather", "MPI_Iallgather; the size is that of a block", BY_NAME);
COLLECTIVE(reduce, "reduce", "MPI_Ireduce to node 0", BY_NAME);
COLLECTIVE(reduce_scatter, "reduce-scatter", "MPI_Ireduce_scatter_block; the size of a block",
           BY_NAME);
COLLECTIVE(broadcast, "broadcast", "MPI_Ibcast from the last node, timed on node 0", COMES_LAST);
COLLECTIVE(scatter, "scatter", "MPI_Iscatter from the last node; the size of a block", COMES_LAST);
COLLECTIVE(scan, "scan", "MPI_Iscan, of which node 0 is the last", COMES_LAST);
