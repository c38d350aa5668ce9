#include "measure/series.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/try.h"

#include <math.h>
#include <stdlib.h>

struct plan plan_default(void)
{
    return (struct plan){.repetitions = 100,
                         .stop = STOP_CI,
                         .repeats_min = 1,
                         .repeats_max = 30,
                         .budget = 10,
                         .warmup = 5};
}

const char *const plan_stop_names[] = {
    [STOP_CI] = "ci", [STOP_PAPER] = "paper", [STOP_FIXED] = "fixed", NULL};

static double simulators_time; /* seconds; no lock, since a simulation has one thread */

/* The simulator needs about 10 us for a message, and 10 us more for every 256 ranks, since it
 * searches the pending receives of each rank. */
void budget_messages(int n, int ranks)
{
    if (clock_source == CLOCK_SOURCE_EXTERNAL)
        simulators_time += n * 10e-6 * (1 + ranks / 256.0);
}

void budget_barrier(int ranks)
{
    budget_messages(2 * (ranks - 1), ranks);
}

double budget_now(void)
{
    return clock_now() + simulators_time;
}

/* If memory is short, the sample is lost: better than to end an application that is profiled. */
void samples_add(struct samples *s, double value)
{
    if (array_has_room((struct array *)s, sizeof value))
        s->value[s->n++] = value;
}

void samples_free(struct samples *s)
{
    free(s->value);
    *s = (struct samples){0};
}

struct summary samples_summary(const struct samples *s)
{
    return stats_summarize(s->value, s->n);
}

/* --- the series --- */

/* A batch has no value if all of its operations were discarded, as by the method "direct" if a rank
 * entered late. EMPTY_MAX such batches in a row end the series. */
enum { EMPTY_MAX = 20 };

/* STOP_PAPER tests the standard deviation of at least PAPER_REPEATS_MIN means. It discards the
 * means at most PAPER_ATTEMPTS_MAX times, so as to end even on a noisy machine without a budget. */
enum { PAPER_REPEATS_MIN = 8, PAPER_ATTEMPTS_MAX = 50 };

/* STOP_CI: half of the interval's width, as a share of the median. For medians below 250 ns the
 * limit is 5 ns, half a unit of the last printed digit, since 2 % of such a median are less than a
 * clock resolves. */
static const double ci_width = 0.02, width_least = 5e-9;

/* STOP_PAPER: standard deviation as a share of the mean. */
static const double sd_limit = 0.03;

/* Rank 0 sends this to the others before every batch. With 0 repetitions the series is over, and
 * all ranks return ERROR. */
struct instruction {
    struct batch batch;
    int error;
};

/* The state of a series on rank 0. */
struct keeping {
    struct plan plan;
    struct series *s;
    struct samples means; /* mean of each batch: the paper's samples */
    long operations;      /* operations in all batches after the warm-up */
    double started;       /* budget_now() */
    int warm;             /* warm-up operations done */
    bool single;          /* each batch gives a single value */
    int empty;            /* batches in a row without a value */
    bool counting;        /* the warm-up is over */
    int attempts;         /* for STOP_PAPER: attempts so far */
    double *value;        /* values of the batch in progress */
};

/* Seconds left of BUDGET (plan.budget or plan.budget_most). */
static double time_left(const struct keeping *k, double budget)
{
    return k->plan.budget > 0 ? budget - (budget_now() - k->started) : INFINITY;
}

/* --- when the series ends --- */

static bool interval_is_narrow(const struct keeping *k)
{
    struct summary s = samples_summary(&k->s->samples);
    return s.effective >= SAMPLES_FOR_INTERVAL &&
           s.median_high - s.median_low <= 2 * fmax(ci_width * s.median, width_least);
}

static bool paper_is_content(const struct keeping *k)
{
    struct summary s = samples_summary(&k->means);
    return s.n >= PAPER_REPEATS_MIN && s.n >= (size_t)k->plan.repeats_min &&
           s.sd <= sd_limit * s.mean;
}

static bool paper_wants_more(struct keeping *k)
{
    size_t n = k->means.n;
    if (paper_is_content(k))
        return false;
    if (n < PAPER_REPEATS_MIN || n < (size_t)k->plan.repeats_max)
        return true;
    if (k->attempts >= PAPER_ATTEMPTS_MAX) {
        k->s->over_budget = true;
        return false;
    }
    k->attempts++;
    k->s->samples.n = k->means.n = 0;
    return true;
}

static long operations_left(const struct keeping *k)
{
    long left = (long)k->plan.repeats_min * k->plan.repetitions - k->operations;
    return k->plan.stop == STOP_FIXED && left < k->plan.repetitions ? left : k->plan.repetitions;
}

static bool wants_more(struct keeping *k)
{
    size_t batches = k->means.n;
    if (k->plan.stop == STOP_PAPER)
        return paper_wants_more(k);
    if (k->plan.stop == STOP_FIXED)
        return operations_left(k) > 0;
    if (batches < (size_t)k->plan.repeats_min)
        return true;
    return batches < (size_t)k->plan.repeats_max && !interval_is_narrow(k);
}

