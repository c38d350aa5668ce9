/* An operation and a barrier: the library's, or the paper's (figures 4, 5 and 7). */
#include "measure/latency/run.h"

#include <stdlib.h>

static int operation_then_barrier(const struct latency_run *r)
{
    TRY(run_once(r, r->c->root));
    return run_barrier(r);
}

static int batch_barrier(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    return run_timed_loop(arg, b, operation_then_barrier, value, n, loop);
}

/* The run's own is what goes round. */
static int ring_pass(const struct latency_run *r, bool receive, bool send)
{
    int before = (r->rank + r->size - 1) % r->size, after = (r->rank + 1) % r->size;
    int bytes = r->c->ring_bytes;
    if (receive)
        TRY(PMPI_Recv(r->own, bytes, MPI_BYTE, before, TAG_RING, r->c->comm, MPI_STATUS_IGNORE));
    if (send)
        TRY(PMPI_Send(r->own, bytes, MPI_BYTE, after, TAG_RING, r->c->comm));
    return MPI_SUCCESS;
}

/* The paper's figure 5: communication starts at task 0, travels twice around the ring and ends
 * when it reaches task P-2 for the second time. */
static int operation_then_ring(const struct latency_run *r)
{
    TRY(run_once(r, r->c->root));
    TRY(ring_pass(r, r->rank > 0, true));
    bool second = r->rank <= r->size - 2;
    return ring_pass(r, second, second && r->rank < r->size - 2);
}

static int batch_ring(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    return run_timed_loop(arg, b, operation_then_ring, value, n, loop);
}

static int run_ring(struct latency_run *r, struct latency_result *result)
{
    r->own = calloc((size_t)r->c->ring_bytes + 1, 1);
    int error = crew_agree(r->c->comm, r->own != NULL);
    if (error == MPI_SUCCESS)
        error = run_series(r, batch_ring, r, result);
    free(r->own);
    return error;
}

#define REALITY "an upper bound on the latency (OL); a barrier's time cannot be subtracted from it"

const struct latency_method latency_barrier = {
    .name = "barrier",
    .summary = "M x (broadcast, the library's barrier)",
    .reality = REALITY,
    .value = "one call and a barrier",
    .meaning = MEANS_UPPER_BOUND,
    .kinds = KIND_ANY,
    .weight = 1,
    .batch = batch_barrier,
};

const struct latency_method latency_ring_barrier = {
    .name = "ring-barrier",
    .summary = "M x (broadcast, the paper's barrier: twice around a ring)",
    .reality = REALITY,
    .value = "one call and a barrier",
    .meaning = MEANS_UPPER_BOUND,
    .kinds = KIND_ANY,
    .weight = 1,
    .run = run_ring,
};
