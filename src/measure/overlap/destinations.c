/* Several destinations: as sender, to up to eight other nodes at once, the whole size to each. */
#include "measure/overlap/overlap_inner.h"

#include "base/clock.h"

#include <math.h>
#include <stdlib.h>

static int reached(const struct overlap_side *s)
{
    return s->size - 1 < OVERLAP_PENDING ? s->size - 1 : OVERLAP_PENDING;
}

static bool begin(struct overlap_side *s)
{
    s->own = overlap_latencies(s, reached(s));
    return s->own != NULL;
}

static void end(struct overlap_side *s)
{
    free(s->own);
}

/* The data was at each a latency before its acknowledgement, or while node 0 still waited. */
static double until_all_there(const struct overlap_side *s, int n, double start, double waited)
{
    const double *latency = s->own;
    MPI_Request request[OVERLAP_PENDING];
    double last = waited;
    for (int i = 0; i < n; i++)
        PMPI_Irecv(NULL, 0, MPI_BYTE, i + 1, OVERLAP_TAG_ACK, s->comm, &request[i]);
    for (int i = 0, which; i < n; i++) {
        PMPI_Waitany(n, request, &which, MPI_STATUS_IGNORE);
        last = fmax(last, overlap_elapsed(s, start) - (i + 1) * s->clock_cost - latency[which]);
    }
    return last;
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
    overlap_compute(s);
    for (int i = 0; i < n; i++)
        PMPI_Wait(&request[i], MPI_STATUS_IGNORE);
    double waited = overlap_elapsed(s, start);
    return until_all_there(s, n, start, waited);
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
    .begin = begin,
    .end = end,
    .first = first,
    .others = others,
};
