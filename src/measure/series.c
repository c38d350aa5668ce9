#include "measure/series.h"

#include "base/clock.h"
#include "base/try.h"

#include <math.h>
#include <stdlib.h>

/* A batch gives no value if every operation was dropped. So many of them in a row end the
 * series. */
enum { EMPTY_MAX = 20 };

/* Rank 0 sends this to the others before every batch. */
struct instruction {
    double hold;
    int repetitions; /* 0: the series is over */
    int error;       /* an MPI error code for all, with 0 repetitions */
    int first;
};

/* The state of a series on rank 0. */
struct keeping {
    struct tally tally;
    struct plan plan;
    double started;       /* budget_now() */
    double per_operation; /* seconds in the last batch, with the loop's own overhead */
    int warm;             /* warm-up operations done */
    int repetitions;      /* in the last counted batch */
    bool single;          /* batches give a single value */
    int empty;
    bool counting; /* warm-up is over */
    bool cut;      /* plan.until has passed */
    double *value;
};

/* Seconds left of BUDGET (plan.budget or plan.budget_most). */
static double time_left(const struct keeping *k, double budget)
{
    return k->plan.budget > 0 ? budget - (budget_now() - k->started) : INFINITY;
}

/* Number of warm-up operations in the next batch. The first batch has one, to learn its duration;
 * then the rest follows if it fits into a quarter of the time left. 0: warm-up is over. */
static int warm_up_next(struct keeping *k)
{
    int rest = k->plan.warmup - k->warm;
    if (k->per_operation <= 0)
        return 1;
    if (rest > 0 && k->per_operation * rest < 0.25 * time_left(k, k->plan.budget))
        return rest;
    k->counting = true;
    tally_start(&k->tally, &k->plan);
    k->tally.started = k->started;
    return 0;
}

/* Number of operations that fit into the budget; if these are too few for an interval, into
 * budget_most. A running batch cannot be stopped, and it may take many times longer if the machine
 * becomes busy. So a batch gets at first a tenth of the budget, and then grows step by step. */
static int repetitions_next(const struct keeping *k)
{
    enum { LEAST = SAMPLES_FOR_INTERVAL + 2, LONG = 1000, GROWTH = 20, PARTS = 10 };
    double each = k->per_operation > 0 ? k->per_operation : 1e-9;
    double fits = time_left(k, k->plan.budget) / each;
    if (k->single && k->tally.batch_means.n == 0)
        fits /= SAMPLES_FOR_INTERVAL;
    if (!k->single)
        fits = fmax(fits, fmin(LEAST, time_left(k, k->plan.budget_most) / each));
    if (k->empty) /* a rank was late: the next operations are announced earlier */
        fits /= 2;
    if (k->plan.budget > 0)
        fits = fmin(fits, fmax(LONG, fmin(k->plan.budget / each / PARTS, GROWTH * k->repetitions)));
    return (int)fmax(1, fmin(fits, (double)tally_operations_left(&k->tally)));
}

static struct instruction instruction_next(struct keeping *k, double hold)
{
    struct instruction o = {.hold = hold, .first = 1};
    k->cut = k->plan.until > 0 && clock_now() + 2 * hold > k->plan.until;
    if (k->cut)
        return o;
    if (!k->counting) {
        o.repetitions = warm_up_next(k);
        if (o.repetitions > 0)
            return o;
    }
    if (k->empty < EMPTY_MAX && tally_go_on(&k->tally)) {
        o.repetitions = repetitions_next(k);
        o.first = k->tally.batch_means.n == 0;
    }
    return o;
}

static void batch_done(struct keeping *k, const struct batch *b, int n, double elapsed)
{
    /* A batch makes one untimed operation before the counted ones. */
    k->per_operation = elapsed / (b->repetitions + 1);
    if (!k->counting) {
        k->warm += b->repetitions;
        k->single = b->repetitions > 1 && n == 1;
        return;
    }
    k->empty = n > 0 ? 0 : k->empty + 1;
    if (n == 0)
        return;
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += k->value[i];
    samples_add(&k->tally.batch_means, sum / n);
    k->tally.operations += b->repetitions;
    /* The first operations are faster, until back-pressure reaches the timed rank. */
    size_t first = k->plan.stop == STOP_CI ? stats_transient(k->value, (size_t)n) : 0;
    for (size_t i = first; i < (size_t)n; i++)
        samples_add(&k->tally.samples, k->value[i]);
    k->repetitions = b->repetitions;
}

