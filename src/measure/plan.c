#include "measure/plan.h"

#include "base/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* STOP_PAPER without a budget must end even on a machine that is never quiet. */
enum { ATTEMPTS_MAX = 50 };

/* The smallest number of means whose standard deviation the paper judges. */
enum { PAPER_REPEATS_MIN = 8 };

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

/* The simulator needs some 10 us for a message, and as much again for every 256 ranks, since it
 * scans what each of them waits for. */
static const double simulated_message = 10e-6;
enum { RANKS_AS_MUCH = 256 };
static double beside; /* only in the simulator: on a real clock threads may measure at once */

void budget_messages(int n, int ranks)
{
    if (clock_source == CLOCK_SOURCE_EXTERNAL)
        beside += n * simulated_message * (1 + (double)ranks / RANKS_AS_MUCH);
}

void budget_barrier(int ranks)
{
    budget_messages(2 * (ranks - 1), ranks);
}

double budget_now(void)
{
    return clock_now() + beside;
}

/* Without memory a sample is lost, never the application. */
void samples_add(struct samples *s, double value)
{
    if (s->n == s->room) {
        size_t room = s->room ? 2 * s->room : 128;
        double *larger = realloc(s->value, room * sizeof *larger);
        if (!larger)
            return;
        s->value = larger;
        s->room = room;
    }
    s->value[s->n++] = value;
}

void samples_free(struct samples *s)
{
    free(s->value);
    *s = (struct samples){0};
}

void tally_start(struct tally *t, const struct plan *plan)
{
    *t = (struct tally){.plan = plan, .started = budget_now(), .attempts = 1};
}

/* Relative half width of the interval of the median; at least half of the last printed digit, since
 * 2 % of almost no time cannot be reached. */
static const double ci_width = 0.02, width_least = 5e-9;

/* Standard deviation relative to the mean. */
static const double sd_limit = 0.03;

/* Whether there are enough independent samples, and the interval is narrow enough. */
static bool interval_is_narrow(const struct tally *t)
{
    struct summary s = stats_summarize(t->samples.value, t->samples.n);
    if (s.effective < SAMPLES_FOR_INTERVAL)
        return false;
    return s.median_high - s.median_low <= 2 * fmax(ci_width * s.median, width_least);
}

static bool paper_is_content(const struct tally *t)
{
    size_t n = t->batch_means.n;
    if (n < PAPER_REPEATS_MIN || n < (size_t)t->plan->repeats_min)
        return false;
    struct summary s = stats_summarize(t->batch_means.value, n);
    return s.sd <= sd_limit * s.mean;
}

static bool paper_wants_more(struct tally *t)
{
    size_t n = t->batch_means.n;
    if (paper_is_content(t))
        return false;
    if (n < PAPER_REPEATS_MIN || n < (size_t)t->plan->repeats_max)
        return true;
    if (t->attempts >= ATTEMPTS_MAX) {
        t->over_budget = true;
        return false;
    }
    t->attempts++;
    t->batch_means.n = 0;
    t->samples.n = 0;
    return true;
}

long tally_operations_left(const struct tally *t)
{
    const struct plan *plan = t->plan;
    long left = (long)plan->repeats_min * plan->repetitions - t->operations;
    return plan->stop == STOP_FIXED && left < plan->repetitions ? left : plan->repetitions;
}

static bool wants_more(struct tally *t)
{
    const struct plan *plan = t->plan;
    size_t batches = t->batch_means.n;
    if (plan->stop == STOP_PAPER)
        return paper_wants_more(t);
    if (plan->stop == STOP_FIXED)
        return tally_operations_left(t) > 0;
    if (batches < (size_t)plan->repeats_min)
        return true;
    return batches < (size_t)plan->repeats_max && !interval_is_narrow(t);
}

/* Samples with too much autocorrelation for an interval stop at four times the number. */
static bool has_interval(const struct tally *t)
{
    struct summary s = stats_summarize(t->samples.value, t->samples.n);
    return s.effective >= SAMPLES_FOR_INTERVAL || s.n >= 4 * (size_t)SAMPLES_FOR_INTERVAL;
}

static bool is_spent(const struct tally *t)
{
    const struct plan *plan = t->plan;
    double spent = budget_now() - t->started;
    return plan->budget > 0 && spent >= plan->budget && t->batch_means.n > 0 &&
           (spent >= plan->budget_most || has_interval(t));
}

/* The budget is checked first: with STOP_PAPER it must be checked before the rule rejects the
 * attempt in progress, so that there is always a figure. */
bool tally_go_on(struct tally *t)
{
    if (!is_spent(t))
        return wants_more(t);
    t->over_budget = t->plan->stop == STOP_PAPER ? !paper_is_content(t) : wants_more(t);
    return false;
}

void tally_free(struct tally *t)
{
    samples_free(&t->samples);
    samples_free(&t->batch_means);
}
