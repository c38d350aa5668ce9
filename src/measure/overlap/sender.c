/* Sender side: node 0 sends, computes, waits, and hears that it has arrived. The same with a
 * derived type: the two differ in the type alone. */
#include "measure/overlap/overlap_inner.h"

#include "base/clock.h"

void overlap_send_over(struct overlap_side *s)
{
    MPI_Request request;
    PMPI_Isend(s->send, s->count, s->type, s->peer, OVERLAP_TAG_DATA, s->comm, &request);
    overlap_compute(s);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

double overlap_send(struct overlap_side *s, double *start)
{
    overlap_hear(s, s->peer, OVERLAP_TAG_READY);
    *start = clock_now();
    overlap_send_over(s);
    return overlap_elapsed(s, *start);
}

static double first(struct overlap_side *s)
{
    double start, waited = overlap_send(s, &start);
    overlap_hear(s, s->peer, OVERLAP_TAG_ACK);
    return overlap_until_there(s, start, waited);
}

/* Waiting at once makes it the paper's blocking call. */
void overlap_receive(struct overlap_side *s)
{
    MPI_Request request;
    PMPI_Irecv(s->recv, s->count, s->type, s->peer, OVERLAP_TAG_DATA, s->comm, &request);
    overlap_say(s, s->peer, OVERLAP_TAG_READY);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

void overlap_sender_others(struct overlap_side *s)
{
    overlap_receive(s);
    overlap_say(s, s->peer, OVERLAP_TAG_ACK);
}

const struct overlap_benchmark overlap_sender = {
    .name = "sender",
    .title = "sender side",
    .summary = "isend, compute, wait on the sending side",
    .base = BASE_CONTIGUOUS,
    BETWEEN_TWO,
    .first = first,
    .others = overlap_sender_others,
};

const struct overlap_benchmark overlap_vector = {
    .name = "vector",
    .title = "non-contiguous",
    .summary = "as sender, with blocks of 32 bytes at stride 64",
    .base = BASE_VECTOR,
    .vector = true,
    BETWEEN_TWO,
    .first = first,
    .others = overlap_sender_others,
};
