/* Exits seen directly on one clock, all destinations at once. */
#include "measure/bcast/run.h"
#include "measure/stamps.h"

#include <math.h>

struct direct {
    struct bcast_run *run;
    struct stamps stamps;
    double quickest; /* on the root: barrier */
};

/* How long the root waits for every rank to be inside: twice the barrier that it has just seen,
 * which holds the others' skew; but a barrier far slower than the quickest was disturbed, and says
 * nothing of what is to come. */
static double patience(struct direct *d, double barrier)
{
    d->quickest = d->quickest > 0 ? fmin(d->quickest, barrier) : barrier;
    return fmax(d->stamps.slack, 2 * fmin(barrier, 4 * d->quickest));
}

/* A quiet start: the root enters when the others are inside. */
static int start_quietly(struct stamps *s, bool *late)
{
    struct direct *d = s->arg;
    struct bcast_run *r = d->run;
    (void)late; /* seen afterwards, in the stamps */
    double start = clock_now();
    TRY(PMPI_Barrier(s->comm));
    run_refresh(r, 0);
    if (r->roots)
        clock_hold(patience(d, clock_now() - start));
    return MPI_SUCCESS;
}

static int operation(void *arg)
{
    const struct direct *d = arg;
    return run_operation(d->run);
}

/* Whether every rank was inside before the root in operation K. */
static bool all_in_time(const struct direct *d, int k)
{
    const struct stamps *s = &d->stamps;
    double root_entry = stamp_of(s, s->keeper, k)->entry;
    for (int i = 0; i < s->size; i++)
        if (i != s->keeper && stamp_of(s, i, k)->entry > root_entry)
            return false;
    return true;
}

/* The latest exit of operation K of a destination; every rank's exit goes to its samples. */
static double take_exits(const struct direct *d, int k)
{
    const struct bcast_run *r = d->run;
    const struct stamps *s = &d->stamps;
    double root_entry = stamp_of(s, s->keeper, k)->entry, last = 0;
    for (int i = 0; i < r->size; i++) {
        double exit = stamp_of(s, i, k)->exit - root_entry - r->clock_cost;
        samples_add(&r->result->figure[i].timed[TIMED_OPERATION].raw, exit);
        if (i != s->keeper)
            last = fmax(last, exit);
    }
    return last;
}

static void evaluate(struct direct *d, const struct batch *b, double *value, int *n, double *loop)
{
    struct bcast_run *r = d->run;
    double sum = 0;
    for (int i = 0; b->first && i < r->size; i++)
        r->result->figure[i].timed[TIMED_OPERATION].raw.n = 0;
    *n = 0;
    for (int k = 0; k < b->repetitions; k++) {
        if (!all_in_time(d, k))
            continue;
        value[*n] = take_exits(d, k);
        sum += value[(*n)++];
    }
    *loop = sum / *n;
    stamps_count(&d->stamps, b->first, *n);
}

static int batch_direct(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    struct direct *d = arg;
    TRY(stamps_take(&d->stamps, b->repetitions));
    if (d->run->roots)
        evaluate(d, b, value, n, loop);
    return MPI_SUCCESS;
}

/* The figure is the largest of the destinations' medians, to be compared with "held". What one
 * operation took, to its own last exit, is in the series. */
static void keep(struct direct *d, struct bcast_result *result)
{
    struct bcast_run *r = d->run;
    for (int i = 0; i < r->size; i++) {
        struct bcast_figure *f = &result->figure[i];
        struct bcast_timed *t = &f->timed[TIMED_OPERATION];
        struct summary s = stats_summarize(t->raw.value, t->raw.n);
        f->value = t->at = (struct estimate){s.median, s.median_low, s.median_high};
        if (i == r->c->root || s.n == 0)
            continue;
        result->measured++;
        if (result->slowest < 0 || s.median > result->value.value) {
            result->value = f->value;
            result->slowest = i;
        }
    }
    result->asked = r->size - 1;
    result->dropped = d->stamps.dropped;
}

static const double slack_least = 10e-6;

static int run(struct bcast_run *r, struct bcast_result *result)
{
    struct direct d = {.run = r,
                       .stamps = {.comm = r->c->comm,
                                  .keeper = r->c->root,
                                  .clock = r->c->clock,
                                  .start = start_quietly,
                                  .operation = operation,
                                  .slack = slack_least}};
    d.stamps.arg = &d;
    int error = stamps_open(&d.stamps, &r->c->plan);
    if (error == MPI_SUCCESS)
        error = run_one_series(r, batch_direct, &d, result);
    if (error == MPI_SUCCESS && r->roots)
        keep(&d, result);
    stamps_close(&d.stamps);
    TRY(error);
    return stamps_bound(&d.stamps, &result->clock_bound);
}

static double value_of(const struct bcast_figure *f)
{
    return f->value.value;
}

static const struct bcast_column columns[] = {
    {"direct", "exit - entry of the root, on one clock", value_of, NULL},
    {0},
};

const struct bcast_method bcast_direct = {
    .name = "direct",
    .summary = "exit of i minus entry of the root, on one clock, from a quiet start",
    .reality = "OL_i, as exact as the clocks agree",
    .value = "largest OL_i, median",
    .meaning = BCAST_LATENCY,
    .columns = columns,
    .weight = 1,
    .run = run,
};
