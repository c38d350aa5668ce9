/* Findings about a row: reasons why a figure may not be the latency that it should be. */
#include "latency_bench.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* Seconds by which clock readings vary: smaller differences are ignored. */
static const double clock_noise = 100e-9;

static const struct latency_figure *slowest_of(const struct latency_result *r)
{
    return r->figure && r->slowest >= 0 ? &r->figure[r->slowest] : NULL;
}

bool latency_is_latency(const struct latency_method *m)
{
    return m->meaning == MEANS_LATENCY || m->meaning == MEANS_LATENCY_IF;
}

/* After CPU contention the verdict is unknown: contention may explain the whole difference. */
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
    struct estimate e; /* of R, as latency_within() says */
    double error;
};

/* Adds a finding. US: the figure's error or the width of its interval, microseconds; 0 for none. */
static void __attribute__((format(printf, 5, 6)))
say(const struct subject_row *s, const char *key, enum severity severity, double us,
    const char *format, ...)
{
    char text[160];
    const struct finding f = {
        .key = key, .severity = severity, .number = {{us > 0 ? "error_us" : NULL, us}}};
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    table_remark(s->table, &f, "%s", text);
}

static void judge_samples(const struct subject_row *s)
{
    const struct latency_result *r = s->r;
    double half = (r->value.high - r->value.low) / 2;
    if (isnan(r->value.value)) {
        if (r->impossible == 0)
            say(s, "no_result", SEVERITY_DOUBT, 0, "no result%s",
                r->dropped       ? ": in every operation a rank entered after the announced time"
                : r->over_budget ? " within the budget"
                                 : "");
        return;
    }
    if (!estimate_has_interval(r->value) && !estimate_has_interval(s->e))
        say(s, "few_samples", SEVERITY_DOUBT, 0, "too few independent samples for an interval");
    if (isnan(s->e.value))
        say(s, "at_most", SEVERITY_DOUBT, 1e6 * s->error, "unknown: the error is larger");
    /* The interval is wider than --stop=ci accepts. */
    if (latency_is_latency(r->method) && half > fmax(0.02 * r->value.value, clock_noise))
        say(s, "wide_interval", SEVERITY_DOUBT, 1e6 * half, "+-%.2f us by variation", 1e6 * half);
    /* The first operations of a batch are sent before their receivers are busy. */
    int n = r->series.repetitions;
    if (r->method->meaning == MEANS_GAP && n < s->row->repetitions)
        say(s, "short_row", SEVERITY_DOUBT, 0, "at least: of %d in a row, not %d", n,
            s->row->repetitions);
}

static void judge_pairs(const struct subject_row *s)
{
    const struct latency_result *r = s->r;
    enum latency_verdict verdict = row_verdict(s->row, slowest_of(r));
    bool upper = latency_unsettled(r),
         may_be_less = upper || verdict == VERDICT_VIOLATED || verdict == VERDICT_UNKNOWN;
    if (r->measured < r->asked && (!latency_is_latency(r->method) || r->at_least))
        say(s, "pairs_left_out", SEVERITY_DOUBT, 0, "%s%d of %d %s measured",
            r->at_least && !may_be_less ? "at least: " : "", r->measured, r->asked,
            r->figure ? "pairs" : "roots");
    if (upper)
        say(s, "unsettled", SEVERITY_DOUBT, 0, "an upper bound%s: a longer hold time may lower it",
            r->measured < r->asked ? " of these" : "");
    if (r->impossible)
        say(s, "impossible", SEVERITY_DOUBT, 0, "no result for %d pairs: their latency is negative",
            r->impossible);
}

/* Judges the paper's assumption: at the slowest destination, and at any. */
static void judge_assumption(const struct subject_row *s)
{
    const struct latency_result *r = s->r;
    const struct latency_figure *f = slowest_of(r);
    enum latency_verdict verdict = row_verdict(s->row, f);
    if (verdict == VERDICT_VIOLATED)
        say(s, "wrong", SEVERITY_DOUBT, 0, "wrong: use held");
    if (verdict == VERDICT_UNKNOWN)
        say(s, "not_known_right", SEVERITY_DOUBT, 0, "not known to be right");
    if (r->violations > 0 && !s->row->spoiled)
        say(s, "violated", SEVERITY_NOTE, 0, "not the latency at %d of %d destinations",
            r->violations, r->asked);
    if (f && f->has_message)
        say(s, "not_overhead", SEVERITY_DOUBT, 0, "contains a message's latency, so it is not o_i");
}

static void judge_clocks(const struct subject_row *s)
{
    const struct latency_result *r = s->r;
    const double error = s->error;
    if (r->clock_bound == 0 && error > 0)
        say(s, "ways_differ", SEVERITY_DOUBT, 1e6 * error,
            "+-%.2f us if the one-way latencies differ", 1e6 * error);
    if (r->clock_bound > 0.01 * r->value.value && error >= 5e-9)
        say(s, "clock_bound", SEVERITY_DOUBT, 1e6 * error, "+-%.2f us by the clocks", 1e6 * error);
    if (r->dropped > 0)
        say(s, "late_ranks", SEVERITY_NOTE, 0,
            "%d operations excluded: a rank entered after the announced time", r->dropped);
    if (s->row->arrivals && fabs(r->value.value) < clock_noise)
        say(s, "no_wait", SEVERITY_NOTE, 0, "no rank waits for the last one");
    if (!s->row->arrivals && r->figure && r->asked == 0 &&
        r->entry_spread > 0.1 * r->value.value + clock_noise)
        say(s, "entries_apart", SEVERITY_DOUBT, 1e6 * r->entry_spread, "arrival spread %.2f us",
            1e6 * r->entry_spread);
}

/* Reports other methods for the same quantity that differ by more than the intervals. The latency
 * if all ranks enter together (ASKED is 0) and the time after the last entry are different
 * quantities. */
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
            say(s, "contradicted", SEVERITY_DOUBT, 0, "%s differs", other->method->name);
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
