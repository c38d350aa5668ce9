/* Why a figure may not be what it is meant to be: a rule each. */
#include "latency_bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Readings of a clock are so far apart that no difference below means anything. */
static const double clock_noise = 100e-9;

static const struct latency_figure *slowest_of(const struct latency_result *r)
{
    return r->figure && r->slowest >= 0 ? &r->figure[r->slowest] : NULL;
}

static bool is_latency(const struct latency_result *r)
{
    return r->method->meaning == MEANS_LATENCY || r->method->meaning == MEANS_LATENCY_IF;
}

static enum latency_verdict verdict_of(const struct latency_result *r)
{
    const struct latency_figure *f = slowest_of(r);
    return f ? f->verdict : VERDICT_NONE;
}

bool row_relies_on(const struct latency_row *row, const struct latency_result *r)
{
    return !row->spoiled && !r->at_least && !latency_unsettled(r) &&
           estimate_has_interval(r->value);
}

const struct latency_result *row_latency(const struct latency_row *row)
{
    const struct latency_outcome *o = row->outcome;
    const struct latency_result *found = NULL;
    for (size_t i = 0; i < o->n_results; i++) {
        const struct latency_result *r = &o->result[i];
        if (r->method->meaning != MEANS_LATENCY || isnan(r->value.value))
            continue;
        bool better = found && row_relies_on(row, r) != row_relies_on(row, found)
                          ? row_relies_on(row, r)
                          : strcmp(r->method->name, "held") == 0;
        if (!found || better)
            found = r;
    }
    return found;
}

/* The intervals have to be apart, and the values by more than 5 %, which is how well the operation
 * latency itself is known: two figures of the same quantity differ by noise. */
static bool clearly_above(struct estimate a, struct estimate b)
{
    double high = isnan(b.high) ? b.value : b.high, low = isnan(a.low) ? a.value : a.low;
    return low > high && a.value > b.value + fmax(0.05 * b.value, clock_noise);
}

/* What is no more than OL, and all the same clearly is. */
static bool is_above(const struct latency_row *row, const struct latency_result *r,
                     const struct latency_result *ol)
{
    return !row->spoiled && !row->fresh && !ol->at_least && estimate_has_interval(r->value) &&
           clearly_above(r->value, ol->value);
}

/* --- the rules: false if they do not apply; otherwise what is to be said --- */

struct said {
    struct finding_number number[3];
    char text[160];
};

#define SAY(s, ...) (snprintf((s)->text, sizeof(s)->text, __VA_ARGS__), true)

static bool left_out(const struct latency_row *row, const struct latency_result *r, struct said *s)
{
    enum latency_verdict verdict = verdict_of(r);
    bool upper = latency_unsettled(r),
         may_be_less = upper || verdict == VERDICT_VIOLATED || verdict == VERDICT_UNKNOWN;
    (void)row;
    if (r->measured >= r->asked || (is_latency(r) && !r->at_least))
        return false;
    s->number[0] = (struct finding_number){"measured", r->measured};
    s->number[1] = (struct finding_number){"asked", r->asked};
    return SAY(s, "%s%d of %d %s measured", r->at_least && !may_be_less ? "at least: " : "",
               r->measured, r->asked, r->figure ? "pairs" : "roots");
}

static bool no_result(const struct latency_row *row, const struct latency_result *r, struct said *s)
{
    (void)row;
    return isnan(r->value.value) && r->impossible == 0 &&
           SAY(s, "no result%s",
               r->dropped       ? ": a rank was late for each operation"
               : r->over_budget ? " within the budget"
                                : "");
}

static bool few_samples(const struct latency_row *row, const struct latency_result *r,
                        struct said *s)
{
    (void)row;
    return !isnan(r->value.value) && !estimate_has_interval(r->value) &&
           SAY(s, "too few samples for an interval");
}

