/* Exits seen directly on one clock, all destinations at once. */
#include "measure/bcast/bcast_inner.h"
#include "measure/stamps.h"

#include <math.h>
#include <stdlib.h>

struct direct {
    struct bcast_run *run;
    struct stamps stamps;
    struct samples *exits; /* on the root: by rank */
    double quickest;       /* on the root: barrier */
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
    TRY(run_barrier(r));
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

/* By how much the last rank was inside later than the root in operation K; 0: all were in time. */
static double late_by(const struct direct *d, int k)
{
    const struct stamps *s = &d->stamps;
    double root_entry = stamp_of(s, s->keeper, k)->entry, late = 0;
    for (int i = 0; i < s->size; i++)
        late = fmax(late, stamp_of(s, i, k)->entry - root_entry);
    return late;
}

/* The latest exit of operation K of a destination; every rank's exit goes to its samples. */
static double take_exits(const struct direct *d, int k)
{
    const struct bcast_run *r = d->run;
    const struct stamps *s = &d->stamps;
    double root_entry = stamp_of(s, s->keeper, k)->entry, last = 0;
    for (int i = 0; i < r->size; i++) {
        double exit = stamp_of(s, i, k)->exit - root_entry - r->clock_cost;
        samples_add(&d->exits[i], exit);
        if (i != s->keeper)
            last = fmax(last, exit);
    }
    return last;
}

static void evaluate(struct direct *d, const struct batch *b, double *value, int *n, double *loop)
{
    struct bcast_run *r = d->run;
    struct samples lateness = {0};
    double sum = 0;
    for (int i = 0; b->first && i < r->size; i++)
        d->exits[i].n = 0;
    *n = 0;
    for (int k = 0; k < b->repetitions; k++) {
        double late = late_by(d, k);
        samples_add(&lateness, late);
        if (late > 0)
            continue;
        value[*n] = take_exits(d, k);
        sum += value[(*n)++];
    }
    *loop = sum / *n;
    stamps_count(&d->stamps, b->first, *n, stats_median(lateness.value, lateness.n));
    samples_free(&lateness);
}

static int batch_direct(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    struct direct *d = arg;
    TRY(stamps_take(&d->stamps, b->repetitions));
    if (d->run->roots)
        evaluate(d, b, value, n, loop);
    return MPI_SUCCESS;
}

/* How often which destination was the last to leave. */
static void keep_last(const struct direct *d, struct bcast_result *result)
{
    const struct bcast_run *r = d->run;
    size_t n = d->exits[0].n;
    for (int i = 0; i < r->size; i++) {
        n = d->exits[i].n < n ? d->exits[i].n : n; /* where memory was short */
        result->figure[i].last = 0;
    }
    for (size_t k = 0; k < n; k++) {
        int last = r->c->root == 0;
        for (int i = 0; i < r->size; i++)
            if (i != r->c->root && d->exits[i].value[k] > d->exits[last].value[k])
                last = i;
        result->figure[last].last += 100 / (double)n;
    }
}

/* The figure is the largest of the destinations' medians, to be compared with "held". What one
 * operation took, to its own last exit, is in the series. */
static void keep(struct direct *d, struct bcast_result *result)
{
    struct bcast_run *r = d->run;
    const struct estimate none = {NAN, NAN, NAN};
    result->value = none;
    keep_last(d, result);
    for (int i = 0; i < r->size; i++) {
        struct bcast_figure *f = &result->figure[i];
        struct bcast_timed *t = &f->timed[TIMED_OPERATION];
        t->raw = d->exits[i];
        d->exits[i] = (struct samples){0};
        f->value = t->at = samples_estimate(&t->raw);
        if (i == r->c->root || !estimate_known(f->value))
            continue;
        result->measured++;
        if (f->value.value <= 0) { /* it left before the root came: nothing was sent */
            f->value = none;
            result->impossible++;
            continue;
        }
        if (result->slowest < 0 || f->value.value > result->value.value) {
            result->value = f->value;
            result->slowest = i;
        }
    }
    result->asked = r->size - 1;
    result->dropped = d->stamps.dropped;
}

static const double slack_least = 10e-6;

/* Must be closed, also after an error. */
static int direct_open(struct direct *d, struct bcast_run *r, const struct plan *plan)
{
    *d = (struct direct){.run = r,
                         .stamps = {.comm = r->c->comm,
                                    .keeper = r->c->root,
                                    .clock = r->c->clock,
                                    .start = start_quietly,
                                    .operation = operation,
                                    .slack = fmax(slack_least, r->scout.slack)}};
    d->stamps.arg = d;
    d->exits = r->roots ? calloc((size_t)r->size, sizeof *d->exits) : NULL;
    TRY(stamps_open(&d->stamps, plan));
    return crew_agree(r->c->comm, d->exits || !r->roots);
}

static void direct_close(struct direct *d)
{
    for (int i = 0; d->exits && i < d->run->size; i++)
        samples_free(&d->exits[i]);
    free(d->exits);
    stamps_close(&d->stamps);
}

static int run(struct bcast_run *r, struct bcast_result *result)
{
    struct direct d;
    int error = direct_open(&d, r, &r->c->plan);
    if (error == MPI_SUCCESS)
        error = run_one_series(r, batch_direct, &d, result);
    if (error == MPI_SUCCESS && r->roots)
        keep(&d, result);
    if (error == MPI_SUCCESS)
        error = stamps_bound(&d.stamps, &result->clock_bound);
    direct_close(&d);
    return error;
}

static int look(struct bcast_run *r, struct direct *d)
{
    enum { ATTEMPTS = 4 };
    struct batch b = {.repetitions = SCOUT_LOOKS, .first = true};
    double value[SCOUT_LOOKS], loop;
    int n = 0, again = 1;
    for (int k = 0; k < ATTEMPTS && again; k++) {
        TRY(batch_direct(d, &b, value, &n, &loop));
        again = n == 0;
        TRY(PMPI_Bcast(&again, 1, MPI_INT, r->c->root, r->c->comm));
    }
    size_t size = (size_t)r->size, all = (size_t)n * size;
    r->scout = (struct scout){.looks = n,
                              .size = r->size,
                              .barrier = d->quickest + budget_of_barrier(r->size),
                              .slack = d->stamps.slack};
    TRY(stamps_bound(&d->stamps, &r->scout.error));
    r->scout.clocks = d->stamps.took;
    if (r->roots && n > 0)
        r->scout.exit = calloc(SCOUT_LOOKS * size, sizeof *r->scout.exit);
    for (size_t k = 0; r->scout.exit && k < all; k++)
        r->scout.exit[k] = d->exits[k % size].value[k / size];
    return MPI_SUCCESS;
}

int run_scout(struct bcast_run *r)
{
    struct direct d;
    int error = direct_open(&d, r, &(struct plan){.repetitions = SCOUT_LOOKS});
    if (error == MPI_SUCCESS)
        error = look(r, &d);
    direct_close(&d);
    return error == MPI_SUCCESS && !sync_shows_ways(r->c->clock) ? run_scout_ways(r) : error;
}

/* Of each operation a barrier, the patience after it, and the silence; a point of the clocks before
 * them, and one after. */
static double least(const struct bcast_run *r, int i)
{
    enum { OPERATIONS = 8 };
    return OPERATIONS * (3 * r->scout.barrier + run_costs(r, i) + 1.25 * scouted(&r->scout, i)) +
           2 * r->scout.clocks;
}

static double last_of(const struct bcast_figure *f)
{
    return f->last;
}

static const struct bcast_column columns[] = {
    {"direct", "exit - entry of the root, on one clock", figure_seconds, NULL, NULL},
    {"last", "of the operations of direct, those in which it left last", last_of, NULL, "%"},
    {0},
};

const struct bcast_method bcast_direct = {
    .name = "direct",
    .summary = "exit of i minus entry of the root, on one clock, from a quiet start",
    .reality = "the latency to each destination (OL_i), as exact as the clocks agree",
    .value = "largest OL_i",
    .meaning = BCAST_LATENCY,
    .columns = columns,
    .weight = 1,
    .least = least,
    .run = run,
};
