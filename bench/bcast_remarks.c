#include "bcast_remarks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct bcast_figure *slowest_of(const struct bcast_result *r)
{
    return r->figure && r->slowest >= 0 ? &r->figure[r->slowest] : NULL;
}

bool row_relies_on(const struct bcast_row *row, const struct bcast_result *r)
{
    return !row->spoiled && !r->at_least && !bcast_unsettled(r) && estimate_has_interval(r->value);
}

const struct bcast_result *row_latency(const struct bcast_row *row)
{
    const struct bcast_outcome *o = row->outcome;
    const struct bcast_result *found = NULL;
    for (size_t i = 0; i < o->n_results; i++) {
        const struct bcast_result *r = &o->result[i];
        if (r->method->meaning != BCAST_LATENCY || isnan(r->value.value))
            continue;
        bool better = found && row_relies_on(row, r) != row_relies_on(row, found)
                          ? row_relies_on(row, r)
                          : strcmp(r->method->name, "held") == 0;
        if (!found || better)
            found = r;
    }
    return found;
}

/* The intervals have to be apart, and the values by more than 5 % and 100 ns, which is how well
 * the operation latency itself is known: two figures of the same quantity differ by noise. */
static bool clearly_above(struct estimate a, struct estimate b)
{
    double high = isnan(b.high) ? b.value : b.high, low = isnan(a.low) ? a.value : a.low;
    return low > high && a.value > b.value + fmax(0.05 * b.value, 100e-9);
}

/* What is no more than OL, and all the same clearly is. With --fresh it is of broadcasts that
 * nobody has written the data of. */
static bool above(const struct bcast_row *row, const struct bcast_result *r,
                  const struct bcast_result *ol)
{
    return !row->spoiled && !row->fresh && !ol->at_least && estimate_has_interval(r->value) &&
           clearly_above(r->value, ol->value);
}

struct bounds row_bounds(const struct bcast_row *row)
{
    const struct bcast_outcome *o = row->outcome;
    const struct bcast_result *ol = row_latency(row), *rounds = NULL;
    struct bounds b = {0};
    bool hold = false;
    for (size_t i = 0; ol && !row->spoiled && i < o->n_results; i++) {
        const struct bcast_result *r = &o->result[i];
        if (r->method->meaning == BCAST_LOWER_BOUND && !rounds && above(row, r, ol))
            rounds = r;
        if (r->method->meaning != BCAST_UPPER_BOUND || isnan(r->value.value))
            continue;
        hold = hold || (row_relies_on(row, ol) && estimate_has_interval(r->value));
        if (clearly_above(ol->value, r->value)) {
            snprintf(b.text, sizeof b.text, "%s > %s", ol->method->name, r->method->name);
            b.broken = true;
            return b;
        }
    }
    b.slower_roots = rounds;
    if (rounds)
        snprintf(b.text, sizeof b.text, "%s > %s", rounds->method->name, ol->method->name);
    else if (hold)
        snprintf(b.text, sizeof b.text, "hold");
    return b;
}

static bool is_latency(const struct bcast_result *r)
{
    return r->method->meaning == BCAST_LATENCY || r->method->meaning == BCAST_LATENCY_IF;
}

/* Another way of seeing the same latency says something else, by more than the intervals. */
static const struct bcast_result *contradicting(const struct bcast_row *row,
                                                const struct bcast_result *r)
{
    const struct bcast_outcome *o = row->outcome;
    for (size_t i = 0; !row->spoiled && i < o->n_results && is_latency(r) && !r->at_least; i++) {
        const struct bcast_result *other = &o->result[i];
        double noise = fmax(100e-9, 4 * o->clock_cost) + other->clock_bound + r->clock_bound;
        if (other != r && other->method->meaning == BCAST_LATENCY && !other->at_least &&
            fabs(other->value.value - r->value.value) > noise &&
            estimates_differ(other->value, r->value, 0.01))
            return other;
    }
    return NULL;
}

static void remark_on_overhead(const struct bcast_row *row, const struct bcast_result *r,
                               char *text, size_t size)
{
    const struct bcast_result *ol = row_latency(row);
    enum bcast_part part = slowest_of(r)->part;
    if (part == PART_OF_WAY)
        bench_add_words(text, size, "with the message's way, so not o_i");
    else if (part == PART_UNKNOWN)
        bench_add_words(text, size, "not known whether with the message's way");
    else if (ol && above(row, r, ol))
        bench_add_words(text, size, "above %s", ol->method->name);
}

