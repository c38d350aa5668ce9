/* All destinations at once: g_j, and exits seen directly on one clock. */
#include "measure/bcast/run.h"

#include <math.h>
#include <stdlib.h>

/* Back-to-back broadcasts, the loop timed at every rank. VALUE is the largest g_j. */
static int gather_gaps(struct bcast_run *r, const struct batch *b, double mine, double *value)
{
    double *all = r->per_rank;
    TRY(PMPI_Gather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, r->c->root, r->c->comm));
    if (!r->roots)
        return MPI_SUCCESS;
    value[0] = 0;
    for (int j = 0; j < r->size; j++) {
        if (b->first)
            r->to[j].gap_raw.n = 0;
        samples_add(&r->to[j].gap_raw, all[j]);
        value[0] = fmax(value[0], all[j]);
    }
    return MPI_SUCCESS;
}

static int batch_gap(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    struct bcast_run *r = arg;
    TRY(PMPI_Barrier(r->c->comm));
    TRY(run_once(r, r->c->root));
    double start = clock_now();
    for (int k = 0; k < b->repetitions; k++)
        TRY(run_once(r, r->c->root));
    double mine = (clock_now() - start - r->clock_cost) / b->repetitions;
    TRY(gather_gaps(r, b, mine, value));
    if (r->roots) {
        *loop = value[0];
        *n = 1;
    }
    return MPI_SUCCESS;
}

/* A gap of 0 (no broadcast is that fast, but a clock may be coarse) could not be doubled. */
static const double gap_least = 1e-7;

static int measure_gap(struct bcast_run *r, double share, struct series *s)
{
    TRY(run_series(r, share, batch_gap, s));
    for (int j = 0; r->roots && j < r->size; j++) {
        struct summary g = stats_summarize(r->to[j].gap_raw.value, r->to[j].gap_raw.n);
        r->to[j].gap = (struct estimate){g.median, g.median_low, g.median_high};
        r->gap = fmax(fmax(r->gap, g.min), gap_least);
    }
    return MPI_SUCCESS;
}

int run_gap_once(struct bcast_run *r, double share)
{
    struct series s;
    int known = r->gap > 0;
    TRY(PMPI_Bcast(&known, 1, MPI_INT, r->c->root, r->c->comm));
    if (known)
        return MPI_SUCCESS;
    TRY(measure_gap(r, share, &s));
    series_free(&s);
    return MPI_SUCCESS;
}

int run_gap(struct bcast_run *r, struct bcast_result *result)
{
    struct series s;
    TRY(measure_gap(r, run_part(r, 1), &s));
    result_from_series(result, &s);
    for (int j = 0; r->roots && j < r->size; j++)
        if (result->slowest < 0 || r->to[j].gap.value > r->to[result->slowest].gap.value)
            result->slowest = j;
    result->asked = result->measured = r->size;
    return MPI_SUCCESS;
}

/* "direct" in progress. Stamps are pairs of entry and exit on the common clock. */
struct direct {
    struct bcast_run *run;
    double *all;     /* on the root: SIZE blocks of a batch's stamps */
    double slack;    /* on the root: the least to wait for the others */
    double quickest; /* on the root: barrier */
    int dropped;
};

/* How long the root waits for every rank to be inside: twice the barrier that it has just seen,
 * which holds the others' skew; but a barrier far slower than the quickest was disturbed, and says
 * nothing of what is to come. */
static double patience(struct direct *d, double barrier)
{
    d->quickest = d->quickest > 0 ? fmin(d->quickest, barrier) : barrier;
    return fmax(d->slack, 2 * fmin(barrier, 4 * d->quickest));
}

static int take_stamps(struct direct *d, int repetitions, double *mine)
{
    struct bcast_run *r = d->run;
    for (int k = 0; k < repetitions; k++) {
        double start = clock_now();
        TRY(PMPI_Barrier(r->c->comm));
        run_refresh(r, 0);
        if (r->roots)
            clock_hold(patience(d, clock_now() - start));
        mine[2 * k] = run_global(r, clock_now());
        TRY(run_once(r, r->c->root));
        mine[2 * k + 1] = run_global(r, clock_now());
    }
    return MPI_SUCCESS;
}

