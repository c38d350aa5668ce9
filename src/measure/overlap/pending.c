/* Several requests pending: as sender, in eight messages of an eighth each. */
#include "measure/overlap/overlap_inner.h"

#include "base/clock.h"

static int part(const struct overlap_side *s)
{
    return s->count < OVERLAP_PENDING ? 1 : s->count / OVERLAP_PENDING;
}

/* Not Waitall: what is waited for is the same, and the order of completion does not matter. */
static void wait_for_all(MPI_Request *request)
{
    for (int i = 0; i < OVERLAP_PENDING; i++)
        PMPI_Wait(&request[i], MPI_STATUS_IGNORE);
}

static double first(struct overlap_side *s)
{
    MPI_Request request[OVERLAP_PENDING];
    int count = part(s);
    overlap_hear(s, s->peer, OVERLAP_TAG_READY);
    double start = clock_now();
    for (int i = 0; i < OVERLAP_PENDING; i++)
        PMPI_Isend(s->send + (size_t)i * (size_t)count, count, s->type, s->peer, OVERLAP_TAG_DATA,
                   s->comm, &request[i]);
    overlap_compute(s);
    wait_for_all(request);
    double waited = overlap_elapsed(s, start);
    overlap_hear(s, s->peer, OVERLAP_TAG_ACK);
    return overlap_until_there(s, start, waited);
}

static void others(struct overlap_side *s)
{
    MPI_Request request[OVERLAP_PENDING];
    int count = part(s);
    for (int i = 0; i < OVERLAP_PENDING; i++)
        PMPI_Irecv(s->recv + (size_t)i * (size_t)count, count, s->type, s->peer, OVERLAP_TAG_DATA,
                   s->comm, &request[i]);
    overlap_say(s, s->peer, OVERLAP_TAG_READY);
    wait_for_all(request);
    overlap_say(s, s->peer, OVERLAP_TAG_ACK);
}

const struct overlap_benchmark overlap_pending = {
    .name = "pending",
    .title = "8 requests pending",
    .summary = "as sender, in 8 messages of an eighth that are pending at once",
    .base = NO_BASE,
    BETWEEN_TWO,
    .first = first,
    .others = others,
};