/* Beyond what --stop=ci asks for. */
static bool wide_interval(const struct latency_row *row, const struct latency_result *r,
                          struct said *s)
{
    double half = (r->value.high - r->value.low) / 2;
    (void)row;
    if (!is_latency(r) || !(half > fmax(0.02 * r->value.value, clock_noise)))
        return false;
    s->number[0] = (struct finding_number){"low_us", 1e6 * r->value.low};
    s->number[1] = (struct finding_number){"high_us", 1e6 * r->value.high};
    return SAY(s, "95 %% interval %.2f to %.2f us", 1e6 * r->value.low, 1e6 * r->value.high);
}

/* The first of a row are under way before their receivers are busy. */
static bool short_row(const struct latency_row *row, const struct latency_result *r, struct said *s)
{
    int n = r->series.repetitions;
    if (r->method->meaning != MEANS_GAP || isnan(r->value.value) || n >= row->repetitions)
        return false;
    s->number[0] = (struct finding_number){"in_a_row", n};
    return SAY(s, "at least: of %d in a row, not %d", n, row->repetitions);
}

static bool unsettled(const struct latency_row *row, const struct latency_result *r, struct said *s)
{
    (void)row;
    return latency_unsettled(r) && SAY(s, "a longer hold may lower it: an upper bound%s",
                                       r->measured < r->asked ? " of these" : "");
}

static bool impossible(const struct latency_row *row, const struct latency_result *r,
                       struct said *s)
{
    (void)row;
    s->number[0] = (struct finding_number){"pairs", r->impossible};
    return r->impossible && SAY(s, "negative, so no result, of %d pairs", r->impossible);
}

/* The paper's assumption, at the destination of the largest figure. */
static bool wrong(const struct latency_row *row, const struct latency_result *r, struct said *s)
{
    (void)row;
    return verdict_of(r) == VERDICT_VIOLATED && SAY(s, "wrong: use held");
}

static bool not_known_right(const struct latency_row *row, const struct latency_result *r,
                            struct said *s)
{
    (void)row;
    return verdict_of(r) == VERDICT_UNKNOWN && SAY(s, "not known to be right");
}

/* The same at any destination. */
static bool violated(const struct latency_row *row, const struct latency_result *r, struct said *s)
{
    (void)row;
    s->number[0] = (struct finding_number){"destinations", r->violations};
    s->number[1] = (struct finding_number){"unknown", r->unknown};
    return r->violations > 0 &&
           SAY(s, "not the latency at %d of %d destinations", r->violations, r->asked);
}

static bool not_overhead(const struct latency_row *row, const struct latency_result *r,
                         struct said *s)
{
    const struct latency_result *ol = row_latency(row);
    const struct latency_figure *f = slowest_of(r);
    if (!f || r->method->meaning != MEANS_OVERHEAD)
        return false;
    if (f->part == PART_OF_WAY)
        return SAY(s, "contains the message's way, so it is not o_i");
    if (f->part == PART_UNKNOWN)
        return SAY(s, "may contain the message's way");
    return ol && is_above(row, r, ol) && SAY(s, "above %s", ol->method->name);
}

static bool ways_differ(const struct latency_row *row, const struct latency_result *r,
                        struct said *s)
{
    (void)row;
    s->number[0] = (struct finding_number){"error_us", 1e6 * r->way_error};
    return r->way_error > 0 &&
           SAY(s, "+-%.2f us if the one-way latencies differ", 1e6 * r->way_error);
}

static bool clocks(const struct latency_row *row, const struct latency_result *r, struct said *s)
{
    (void)row;
    s->number[0] = (struct finding_number){"error_us", 1e6 * r->clock_bound};
    return r->clock_bound > 0.01 * r->value.value && r->clock_bound >= 5e-9 &&
           SAY(s, "+-%.2f us by the clocks", 1e6 * r->clock_bound);
}

static bool late_ranks(const struct latency_row *row, const struct latency_result *r,
                       struct said *s)
{
    (void)row;
    s->number[0] = (struct finding_number){"operations", r->dropped};
    return r->dropped > 0 && SAY(s, "%d operations left out, a rank was late for them", r->dropped);
}

