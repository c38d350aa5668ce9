/* Findings about a row of results: why its time may differ from the latency that the user wants. */
#include "latency_bench.h"

#include <math.h>

/* Seconds: clock readings vary by this time, so smaller differences are ignored. */
static const double clock_noise = 100e-9;

static const struct latency_figure *slowest_of(const struct latency_result *r)
{
    return r->figure && r->slowest >= 0 ? &r->figure[r->slowest] : NULL;
}

bool latency_is_latency(const struct latency_method *m)
{
    return m->meaning == MEANS_LATENCY || m->meaning == MEANS_LATENCY_IF;
}

/* In a spoiled row the verdict is unknown: CPU contention may explain a violated assumption. */
enum latency_verdict row_verdict(const struct latency_row *row, const struct latency_figure *f)
{
    bool judged = f && f->verdict != VERDICT_NONE;
    return judged && row->spoiled ? VERDICT_UNKNOWN : judged ? f->verdict : VERDICT_NONE;
}

/* A result, and the table whose last row gets findings about it. */
struct subject_row {
    const struct latency_row *row;
    const struct latency_result *r;
    struct table *table;
    struct estimate e; /* R's value and ERROR by latency_within() */
    double error;
};

/* A finding's number in microseconds: error of the time, or half the width of its interval. */
#define ERROR_US(us) .number = {{"error_us", (us)}}

static void judge_samples(const struct subject_row *s)
{
    const struct latency_result *r = s->r;
    double half = (r->value.high - r->value.low) / 2;
    if (isnan(r->value.value)) {
        if (r->impossible == 0)
            table_remark(s->table, FINDING("no_result", DOUBT), "no result%s",
                         r->dropped ? ": in every operation a rank entered after the announced time"
                         : r->over_budget ? " within the budget"
                                          : "");
        return;
    }
    if (!estimate_has_interval(r->value) && !estimate_has_interval(s->e))
        table_remark(s->table, FINDING("few_samples", DOUBT),
                     "too few independent samples for an interval");
    if (isnan(s->e.value))
        table_remark(s->table, FINDING("at_most", DOUBT, ERROR_US(1e6 * s->error)),
                     "unknown: the error is larger than the time");
    /* The interval is wider than --stop=ci accepts (its half is above 2 % of the value). */
    if (latency_is_latency(r->method) && half > fmax(0.02 * r->value.value, clock_noise))
        table_remark(s->table, FINDING("wide_interval", DOUBT, ERROR_US(1e6 * half)),
                     "+-%.2f us by variation", 1e6 * half);
    /* A short batch shows a lower bound: its first operations find their receivers idle. */
    int n = r->series.repetitions;
    if (r->method->meaning == MEANS_GAP && n < s->row->repetitions)
        table_remark(s->table, FINDING("short_row", DOUBT),
                     "lower bound: from batches of %d operations, not %d", n, s->row->repetitions);
}

static void judge_pairs(const struct subject_row *s)
{
    const struct latency_result *r = s->r;
    enum latency_verdict verdict = row_verdict(s->row, slowest_of(r));
    bool upper = latency_unsettled(r),
         may_be_less = upper || verdict == VERDICT_VIOLATED || verdict == VERDICT_UNKNOWN;
    if (r->measured < r->asked && (!latency_is_latency(r->method) || r->at_least))
        table_remark(s->table, FINDING("pairs_left_out", DOUBT), "%s%d of %d %s measured",
                     r->at_least && !may_be_less ? "at least: " : "", r->measured, r->asked,
                     r->figure ? "pairs" : "roots");
    if (upper)
        table_remark(s->table, FINDING("unsettled", DOUBT),
                     "upper bound%s: a longer hold time may lower it",
                     r->measured < r->asked ? " of these" : "");
    if (r->impossible)
        table_remark(s->table, FINDING("impossible", DOUBT),
                     "no result for %d pairs: the measured latency is negative", r->impossible);
}

/* Reports where the method's assumption is violated: at the slowest destination, or at others. */
static void judge_assumption(const struct subject_row *s)
{
    const struct latency_result *r = s->r;
    const struct latency_figure *f = slowest_of(r);
    enum latency_verdict verdict = row_verdict(s->row, f);
    if (verdict == VERDICT_VIOLATED)
        table_remark(s->table, FINDING("wrong", DOUBT), "wrong: use held");
    if (verdict == VERDICT_UNKNOWN)
        table_remark(s->table, FINDING("not_known_right", DOUBT),
                     "unknown whether the method's assumption holds");
    if (r->violations > 0 && !s->row->spoiled)
        table_remark(s->table, FINDING("violated", NOTE),
                     "the assumption is violated at %d of %d destinations", r->violations,
                     r->asked);
    if (f && f->has_message)
        table_remark(s->table, FINDING("not_overhead", DOUBT),
                     "contains the latency of a rendezvous message, so it is not o_i");
}

static void judge_clocks(const struct subject_row *s)
{
    const struct latency_result *r = s->r;
    const double error = s->error;
    if (r->clock_bound == 0 && error > 0)
        table_remark(s->table, FINDING("ways_differ", DOUBT, ERROR_US(1e6 * error)),
                     "+-%.2f us if the one-way latencies differ", 1e6 * error);
    if (r->clock_bound > 0.01 * r->value.value && error >= 5e-9)
        table_remark(s->table, FINDING("clock_bound", DOUBT, ERROR_US(1e6 * error)),
                     "error of the clocks: +-%.2f us", 1e6 * error);
    if (r->dropped > 0)
        table_remark(s->table, FINDING("late_ranks", NOTE),
                     "%d operations excluded: a rank entered after the announced time", r->dropped);
    if (s->row->arrivals && fabs(r->value.value) < clock_noise)
        table_remark(s->table, FINDING("no_wait", NOTE),
                     "no rank waits for the last rank to enter");
    if (!s->row->arrivals && r->figure && r->asked == 0 &&
        r->entry_spread > 0.1 * r->value.value + clock_noise)
        table_remark(s->table, FINDING("entries_apart", DOUBT, ERROR_US(1e6 * r->entry_spread)),
                     "arrival spread %.2f us", 1e6 * r->entry_spread);
}

/* Reports a method for the same quantity whose result differs by more than the intervals. The time
 * when all ranks enter at once (ASKED is 0) and the time after the last entry are not the same. */
static void judge_others(const struct subject_row *s)
{
    const struct latency_outcome *o = s->row->outcome;
    const struct latency_result *r = s->r;
    if (s->row->spoiled || !latency_is_latency(r->method) || r->at_least)
        return;
    for (size_t i = 0; i < o->n_results; i++) {
        const struct latency_result *other = &o->result[i];
        double ignored, noise = fmax(clock_noise, 4 * o->clock_cost);
        bool same = other != r && (r->asked > 0) == (other->asked > 0) &&
                    other->method->meaning == MEANS_LATENCY && !other->at_least;
        if (same && fabs(other->value.value - r->value.value) > noise &&
            estimates_differ(latency_within(other, NULL, &ignored), s->e, 0.01)) {
            table_remark(s->table, FINDING("contradicted", DOUBT), "%s differs",
                         other->method->name);
            return;
        }
    }
}

void row_remark(const struct latency_row *row, const struct latency_result *r, struct table *t)
{
    struct subject_row s = {.row = row, .r = r, .table = t};
    s.e = latency_within(r, NULL, &s.error);
    judge_samples(&s);
    judge_pairs(&s);
    judge_assumption(&s);
    judge_clocks(&s);
    judge_others(&s);
}
