/* What the timing loops of other benchmark suites make of the same operations, to be seen beside
 * OL: OSU's micro-benchmarks, the Intel MPI Benchmarks (as their guide describes them), ReproMPI.
 * As they do, all broadcast the same data again and again. */
#include "measure/latency/run.h"
#include "sync/harmonize.h"

/* OSU's: each call by itself, with a barrier between two. This rank's mean. */
static int loop_osu(const struct latency_run *r, int repetitions, double *mean)
{
    double sum = 0;
    TRY(PMPI_Barrier(r->c->comm));
    for (int k = 0; k < repetitions; k++) {
        double start = clock_now();
        TRY(run_once(r, r->c->root));
        sum += clock_now() - start - r->clock_cost;
        TRY(PMPI_Barrier(r->c->comm));
    }
    *mean = sum / repetitions;
    return MPI_SUCCESS;
}

/* IMB's: all calls in a row, after two barriers, from the next root each. */
static int loop_imb(const struct latency_run *r, int repetitions, double *mean)
{
    TRY(PMPI_Barrier(r->c->comm));
    TRY(PMPI_Barrier(r->c->comm));
    double start = clock_now();
    for (int k = 0; k < repetitions; k++)
        TRY(run_once(r, (r->c->root + k) % r->size));
    *mean = (clock_now() - start - r->clock_cost) / repetitions;
    return MPI_SUCCESS;
}

/* Of the ranks' means the largest, or their mean. */
static int keep_means(const struct latency_run *r, double mine, bool largest, double *value, int *n,
                      double *loop)
{
    double all = 0;
    TRY(PMPI_Reduce(&mine, &all, 1, MPI_DOUBLE, largest ? MPI_MAX : MPI_SUM, r->c->collector,
                    r->c->comm));
    *loop = largest ? all : all / r->size;
    *n = 1;
    if (r->keeps)
        value[0] = *loop;
    return MPI_SUCCESS;
}

static int osu(struct latency_run *r, const struct batch *b, bool largest, double *value, int *n,
               double *loop)
{
    double mine;
    TRY(loop_osu(r, b->repetitions, &mine));
    return keep_means(r, mine, largest, value, n, loop);
}

/* A loop that ends before each rank was the root is another loop: that is in "measured". */
static int imb(struct latency_run *r, const struct batch *b, bool largest, double *value, int *n,
               double *loop)
{
    struct latency_result *result = r->result;
    double mine;
    TRY(loop_imb(r, b->repetitions, &mine));
    result->asked = r->size;
    if (b->first || b->repetitions < result->measured)
        result->measured = b->repetitions < r->size ? b->repetitions : r->size;
    return keep_means(r, mine, largest, value, n, loop);
}

/* ReproMPI's first: a barrier, then the call; of each operation the longest time in the call. */
static int batch_repro_barrier(void *arg, const struct batch *b, double *value, int *n,
                               double *loop)
{
    const struct latency_run *r = arg;
    for (int k = 0; k < b->repetitions; k++) {
        TRY(PMPI_Barrier(r->c->comm));
        double start = clock_now();
        TRY(run_once(r, r->c->root));
        r->scratch[k] = clock_now() - start - r->clock_cost;
    }
    TRY(PMPI_Reduce(r->scratch, value, b->repetitions, MPI_DOUBLE, MPI_MAX, r->c->collector,
                    r->c->comm));
    *n = b->repetitions;
    *loop = 0;
    for (int k = 0; r->keeps && k < *n; k++)
        *loop += value[k] / *n;
    return MPI_SUCCESS;
}

struct window {
    struct latency_run *run;
    struct harmony start;
    double length; /* of a window, seconds */
    int dropped;   /* the collector's: operations that some rank was late for */
};

/* Every operation begins in a window of its own: first entry to last exit on the common clock. Who
 * comes too late for one says so by an exit that never is. */
