/* What the loops of other benchmark suites make of the same broadcasts, to be seen beside OL: OSU's
 * micro-benchmarks, the Intel MPI Benchmarks (as their guide describes them), ReproMPI. As they do,
 * all broadcast the same data again and again. */
#include "measure/bcast/bcast_inner.h"
#include "sync/harmonize.h"

#include <math.h>

struct suite {
    struct bcast_run *run;
    struct bcast_result *result;
    /* What a rank says of a batch: its mean of one broadcast. */
    int (*loop)(const struct bcast_run *r, int repetitions, double *mean);
    bool largest; /* of the ranks' means is the figure; otherwise their mean */
};

/* Each call by itself, with a barrier between two. */
static int loop_osu(const struct bcast_run *r, int repetitions, double *mean)
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

/* All calls in a row, after two barriers, from the next root each. */
static int loop_imb(const struct bcast_run *r, int repetitions, double *mean)
{
    TRY(PMPI_Barrier(r->c->comm));
    TRY(PMPI_Barrier(r->c->comm));
    double start = clock_now();
    for (int k = 0; k < repetitions; k++)
        TRY(run_once(r, (r->c->root + k) % r->size));
    *mean = (clock_now() - start - r->clock_cost) / repetitions;
    return MPI_SUCCESS;
}

static int batch_means(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    const struct suite *s = arg;
    const struct bcast_run *r = s->run;
    double mine, all = 0;
    TRY(s->loop(r, b->repetitions, &mine));
    if (s->loop == loop_imb) {
        s->result->asked = r->size;
        if (b->first || b->repetitions < s->result->measured)
            s->result->measured = b->repetitions < r->size ? b->repetitions : r->size;
    }
    TRY(PMPI_Reduce(&mine, &all, 1, MPI_DOUBLE, s->largest ? MPI_MAX : MPI_SUM, r->c->root,
                    r->c->comm));
    if (r->roots) {
        *loop = value[0] = s->largest ? all : all / r->size;
        *n = 1;
    }
    return MPI_SUCCESS;
}

#define MEANS(symbol, function, most)                                                              \
    static int run_##symbol(struct bcast_run *r, struct bcast_result *result)                      \
    {                                                                                              \
        return run_one_series(r, batch_means, &(struct suite){r, result, function, most}, result); \
    }
MEANS(osu, loop_osu, false)
MEANS(osu_max, loop_osu, true)
MEANS(imb, loop_imb, false)
MEANS(imb_max, loop_imb, true)

/* A barrier, then the call: of each operation the longest time in the call. */
static int batch_barrier(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    const struct bcast_run *r = arg;
    for (int k = 0; k < b->repetitions; k++) {
        TRY(PMPI_Barrier(r->c->comm));
        double start = clock_now();
        TRY(run_once(r, r->c->root));
        r->scratch[k] = clock_now() - start - r->clock_cost;
    }
    TRY(PMPI_Reduce(r->scratch, value, b->repetitions, MPI_DOUBLE, MPI_MAX, r->c->root,
                    r->c->comm));
    *n = b->repetitions;
    *loop = 0;
    for (int k = 0; r->roots && k < *n; k++)
        *loop += value[k] / *n;
    return MPI_SUCCESS;
}

static int run_repro_barrier(struct bcast_run *r, struct bcast_result *result)
{
    return run_one_series(r, batch_barrier, r, result);
}

struct window {
    struct bcast_run *run;
    struct harmony start;
    double length; /* of a window, seconds */
    int dropped;   /* the root's: operations that some rank was late for */
};

/* Every operation begins in a window of its own: first entry to last exit on the common clock. Who
 * comes too late for one says so by an exit that never is. */
static int batch_windows(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    struct window *w = arg;
    const struct bcast_run *r = w->run;
    double *mine = r->scratch;
    TRY(harmonize(&w->start));
    for (int k = 0; k < b->repetitions; k++) {
        bool late = k ? !sync_wait(w->start.clock, w->start.begin + k * w->length) : w->start.late;
        mine[2 * k] = -sync_now(w->start.clock);
        TRY(run_once(r, r->c->root));
        mine[2 * k + 1] = late ? INFINITY : sync_now(w->start.clock);
    }
    TRY(PMPI_Reduce(r->roots ? MPI_IN_PLACE : mine, mine, 2 * b->repetitions, MPI_DOUBLE, MPI_MAX,
                    r->c->root, r->c->comm));
    *n = 0;
    *loop = 0;
    for (int k = 0; r->roots && k < b->repetitions; k++) {
        double seconds = mine[2 * k] + mine[2 * k + 1] - r->clock_cost;
        if (isfinite(seconds))
            *loop += value[(*n)++] = seconds;
    }
    *loop /= *n;
    w->dropped = (b->first ? 0 : w->dropped) + b->repetitions - *n;
    return MPI_SUCCESS;
}

/* A window holds four broadcasts, as long as the slowest rank took for one. */
static int run_repro_window(struct bcast_run *r, struct bcast_result *result)
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
    TRY(run_one_series(r, batch_windows, &w, result));
    result->dropped = w.dropped;
    return clock ? sync_check(clock, r->c->comm, &result->clock_bound) : MPI_SUCCESS;
}

#define SUITE(symbol, NAME, SUMMARY, REALITY, VALUE, OTHERS)                                       \
    const struct bcast_method bcast_##symbol = {.name = NAME,                                      \
                                                .summary = SUMMARY,                                \
                                                .reality = REALITY,                                \
                                                .value = VALUE,                                    \
                                                .meaning = BCAST_SUITE,                            \
                                                .others = OTHERS,                                  \
                                                .weight = 1,                                       \
                                                .run = run_##symbol};
#define OSU "OSU's loop: every call timed, a barrier between two"
#define IMB "IMB's loop: calls in a row, each from the next root"

SUITE(osu, "osu", OSU, "not OL: the mean counts ranks that are done early",
      "mean over the ranks of their time in the call", BCAST_ANY_KIND)
SUITE(osu_max, "osu-max", OSU, "OL, with what a barrier's exits are apart on top or taken off",
      "longest of the ranks' mean times in the call", BCAST_ANY_KIND)
SUITE(imb, "imb", IMB, "a gap, not OL: the next broadcast begins before the last has ended",
      "mean over the ranks of loop / M", 0)
SUITE(imb_max, "imb-max", IMB, "a gap, not OL: the same at the slowest rank",
      "longest of the ranks' loop / M", 0)
SUITE(repro_barrier, "repro-barrier", "ReproMPI's: a barrier, then the call",
      "OL, with what a barrier's exits are apart on top or taken off",
      "median of the longest time in the call of any rank", BCAST_ANY_KIND)
SUITE(repro_window, "repro-window", "ReproMPI's: the call at an announced moment",
      "OL, if all enter at that moment; as exact as the clocks agree",
      "median of first entry to last exit", BCAST_ANY_KIND)
