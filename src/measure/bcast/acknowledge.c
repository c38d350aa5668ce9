/* A broadcast that all destinations acknowledge: figure 8 of the paper. */
#include "measure/bcast/bcast_inner.h"

/* The paper's loop runs to P acknowledgements; P-1 is meant. */
static int bcast_then_acks(const struct bcast_run *r)
{
    double ack = 0;
    MPI_Comm comm = r->c->comm;
    TRY(run_once(r, r->c->root));
    if (!r->roots)
        return PMPI_Send(&ack, 1, MPI_DOUBLE, r->c->root, TAG_ACK, comm);
    for (int k = 1; k < r->size; k++)
        TRY(PMPI_Recv(&ack, 1, MPI_DOUBLE, MPI_ANY_SOURCE, TAG_ACK, comm, MPI_STATUS_IGNORE));
    return MPI_SUCCESS;
}

static int batch_acknowledge(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    return run_timed_loop(arg, b, bcast_then_acks, value, n, loop);
}

static int run(struct bcast_run *r, struct bcast_result *result)
{
    return run_one_series(r, batch_acknowledge, r, result);
}

const struct bcast_method bcast_acknowledge = {
    .name = "acknowledge",
    .summary = "M x (broadcast, the root receives P-1 acknowledgements)",
    .reality = "an upper bound on the latency (OL), linear in the number of ranks",
    .value = "one call and P-1 acknowledgements",
    .meaning = BCAST_UPPER_BOUND,
    .others = BCAST_FROM_ROOT,
    .weight = 1,
    .run = run,
};
