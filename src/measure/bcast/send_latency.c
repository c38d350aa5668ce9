/* What many benchmarks report as a broadcast's time: the gap at the root. Figures 2 and 3 of the
 * paper. */
#include "measure/bcast/bcast_inner.h"

/* A single value: what a time stamp between two of them sees is the library's buffering, only the
 * mean over many is the gap. */
static int batch_back_to_back(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    struct bcast_run *r = arg;
    TRY(PMPI_Barrier(r->c->comm));
    double start = clock_now();
    for (int k = 0; k < b->repetitions; k++)
        TRY(run_operation(r));
    double end = clock_now();
    if (r->roots) {
        *loop = value[0] = (end - start - r->clock_cost) / b->repetitions;
        *n = 1;
    }
    return MPI_SUCCESS;
}

static int run(struct bcast_run *r, struct bcast_result *result)
{
    return run_one_series(r, batch_back_to_back, r, result);
}

const struct bcast_method bcast_send_latency = {
    .name = "send-latency",
    .summary = "the root times M back-to-back broadcasts",
    .reality = "the gap at the root (g_0): no latency",
    .value = "loop / M",
    .meaning = BCAST_GAP,
    .others = BCAST_ANY_KIND,
    .weight = 1,
    .run = run,
};