static bool entries_apart(const struct latency_row *row, const struct latency_result *r,
                          struct said *s)
{
    (void)row;
    s->number[0] = (struct finding_number){"apart_us", 1e6 * r->apart};
    return r->span.n && r->figure && r->asked == 0 &&
           r->apart > 0.1 * r->value.value + clock_noise &&
           SAY(s, "entries %.2f us apart", 1e6 * r->apart);
}

/* Another way of seeing the same latency says something else, by more than the intervals. What all
 * ranks enter together is another quantity than what the last one starts. */
static bool contradicted(const struct latency_row *row, const struct latency_result *r,
                         struct said *s)
{
    const struct latency_outcome *o = row->outcome;
    for (size_t i = 0; !row->spoiled && i < o->n_results && is_latency(r) && !r->at_least; i++) {
        const struct latency_result *other = &o->result[i];
        double noise = fmax(clock_noise, 4 * o->clock_cost) + other->clock_bound + r->clock_bound;
        bool same = (r->asked > 0) == (other->asked > 0);
        if (other != r && same && other->method->meaning == MEANS_LATENCY && !other->at_least &&
            fabs(other->value.value - r->value.value) > noise &&
            estimates_differ(other->value, r->value, 0.01))
            return SAY(s, "%s differs", other->method->name);
    }
    return false;
}

static const struct rule {
    const char *key;
    enum severity severity;
    bool (*applies)(const struct latency_row *row, const struct latency_result *r, struct said *s);
} rules[] = {
    {"pairs_left_out", SEVERITY_DOUBT, left_out},
    {"no_result", SEVERITY_DOUBT, no_result},
    {"few_samples", SEVERITY_DOUBT, few_samples},
    {"wide_interval", SEVERITY_DOUBT, wide_interval},
    {"short_row", SEVERITY_DOUBT, short_row},
    {"unsettled", SEVERITY_DOUBT, unsettled},
    {"impossible", SEVERITY_DOUBT, impossible},
    {"wrong", SEVERITY_DOUBT, wrong},
    {"not_known_right", SEVERITY_DOUBT, not_known_right},
    {"violated", SEVERITY_NOTE, violated},
    {"not_overhead", SEVERITY_DOUBT, not_overhead},
    {"ways_differ", SEVERITY_DOUBT, ways_differ},
    {"clock_bound", SEVERITY_DOUBT, clocks},
    {"late_ranks", SEVERITY_NOTE, late_ranks},
    {"entries_apart", SEVERITY_DOUBT, entries_apart},
    {"contradicted", SEVERITY_DOUBT, contradicted},
};

void row_remark(const struct latency_row *row, const struct latency_result *r, struct table *t,
                bool named)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        struct said s = {0};
        if (!rules[i].applies(row, r, &s))
            continue;
        struct finding f = {.key = rules[i].key, .severity = rules[i].severity};
        memcpy(f.number, s.number, sizeof s.number);
        if (named)
            table_remark(t, &f, "%s: %s", r->method->name, s.text);
        else
            table_remark(t, &f, "%s", s.text);
    }
}

/* An upper bound below OL: one of the two is wrong. Rounds are a lower bound on the mean over all
 * roots, of which one is measured here: above OL where it takes longer from others. */
void row_remark_bounds(const struct latency_row *row, struct table *t)
{
    const struct latency_outcome *o = row->outcome;
    const struct latency_result *ol = row_latency(row);
    for (size_t i = 0; ol && !row->spoiled && i < o->n_results; i++) {
        const struct latency_result *r = &o->result[i];
        if (r->method->meaning == MEANS_UPPER_BOUND && clearly_above(ol->value, r->value))
            table_remark(t, &(struct finding){.key = "bound_broken", .severity = SEVERITY_DOUBT},
                         "%s > %s: one of the two is wrong", ol->method->name, r->method->name);
        if (r->method->meaning == MEANS_LOWER_BOUND && is_above(row, r, ol))
            table_remark(t, &(struct finding){.key = "slower_roots", .severity = SEVERITY_NOTE},
                         "%s > %s: other roots take longer", r->method->name, ol->method->name);
    }
}