static int batch_windows(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    struct window *w = arg;
    const struct latency_run *r = w->run;
    double *mine = r->scratch;
    TRY(harmonize(&w->start));
    for (int k = 0; k < b->repetitions; k++) {
        bool late = k ? !sync_wait(w->start.clock, w->start.begin + k * w->length) : w->start.late;
        mine[2 * k] = -sync_now(w->start.clock);
        TRY(run_once(r, r->c->root));
        mine[2 * k + 1] = late ? INFINITY : sync_now(w->start.clock);
    }
    TRY(PMPI_Reduce(r->keeps ? MPI_IN_PLACE : mine, mine, 2 * b->repetitions, MPI_DOUBLE, MPI_MAX,
                    r->c->collector, r->c->comm));
    *n = 0;
    *loop = 0;
    for (int k = 0; r->keeps && k < b->repetitions; k++) {
        double seconds = mine[2 * k] + mine[2 * k + 1] - r->clock_cost;
        if (isfinite(seconds))
            *loop += value[(*n)++] = seconds;
    }
    *loop /= *n;
    w->dropped = (b->first ? 0 : w->dropped) + b->repetitions - *n;
    return MPI_SUCCESS;
}

/* A window holds four operations, as long as the slowest rank took for one. */
static int run_repro_window(struct latency_run *r, struct latency_result *result)
{
    struct window w = {.run = r};
    struct sync_clock *clock = r->c->clock;
    if (clock && clock->comm == r->c->comm)
        TRY(sync_again(clock));
    TRY(harmony_open(&w.start, clock, r->c->comm, r->c->root));
    double start = clock_now();
    TRY(run_once(r, r->c->root));
    double mine = 4 * (clock_now() - start);
    TRY(PMPI_Allreduce(&mine, &w.length, 1, MPI_DOUBLE, MPI_MAX, r->c->comm));
    TRY(run_series(r, batch_windows, &w, result));
    result->dropped = w.dropped;
    return clock ? sync_check(clock, r->c->comm, &result->clock_bound) : MPI_SUCCESS;
}

#define SUITE(SYMBOL, NAME, SUMMARY, REALITY, VALUE, KINDS, HOW)                                   \
    const struct latency_method latency_##SYMBOL = {.name = NAME,                                  \
                                                    .summary = SUMMARY,                            \
                                                    .reality = REALITY,                            \
                                                    .value = VALUE,                                \
                                                    .meaning = MEANS_SUITE,                        \
                                                    .kinds = KINDS,                                \
                                                    .weight = 1,                                   \
                                                    HOW};
#define MEANS(SYMBOL, LOOP, LARGEST, NAME, SUMMARY, REALITY, VALUE, KINDS)                         \
    static int batch_##SYMBOL(void *arg, const struct batch *b, double *value, int *n,             \
                              double *loop)                                                        \
    {                                                                                              \
        return LOOP(arg, b, LARGEST, value, n, loop);                                              \
    }                                                                                              \
    SUITE(SYMBOL, NAME, SUMMARY, REALITY, VALUE, KINDS, .batch = batch_##SYMBOL)
#define OSU "OSU's loop: every call timed, a barrier between two"
#define IMB "IMB's loop: calls in a row, each from the next root"
#define BARRIER_EXITS "OL, with what a barrier's exits are apart on top or taken off"

MEANS(osu, osu, false, "osu", OSU, "not OL: the mean counts ranks that are done early",
      "mean over the ranks of their time in the call", KIND_ANY)
MEANS(osu_max, osu, true, "osu-max", OSU, BARRIER_EXITS,
      "longest of the ranks' mean times in the call", KIND_ANY)
MEANS(imb, imb, false, "imb", IMB, "a gap, not OL: the next begins before the last has ended",
      "mean over the ranks of loop / M", 0)
MEANS(imb_max, imb, true, "imb-max", IMB, "a gap, not OL: the same at the slowest rank",
      "longest of the ranks' loop / M", 0)
SUITE(repro_barrier, "repro-barrier", "ReproMPI's: a barrier, then the call", BARRIER_EXITS,
      "median of the longest time in the call of any rank", KIND_ANY, .batch = batch_repro_barrier)
SUITE(repro_window, "repro-window", "ReproMPI's: the call at an announced moment",
      "OL, if all enter at that moment; as exact as the clocks agree",
      "median of first entry to last exit", KIND_ANY, .run = run_repro_window)