/* Beyond what --stop=ci asks for, and more than readings of a clock. */
static bool is_wide(struct estimate e)
{
    return (e.high - e.low) / 2 > fmax(0.02 * e.value, 100e-9);
}

/* Why there is no value, or no interval; and how wide it is where the budget ended it. */
static void remark_on_samples(const struct bcast_row *row, const struct bcast_result *r, char *text,
                              size_t size)
{
    if (isnan(r->value.value) && r->impossible == 0)
        bench_add_words(text, size, "no result%s",
                        r->dropped       ? ": a rank was late for all"
                        : r->over_budget ? " within the budget"
                                         : "");
    else if (!isnan(r->value.value) && !estimate_has_interval(r->value))
        bench_add_words(text, size, "too few samples for an interval");
    else if (is_latency(r) && is_wide(r->value))
        bench_add_words(text, size, "%.2f to %.2f us, with 95 %%", 1e6 * r->value.low,
                        1e6 * r->value.high);
    /* The first of a row are under way before their receivers are busy. */
    if (r->method->meaning == BCAST_GAP && !isnan(r->value.value) &&
        r->series.repetitions < row->repetitions)
        bench_add_words(text, size, "at least: of %d in a row, not %d", r->series.repetitions,
                        row->repetitions);
}

void row_remark(const struct bcast_row *row, const struct bcast_result *r, char *text, size_t size)
{
    const struct bcast_result *other = contradicting(row, r);
    const struct bcast_figure *slowest = slowest_of(r);
    enum bcast_verdict verdict = slowest ? slowest->verdict : VERDICT_NONE;
    /* What may itself be too much is no bound from below. */
    bool may_be_less =
        bcast_unsettled(r) || verdict == VERDICT_VIOLATED || verdict == VERDICT_UNKNOWN;
    *text = '\0';
    if (r->figure && r->measured < r->asked && (r->at_least || !is_latency(r)))
        bench_add_words(text, size, "%s%d of %d measured",
                        r->at_least && !may_be_less ? "at least: " : "", r->measured, r->asked);
    if (!r->figure && r->measured < r->asked)
        bench_add_words(text, size, "from %d of %d roots only", r->measured, r->asked);
    if (r->at_least && r->chance > 0)
        bench_add_words(text, size, "the slowest among them with %.0f %%", 100 * r->chance);
    remark_on_samples(row, r, text, size);
    if (bcast_unsettled(r))
        bench_add_words(text, size, "not settled: an upper bound%s",
                        r->measured < r->asked ? " of these" : "");
    if (r->impossible)
        bench_add_words(text, size, "negative, so no result, at %d", r->impossible);
    if (verdict == VERDICT_VIOLATED)
        bench_add_words(text, size, "wrong");
    if (verdict == VERDICT_UNKNOWN)
        bench_add_words(text, size, "not known to be right");
    if (slowest && r->method->meaning == BCAST_OVERHEAD)
        remark_on_overhead(row, r, text, size);
    if (r->way_error > 0)
        bench_add_words(text, size, "+-%.2f us if the two ways differ", 1e6 * r->way_error);
    if (r->clock_bound > 0.01 * r->value.value && r->clock_bound >= 5e-9)
        bench_add_words(text, size, "+-%.2f us by the clocks", 1e6 * r->clock_bound);
    if (other)
        bench_add_words(text, size, "%s says otherwise", other->method->name);
}

void row_remarks(const struct bcast_row *row, const char *disturbed, char *text, size_t size)
{
    const struct bcast_outcome *o = row->outcome;
    const char *name[MOST_METHODS];
    bench_remark one[MOST_METHODS] = {0};
    snprintf(text, size, "%s", disturbed ? disturbed : "");
    for (size_t i = 0; i < o->n_results; i++) {
        const struct bcast_result *r = &o->result[i];
        name[i] = r->method->name;
        bool bound =
            r->method->meaning == BCAST_LOWER_BOUND || r->method->meaning == BCAST_UPPER_BOUND;
        if (!bound || !estimate_has_interval(r->value))
            row_remark(row, r, one[i], sizeof one[i]);
    }
    bench_add_remarks(text, size, name, one, o->n_results);
}
