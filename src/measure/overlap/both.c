/* Both sides: there and back, both nodes computing all the while. */
#include "measure/overlap/overlap_inner.h"

#include "base/clock.h"

static double first(struct overlap_side *s)
{
    MPI_Request request;
    overlap_hear(s, s->peer, OVERLAP_TAG_READY);
    double start = clock_now();
    overlap_send_over(s);
    PMPI_Irecv(s->recv, s->count, s->type, s->peer, OVERLAP_TAG_DATA, s->comm, &request);
    overlap_compute(s);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    return overlap_elapsed(s, start) / 2;
}

static void others(struct overlap_side *s)
{
    MPI_Request request;
    PMPI_Irecv(s->recv, s->count, s->type, s->peer, OVERLAP_TAG_DATA, s->comm, &request);
    overlap_say(s, s->peer, OVERLAP_TAG_READY);
    overlap_compute(s);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    overlap_send_over(s);
}

const struct overlap_benchmark overlap_both = {
    .name = "both",
    .title = "both sides",
    .summary = "isend, compute, wait, irecv, compute, wait; the peer reversed",
    .base = BASE_CONTIGUOUS,
    BETWEEN_TWO,
    .first = first,
    .others = others,
};
