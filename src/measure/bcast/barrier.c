/* A broadcast and a barrier: the library's, or the paper's (figures 4, 5 and 7). */
#include "measure/bcast/bcast_inner.h"

#include <stdlib.h>

static int bcast_then_barrier(const struct bcast_run *r)
{
    TRY(run_once(r, r->c->root));
    return run_barrier(r);
}

static int ring_pass(const struct bcast_run *r, bool receive, bool send)
{
    int before = (r->rank + r->size - 1) % r->size, after = (r->rank + 1) % r->size;
    MPI_Comm comm = r->c->comm;
    int bytes = r->c->ring_bytes;
    if (receive)
        TRY(PMPI_Recv(r->token, bytes, MPI_BYTE, before, TAG_RING, comm, MPI_STATUS_IGNORE));
    if (send)
        TRY(PMPI_Send(r->token, bytes, MPI_BYTE, after, TAG_RING, comm));
    return MPI_SUCCESS;
}

/* The paper's figure 5: communication starts at task 0, travels twice around the ring and ends
 * when it reaches task P-2 for the second time. */
static int bcast_then_ring(const struct bcast_run *r)
{
    TRY(run_once(r, r->c->root));
    TRY(ring_pass(r, r->rank > 0, true));
    bool second = r->rank <= r->size - 2;
    return ring_pass(r, second, second && r->rank < r->size - 2);
}

static int batch_barrier(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    return run_timed_loop(arg, b, bcast_then_barrier, value, n, loop);
}

static int batch_ring(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    return run_timed_loop(arg, b, bcast_then_ring, value, n, loop);
}

static int run_with_barrier(struct bcast_run *r, struct bcast_result *result)
{
    return run_one_series(r, batch_barrier, r, result);
}

static int run_ring(struct bcast_run *r, struct bcast_result *result)
{
    r->token = calloc((size_t)r->c->ring_bytes + 1, 1);
    int error = crew_agree(r->c->comm, r->token != NULL);
    if (error == MPI_SUCCESS)
        error = run_one_series(r, batch_ring, r, result);
    free(r->token);
    return error;
}

#define BARRIER(NAME, SUMMARY, RUN)                                                                \
    {                                                                                              \
        .name = NAME, .summary = SUMMARY,                                                          \
        .reality =                                                                                 \
            "an upper bound on the latency (OL); a barrier's time cannot be subtracted from it",   \
        .value = "one call and a barrier", .meaning = BCAST_UPPER_BOUND, .others = BCAST_ANY_KIND, \
        .weight = 1, .run = RUN                                                                    \
    }

const struct bcast_method bcast_barrier =
    BARRIER("barrier", "M x (broadcast, the library's barrier)", run_with_barrier);
const struct bcast_method bcast_ring_barrier =
    BARRIER("ring-barrier", "M x (broadcast, the paper's barrier: twice around a ring)", run_ring);
