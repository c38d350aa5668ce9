/* Receiver side: node 0 says that the other may send, posts its receive, computes, waits. What it
 * says travels for a latency, and only then can the message start: time and computation both count
 * from there. */
#include "measure/overlap/overlap_inner.h"

#include "base/clock.h"

#include <math.h>

static double first(struct overlap_side *s)
{
    MPI_Request request;
    overlap_hear(s, s->peer, OVERLAP_TAG_READY);
    double start = clock_now();
    overlap_say(s, s->peer, OVERLAP_TAG_READY);
    s->late = fmax(0, s->latency - overlap_elapsed(s, start));
    PMPI_Irecv(s->recv, s->count, s->type, s->peer, OVERLAP_TAG_DATA, s->comm, &request);
    overlap_compute(s);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    return overlap_elapsed(s, start) - s->latency;
}

static void others(struct overlap_side *s)
{
    overlap_say(s, s->peer, OVERLAP_TAG_READY);
    overlap_hear(s, s->peer, OVERLAP_TAG_READY);
    PMPI_Send(s->send, s->count, s->type, s->peer, OVERLAP_TAG_DATA, s->comm);
}

const struct overlap_benchmark overlap_receiver = {
    .name = "receiver",
    .title = "receiver side",
    .summary = "irecv, compute, wait on the receiving side",
    .base = BASE_CONTIGUOUS,
    BETWEEN_TWO,
    .starts_late = true,
    .first = first,
    .others = others,
};