/* Whether the median has a 95 % interval. If four times the samples that an interval needs gave
 * none, they are autocorrelated, and more would not help: the result is true, too. */
static bool has_interval(const struct keeping *k)
{
    struct summary s = samples_summary(&k->s->samples);
    return s.effective >= SAMPLES_FOR_INTERVAL || s.n >= 4 * (size_t)SAMPLES_FOR_INTERVAL;
}

static bool is_spent(const struct keeping *k)
{
    return time_left(k, k->plan.budget) <= 0 && k->means.n > 0 &&
           (time_left(k, k->plan.budget_most) <= 0 || has_interval(k));
}

/* Whether to run another batch. The budget is checked before the stop rule, since STOP_PAPER may
 * reject the attempt in progress, and without time for another one there would be no result. */
static bool goes_on(struct keeping *k)
{
    if (!is_spent(k))
        return wants_more(k);
    k->s->over_budget = k->plan.stop == STOP_PAPER ? !paper_is_content(k) : wants_more(k);
    return false;
}

/* --- batches --- */

/* Number of warm-up operations in the next batch; 0: the warm-up is over. The first batch is one
 * operation, whose duration shows whether the rest fits into a quarter of the time left. */
static int warm_up_next(struct keeping *k)
{
    int rest = k->plan.warmup - k->warm;
    if (k->s->per_operation <= 0)
        return 1;
    if (rest > 0 && k->s->per_operation * rest < 0.25 * time_left(k, k->plan.budget))
        return rest;
    k->counting = true;
    k->attempts = 1;
    return 0;
}

/* Number of operations in the next batch: those that fit into the budget, or, if they are too few
 * for an interval, into budget_most. A batch cannot be interrupted and may take many times longer
 * if the machine becomes busy: beyond 1000 operations it gets at most a tenth of the budget, and 20
 * times the operations of the batch before. */
static int repetitions_next(const struct keeping *k)
{
    enum { LEAST = SAMPLES_FOR_INTERVAL + 2, LONG = 1000, GROWTH = 20, PARTS = 10 };
    double each = k->s->per_operation > 0 ? k->s->per_operation : 1e-9;
    double fits = time_left(k, k->plan.budget) / each;
    if (k->single && k->means.n == 0)
        fits /= SAMPLES_FOR_INTERVAL;
    if (!k->single)
        fits = fmax(fits, fmin(LEAST, time_left(k, k->plan.budget_most) / each));
    if (k->empty) /* a rank was late, and harmonize() will wait longer before each operation */
        fits /= 2;
    if (k->plan.budget > 0)
        fits =
            fmin(fits, fmax(LONG, fmin(k->plan.budget / each / PARTS, GROWTH * k->s->repetitions)));
    return (int)fmax(1, fmin(fits, (double)operations_left(k)));
}

static struct instruction instruction_next(struct keeping *k, double hold)
{
    struct instruction o = {.batch = {.hold = hold, .first = true}};
    bool cut = k->plan.until > 0 && clock_now() + 2 * hold > k->plan.until;
    if (cut || k->empty >= EMPTY_MAX) {
        k->s->over_budget = true;
        return o;
    }
    if (!k->counting) {
        o.batch.repetitions = warm_up_next(k);
        if (o.batch.repetitions > 0)
            return o;
    }
    if (goes_on(k)) {
        o.batch.repetitions = repetitions_next(k);
        o.batch.first = k->means.n == 0;
    }
    return o;
}

static void batch_done(struct keeping *k, const struct batch *b, int n, double elapsed)
{
    /* ELAPSED includes the first operation of most batches, which is not among the repetitions. */
    k->s->per_operation = elapsed / (b->repetitions + 1);
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
    samples_add(&k->means, sum / n);
    k->operations += b->repetitions;
    /* Sends are faster until the library's buffers are full: samples before that are left out. */
    size_t first = k->plan.stop == STOP_CI ? stats_transient(k->value, (size_t)n) : 0;
    for (size_t i = first; i < (size_t)n; i++)
        samples_add(&k->s->samples, k->value[i]);
    k->s->repetitions = b->repetitions;
}