static int keeping_start(struct keeping *k, const struct plan *plan, double known)
{
    *k = (struct keeping){.plan = *plan,
                          .started = budget_now(),
                          .per_operation = known,
                          .warm = known > 0 ? plan->warmup : 0};
    k->plan.budget_most = fmax(plan->budget, plan->budget_most);
    if (k->plan.repetitions < 1)
        k->plan.repetitions = 1;
    int most = k->plan.repetitions > k->plan.warmup ? k->plan.repetitions : k->plan.warmup;
    k->value = malloc((size_t)most * sizeof *k->value);
    return k->value ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* Moves the samples to S. */
static void keeping_end(struct keeping *k, struct series *s)
{
    struct summary batches = stats_summarize(k->tally.batch_means.value, k->tally.batch_means.n);
    *s = (struct series){.samples = k->tally.samples,
                         .loop_mean = batches.mean,
                         .repetitions = k->repetitions,
                         .per_operation = k->per_operation,
                         .attempts = k->tally.attempts,
                         .over_budget = k->tally.over_budget || k->empty >= EMPTY_MAX || k->cut};
    samples_free(&k->tally.batch_means);
    free(k->value);
}

/* KNOWN: on rank 0, seconds of one operation, which makes a warm-up unnecessary; 0: unknown. */
static int measure(MPI_Comm comm, const struct plan *plan, double hold, double known, batch_run run,
                   void *arg, struct series *s)
{
    int rank, size;
    struct keeping k = {0};
    struct instruction o = {0};
    *s = (struct series){0};
    TRY(PMPI_Comm_rank(comm, &rank));
    TRY(PMPI_Comm_size(comm, &size));
    bool keeps = rank == 0;
    if (keeps)
        o.error = keeping_start(&k, plan, known);
    int error = MPI_SUCCESS;
    for (;;) {
        if (keeps && o.error == MPI_SUCCESS)
            o = instruction_next(&k, hold);
        error = PMPI_Bcast(&o, sizeof o, MPI_BYTE, 0, comm);
        if (error != MPI_SUCCESS || o.repetitions == 0)
            break;
        struct batch b = {.repetitions = o.repetitions, .hold = o.hold, .first = o.first};
        double start = budget_now();
        int n = 0;
        budget_barrier(size); /* every batch begins with one */
        if ((error = run(arg, &b, k.value, &n)) != MPI_SUCCESS)
            break;
        if (keeps)
            batch_done(&k, &b, n, budget_now() - start);
    }
    if (keeps)
        keeping_end(&k, s);
    if (error != MPI_SUCCESS)
        series_free(s);
    return error != MPI_SUCCESS ? error : o.error;
}

int series_measure(MPI_Comm comm, const struct plan *plan, double hold, batch_run run, void *arg,
                   struct series *s)
{
    return measure(comm, plan, hold, 0, run, arg, s);
}

void series_free(struct series *s)
{
    samples_free(&s->samples);
    *s = (struct series){0};
}

struct estimate samples_estimate(const struct samples *of)
{
    struct summary s = stats_summarize(of->value, of->n);
    if (of->n == 0)
        return (struct estimate){NAN, NAN, NAN};
    if (s.effective < SAMPLES_FOR_INTERVAL)
        return (struct estimate){s.median, NAN, NAN};
    return (struct estimate){s.median, s.median_low, s.median_high};
}

bool estimates_differ(struct estimate a, struct estimate b, double tolerance)
{
    double apart = fabs(a.value - b.value);
    double smaller = fmin(fabs(a.value), fabs(b.value));
    return (a.low > b.high || b.low > a.high) && apart > tolerance * smaller;
}

double estimates_difference_most(struct estimate a, struct estimate b)
{
    if (!estimate_has_interval(a) || !estimate_has_interval(b))
        return NAN;
    return fmax(fabs(a.high - b.low), fabs(b.high - a.low));
}

static const double settle_tolerance = 2e-3;

/* Whether the value fell between the last two points. A longer hold cannot raise it: if it seems
 * to, a longer loop met more noise, such as cold caches and other processes. */
static bool curve_falls(const struct curve *c)
{
    struct estimate before = c->point[c->n - 2].at, last = c->point[c->n - 1].at;
    return last.value < before.value && estimates_differ(before, last, settle_tolerance);
}

/* Whether a fall would have been detected: as long as the hold is too short, doubling it lowers the
 * value by as much as the hold grew. */
static bool curve_shows_falls(const struct curve *c)
{
    const struct curve_point *before = &c->point[c->n - 2], *last = &c->point[c->n - 1];
    if (!estimate_has_interval(before->at) || !estimate_has_interval(last->at))
        return false;
    double widths = before->at.high - before->at.low + last->at.high - last->at.low;
    return widths / 2 < (last->hold - before->hold) / 2;
}

/* On rank 0: adds the point of HOLD, measured by ONE, to the curve. Returns whether to measure
 * with a longer hold. Accepts the point, and moves ONE to S, unless the value fell no more: then
 * the point before remains accepted, and ONE is freed. */
static bool curve_take(struct curve *c, struct series *one, struct series *s, double hold,
                       bool has_time)
{
    c->point[c->n++] = (struct curve_point){hold, samples_estimate(&one->samples)};
    if (c->n >= 2 && !curve_falls(c) && curve_shows_falls(c)) {
        c->settled = true;
        series_free(one);
        return false;
    }
    bool few = one->samples.n < SAMPLES_FOR_INTERVAL;
    series_free(s);
    *s = *one;
    c->hold = hold;
    /* Longer holds take longer, so that even fewer samples would fit. */
    return c->n < CURVE_MAX && !(few && c->n >= 2) && has_time;
}

int series_settle(MPI_Comm comm, const struct plan *plan, double first, batch_run run, void *arg,
                  struct series *s, struct curve *curve)
{
    double known = 0, end = budget_now() + plan->budget,
           last = budget_now() + fmax(plan->budget, plan->budget_most);
    int rank, go = 1;
    *s = (struct series){0};
    *curve = (struct curve){.hold = NAN};
    TRY(PMPI_Comm_rank(comm, &rank));
    for (double hold = first; go; hold *= 2) {
        struct series one;
        struct plan half = *plan;
        if (plan->budget > 0) {
            half.budget = fmax((end - budget_now()) / 2, 1e-9);
            half.budget_most = fmax(last - budget_now(), 1e-9);
        }
        int error = measure(comm, &half, hold, known, run, arg, &one);
        known = one.per_operation + hold;
        double now = budget_now();
        bool has_time =
            plan->budget <= 0 || end - now > 0.05 * plan->budget || (curve->n < 1 && now < last);
        if (error == MPI_SUCCESS && rank == 0)
            go = curve_take(curve, &one, s, hold, has_time);
        if (error == MPI_SUCCESS)
            error = PMPI_Bcast(&go, 1, MPI_INT, 0, comm);
        if (error != MPI_SUCCESS) {
            series_free(s);
            return error;
        }
    }
    return MPI_SUCCESS;
}
