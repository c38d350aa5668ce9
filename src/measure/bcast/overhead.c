/* o_i: every other rank has gone ahead while i was held, so that all it receives is there. */
#include "measure/bcast/bcast_inner.h"
#include "measure/ping.h"

#include <math.h>

/* Timed at i, kept by the root. */
static int batch_delayed(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    struct bcast_run *r = arg;
    MPI_Comm comm = r->c->comm;
    double *in_call = r->scratch;
    bool mine = r->rank == r->destination;
    TRY(PMPI_Barrier(comm));
    for (int k = -1; k < b->repetitions; k++) {
        if (mine)
            clock_hold(b->hold);
        double start = clock_now();
        TRY(run_operation(r));
        if (mine && k >= 0)
            in_call[k] = clock_now() - start - r->clock_cost;
    }
    *n = b->repetitions;
    return values_to_keeper(comm, r->destination, r->c->root, in_call, value, *n, loop);
}

static int one(struct bcast_run *r, double share)
{
    struct series s;
    struct curve curve;
    TRY(series_settle(r->c->comm, r->c->root, &r->c->plan, share, r->gap, batch_delayed, r, &s,
                      &curve));
    if (!r->roots)
        return MPI_SUCCESS;
    figure_take(r, TIMED_OPERATION, &s);
    run_figure(r)->curve = curve;
    figure_value(r, series_estimate(&s), s.loop_mean);
    return MPI_SUCCESS;
}

static int run(struct bcast_run *r, struct bcast_result *result)
{
    TRY(run_gap_once(r, run_part(r, 0.1)));
    return run_each(r, result, true, one);
}

static double value_of(const struct bcast_figure *f)
{
    return f->value.value;
}

static const struct bcast_column columns[] = {
    {"overhead", "o_i: the processor's own time", value_of, NULL},
    {0},
};

const struct bcast_method bcast_overhead = {
    .name = "overhead",
    .summary = "per task i: its entry delayed until everything it waits for is there",
    .reality = "o_i, the processor's own part in one broadcast",
    .value = "largest o_i, median",
    .meaning = BCAST_OVERHEAD,
    .columns = columns,
    .weight = 4,
    .run = run,
};
