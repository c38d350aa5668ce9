/* Non-blocking collective operations that all ranks leave together. The others say that they
 * are ready and start; node 0 is the last to start. */
#include "measure/overlap/list.h"

#include "base/clock.h"

#include <stdlib.h>

static bool prepare(struct overlap_side *s, const char *name)
{
    bool twin;
    struct operation_call *call = malloc(sizeof *call);
    if (!call)
        return false;
    if (!operation_prepare(call, operation_find(name, &twin), s->comm, 0, s->bytes)) {
        free(call);
        return false;
    }
    s->own = call;
    return true;
}

static bool begin_allreduce(struct overlap_side *s)
{
    return prepare(s, "allreduce");
}

static bool begin_alltoall(struct overlap_side *s)
{
    return prepare(s, "alltoall");
}

static void end(struct overlap_side *s)
{
    operation_release(s->own);
    free(s->own);
}

static void overlap_one(struct overlap_side *s)
{
    MPI_Request request;
    operation_start(s->own, &request);
    work_do(&s->work);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

static double first(struct overlap_side *s)
{
    for (int from = 1; from < s->size; from++)
        overlap_hear(s, from, OVERLAP_TAG_READY);
    double start = clock_now();
    overlap_one(s);
    return clock_now() - start;
}

static void others(struct overlap_side *s)
{
    overlap_say(s, 0, OVERLAP_TAG_READY);
    overlap_one(s);
}

const struct overlap_benchmark overlap_iallreduce = {
    .name = "iallreduce",
    .title = "non-blocking allreduce",
    .summary = "MPI_Iallreduce, compute, wait, on all ranks",
    .base = NO_BASE,
    .least_ranks = 2,
    .simulable = true,
    .begin = begin_allreduce,
    .end = end,
    .first = first,
    .others = others,
    .measured = overlap_whole,
};

const struct overlap_benchmark overlap_ialltoall = {
    .name = "ialltoall",
    .title = "non-blocking alltoall",
    .summary = "MPI_Ialltoall, compute, wait; the size is that of a block",
    .base = NO_BASE,
    .least_ranks = 2,
    .simulable = true,
    .begin = begin_alltoall,
    .end = end,
    .first = first,
    .others = others,
    .measured = overlap_whole,
};
