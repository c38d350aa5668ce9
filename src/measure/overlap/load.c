/* N threads load: N threads compute on both nodes, while a thread of their own communicates with
 * blocking calls. */
#include "measure/overlap/overlap_inner.h"

#include "base/clock.h"

static bool begin(struct overlap_side *s)
{
    s->own = work_threads_start(s->threads, s->bind, s->bind_arg);
    return s->own != NULL;
}

static void end(struct overlap_side *s)
{
    work_threads_stop(s->own);
}

static double first(struct overlap_side *s)
{
    overlap_hear(s, s->peer, OVERLAP_TAG_READY);
    double start = clock_now();
    PMPI_Send(s->send, s->count, s->type, s->peer, OVERLAP_TAG_DATA, s->comm);
    PMPI_Recv(s->recv, s->count, s->type, s->peer, OVERLAP_TAG_DATA, s->comm, MPI_STATUS_IGNORE);
    return overlap_elapsed(s, start) / 2;
}

static void others(struct overlap_side *s)
{
    MPI_Request request;
    PMPI_Irecv(s->recv, s->count, s->type, s->peer, OVERLAP_TAG_DATA, s->comm, &request);
    overlap_say(s, s->peer, OVERLAP_TAG_READY);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    PMPI_Send(s->send, s->count, s->type, s->peer, OVERLAP_TAG_DATA, s->comm);
}

const struct overlap_benchmark overlap_load = {
    .name = "load",
    .title = "N threads load: times slower",
    .summary = "blocking send and receive while N threads compute: slowdown",
    .base = BASE_CONTIGUOUS,
    .least_ranks = 2,
    .most_ranks = 2,
    .thread_level = MPI_THREAD_FUNNELED,
    .by_threads = true,
    .begin = begin,
    .end = end,
    .first = first,
    .others = others,
};