static int keeping_start(struct keeping *k, const struct plan *plan, struct series *s)
{
    *k = (struct keeping){.plan = *plan, .s = s, .started = budget_now()};
    k->warm = plan->known > 0 ? plan->warmup : 0;
    s->per_operation = plan->known;
    k->plan.budget_most = fmax(plan->budget, plan->budget_most);
    if (k->plan.repetitions < 1)
        k->plan.repetitions = 1;
    int most = k->plan.repetitions > k->plan.warmup ? k->plan.repetitions : k->plan.warmup;
    k->value = malloc((size_t)most * sizeof *k->value);
    return k->value ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static void keeping_end(struct keeping *k)
{
    k->s->loop_mean = samples_summary(&k->means).mean;
    samples_free(&k->means);
    free(k->value);
}

int series_measure(MPI_Comm comm, const struct plan *plan, double hold, batch_run run, void *arg,
                   struct series *s)
{
    int rank, size;
    struct keeping k = {0};
    struct instruction o = {0};
    *s = (struct series){0};
    TRY(PMPI_Comm_rank(comm, &rank));
    TRY(PMPI_Comm_size(comm, &size));
    bool keeps = rank == 0;
    if (keeps)
        o.error = keeping_start(&k, plan, s);
    int error = MPI_SUCCESS;
    for (;;) {
        if (keeps && o.error == MPI_SUCCESS)
            o = instruction_next(&k, hold);
        error = PMPI_Bcast(&o, sizeof o, MPI_BYTE, 0, comm);
        if (error != MPI_SUCCESS || o.batch.repetitions == 0)
            break;
        double start = budget_now();
        int n = 0;
        budget_barrier(size); /* every batch begins with a barrier */
        if ((error = run(arg, &o.batch, k.value, &n)) != MPI_SUCCESS)
            break;
        if (keeps)
            batch_done(&k, &o.batch, n, budget_now() - start);
    }
    if (keeps)
        keeping_end(&k);
    if (error != MPI_SUCCESS)
        series_free(s);
    return error != MPI_SUCCESS ? error : o.error;
}

void series_free(struct series *s)
{
    samples_free(&s->samples);
    *s = (struct series){0};
}

struct estimate samples_estimate(const struct samples *of)
{
    struct summary s = samples_summary(of);
    const bool few = s.effective < SAMPLES_FOR_INTERVAL;
    return (struct estimate){s.median, few ? NAN : s.median_low, few ? NAN : s.median_high};
}

bool estimates_differ(struct estimate a, struct estimate b, double tolerance)
{
    double apart = fabs(a.value - b.value);
    double smaller = fmin(fabs(a.value), fabs(b.value));
    return (a.low > b.high || b.low > a.high) && apart > tolerance * smaller;
}

static const double settle_tolerance = 2e-3;
enum { CURVE_MAX = 10 }; /* largest number of holds that are tried */

/* Whether a longer hold lowered the value. A larger value is noise: a longer loop has more cold
 * caches and interruptions, but a hold cannot make an operation slower. */
static bool falls(struct estimate before, struct estimate last)
{
    return last.value < before.value && estimates_differ(before, last, settle_tolerance);
}

/* Whether the intervals are narrow enough to show a fall: while the hold is too short, a hold that
 * is longer by GROWTH lowers the value by GROWTH. */
static bool shows_falls(struct estimate before, struct estimate last, double growth)
{
    if (!estimate_has_interval(before) || !estimate_has_interval(last))
        return false;
    double widths = before.high - before.low + last.high - last.low;
    return widths / 2 < growth / 2;
}

/* On rank 0: adds the series ONE, measured with HOLD, to the curve, whose accepted point has the
 * series S. If the value did not fall, the curve is settled and ONE is freed; otherwise ONE becomes
 * the accepted S. Returns whether to try a longer hold. */
static bool curve_take(struct curve *c, struct series *one, struct series *s, double hold)
{
    const bool first = isnan(c->hold), few = one->samples.n < SAMPLES_FOR_INTERVAL;
    struct estimate before = samples_estimate(&s->samples), last = samples_estimate(&one->samples);
    if (!first && !falls(before, last) && shows_falls(before, last, hold - c->hold)) {
        c->settled = true;
        series_free(one);
        return false;
    }
    series_free(s);
    *s = *one;
    c->hold = hold;
    /* After few samples stop: with a longer hold even fewer would fit into the budget. */
    return first || !few;
}

int series_settle(MPI_Comm comm, const struct plan *plan, double first, batch_run run, void *arg,
                  struct series *s, struct curve *curve)
{
    struct plan half = *plan;
    double end = budget_now() + plan->budget,
           last = budget_now() + fmax(plan->budget, plan->budget_most);
    int rank, go = 1, points = 0;
    *s = (struct series){0};
    *curve = (struct curve){.hold = NAN};
    TRY(PMPI_Comm_rank(comm, &rank));
    for (double hold = first; go; hold *= 2) {
        struct series one;
        if (plan->budget > 0) {
            half.budget = fmax((end - budget_now()) / 2, 1e-9);
            half.budget_most = fmax(last - budget_now(), 1e-9);
        }
        int error = series_measure(comm, &half, hold, run, arg, &one);
        half.known = one.per_operation + hold;
        double now = budget_now();
        bool has_time =
            plan->budget <= 0 || end - now > 0.05 * plan->budget || (points == 0 && now < last);
        if (error == MPI_SUCCESS && rank == 0)
            go = curve_take(curve, &one, s, hold) && ++points < CURVE_MAX && has_time;
        if (error == MPI_SUCCESS)
            error = PMPI_Bcast(&go, 1, MPI_INT, 0, comm);
        if (error != MPI_SUCCESS) {
            series_free(s);
            return error;
        }
    }
    return MPI_SUCCESS;
}
