/* CPU overhead: what of a send the sender's processor pays for, whether or not it has arrived.
 * T_comm is a blocking send's time, as in the paper: what a non-blocking one costs more shows. */
#include "measure/overlap/overlap_inner.h"

#include "base/clock.h"

static double first(struct overlap_side *s)
{
    MPI_Request request;
    overlap_hear(s, s->peer, OVERLAP_TAG_READY);
    double start = clock_now();
    PMPI_Isend(s->send, s->count, s->type, s->peer, OVERLAP_TAG_DATA, s->comm, &request);
    overlap_compute(s);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    return overlap_elapsed(s, start);
}

static void others(struct overlap_side *s)
{
    MPI_Request request;
    PMPI_Irecv(s->recv, s->count, s->type, s->peer, OVERLAP_TAG_DATA, s->comm, &request);
    overlap_say(s, s->peer, OVERLAP_TAG_READY);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

const struct overlap_benchmark overlap_cpu = {
    .name = "cpu",
    .title = "CPU overhead",
    .summary = "isend, compute, wait, unacknowledged: the processor's cost",
    .base = BASE_CPU,
    .least_ranks = 2,
    .most_ranks = 2,
    .simulable = true,
    .alone_first = overlap_blocking_send,
    .alone_others = overlap_sender_others,
    .first = first,
    .others = others,
};
