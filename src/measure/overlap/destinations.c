/* Several destinations: as sender, to up to eight other nodes at once, the whole size to each. */
#include "measure/overlap/list.h"

#include "base/clock.h"

static int reached(const struct overlap_side *s)
{
    return s->size - 1 < OVERLAP_PENDING ? s->size - 1 : OVERLAP_PENDING;
}

/* All at once, so that one latency is all that they add. */
static void hear_all(const struct overlap_side *s, int n)
{
    MPI_Request request[OVERLAP_PENDING];
    for (int i = 0; i < n; i++)
        PMPI_Irecv(NULL, 0, MPI_BYTE, i + 1, OVERLAP_TAG_ACK, s->comm, &request[i]);
    for (int i = 0; i < n; i++)
        PMPI_Wait(&request[i], MPI_STATUS_IGNORE);
}

static double first(struct overlap_side *s)
{
    MPI_Request request[OVERLAP_PENDING];
    int n = reached(s);
    for (int to = 1; to <= n; to++)
        overlap_hear(s, to, OVERLAP_TAG_READY);
    double start = clock_now();
    for (int i = 0; i < n; i++)
        PMPI_Isend(s->send, s->count, s->type, i + 1, OVERLAP_TAG_DATA, s->comm, &request[i]);
    work_do(&s->work);
    for (int i = 0; i < n; i++)
        PMPI_Wait(&request[i], MPI_STATUS_IGNORE);
    hear_all(s, n);
    return clock_now() - start;
}

static void others(struct overlap_side *s)
{
    if (s->rank <= reached(s))
        overlap_sender_others(s);
}

const struct overlap_benchmark overlap_destinations = {
    .name = "destinations",
    .title = "several destinations",
    .summary = "as sender, to up to 8 other nodes at once (3 ranks or more)",
    .base = NO_BASE,
    .least_ranks = 3,
    .simulable = true,
    .first = first,
    .others = others,
    .measured = overlap_less_latency,
};
