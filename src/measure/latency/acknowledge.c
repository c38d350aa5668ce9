/* An operation that all destinations acknowledge: figure 8 of the paper. */
#include "measure/latency/run.h"

/* The paper's loop runs to P acknowledgements; P-1 is meant. */
static int operation_then_acks(const struct latency_run *r)
{
    double ack = 0;
    MPI_Comm comm = r->c->comm;
    TRY(run_once(r, r->c->root));
    if (r->rank != r->c->root)
        return PMPI_Send(&ack, 1, MPI_DOUBLE, r->c->root, TAG_GO, comm);
    for (int k = 1; k < r->size; k++)
        TRY(PMPI_Recv(&ack, 1, MPI_DOUBLE, MPI_ANY_SOURCE, TAG_GO, comm, MPI_STATUS_IGNORE));
    return MPI_SUCCESS;
}

static int batch(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    return run_timed_loop(arg, b, operation_then_acks, value, n, loop);
}

const struct latency_method latency_acknowledge = {
    .name = "acknowledge",
    .summary = "M x (broadcast, the root receives P-1 acknowledgements)",
    .reality = "an upper bound on the latency (OL)",
    .value = "one call and P-1 acknowledgements",
    .meaning = MEANS_UPPER_BOUND,
    .kinds = KIND_FROM_ROOT,
    .weight = 1,
    .batch = batch,
};