/* Whether every rank was inside before the root in operation K. */
static bool all_in_time(const struct direct *d, int k, int repetitions)
{
    const struct bcast_run *r = d->run;
    double root_entry = d->all[2 * ((size_t)r->c->root * repetitions + k)];
    for (int i = 0; i < r->size; i++)
        if (i != r->c->root && d->all[2 * ((size_t)i * repetitions + k)] > root_entry)
            return false;
    return true;
}

/* The latest exit of operation K of a destination; every rank's exit goes to its samples. */
static double take_exits(const struct direct *d, int k, int repetitions)
{
    const struct bcast_run *r = d->run;
    double root_entry = d->all[2 * ((size_t)r->c->root * repetitions + k)], last = 0;
    for (int i = 0; i < r->size; i++) {
        double exit = d->all[2 * ((size_t)i * repetitions + k) + 1] - root_entry - r->clock_cost;
        samples_add(&r->to[i].direct_raw, exit);
        if (i != r->c->root)
            last = fmax(last, exit);
    }
    return last;
}

static void evaluate_stamps(struct direct *d, const struct batch *b, double *value, int *n,
                            double *loop)
{
    struct bcast_run *r = d->run;
    double sum = 0;
    if (b->first) {
        d->dropped = 0;
        for (int i = 0; i < r->size; i++)
            r->to[i].direct_raw.n = 0;
    }
    *n = 0;
    for (int k = 0; k < b->repetitions; k++) {
        if (!all_in_time(d, k, b->repetitions))
            continue;
        value[*n] = take_exits(d, k, b->repetitions);
        sum += value[(*n)++];
    }
    *loop = sum / *n;
    d->dropped += b->repetitions - *n;
    if (*n < b->repetitions)
        d->slack = fmin(2 * d->slack, 0.1);
}

static int batch_direct(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    struct direct *d = arg;
    struct bcast_run *r = d->run;
    int stamps = 2 * b->repetitions;
    TRY(take_stamps(d, b->repetitions, r->scratch));
    TRY(PMPI_Gather(r->scratch, stamps, MPI_DOUBLE, d->all, stamps, MPI_DOUBLE, r->c->root,
                    r->c->comm));
    if (r->roots)
        evaluate_stamps(d, b, value, n, loop);
    return MPI_SUCCESS;
}

/* The bound is each rank's own; two ranks may be off in opposite directions. */
static int clock_bound(const struct bcast_run *r, double *bound)
{
    double mine = r->c->clock ? sync_bound(r->c->clock, clock_now()) : 0, worst;
    TRY(PMPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE, MPI_MAX, r->c->comm));
    *bound = 2 * worst;
    return MPI_SUCCESS;
}

/* The figure is the largest of the destinations' medians, to be compared with "held". What one
 * operation took, to its own last exit, is in the series. */
static void direct_keep(struct direct *d, struct bcast_result *result)
{
    struct bcast_run *r = d->run;
    for (int i = 0; i < r->size; i++) {
        struct bcast_destination *to = &r->to[i];
        struct summary s = stats_summarize(to->direct_raw.value, to->direct_raw.n);
        to->direct = (struct estimate){s.median, s.median_low, s.median_high};
        if (i == r->c->root || s.n == 0)
            continue;
        result->measured++;
        if (result->slowest < 0 || s.median > result->value.value) {
            result->value = to->direct;
            result->slowest = i;
        }
    }
    result->asked = r->size - 1;
    result->dropped = d->dropped;
}

static const double slack_least = 10e-6;

int run_direct(struct bcast_run *r, struct bcast_result *result)
{
    const struct plan *plan = &r->c->plan;
    struct series s;
    struct direct d = {.run = r, .slack = slack_least};
    int most = plan->repetitions > plan->warmup ? plan->repetitions : plan->warmup;
    if (r->roots)
        d.all = malloc(2 * (size_t)most * (size_t)r->size * sizeof *d.all);
    int have = !r->roots || d.all, all;
    int error = PMPI_Allreduce(&have, &all, 1, MPI_INT, MPI_MIN, r->c->comm);
    if (error == MPI_SUCCESS)
        error = all ? series_measure(r->c->comm, r->c->root, plan, run_part(r, 1), 0, batch_direct,
                                     &d, &s)
                    : MPI_ERR_NO_MEM;
    free(d.all);
    TRY(error);
    result_from_series(result, &s);
    if (r->roots)
        direct_keep(&d, result);
    return clock_bound(r, &result->clock_bound);
}
