/* The paper's own method: OL_i = E_i - RTL_i / 2 (figures 9 and 10). */
#include "measure/latency/run.h"

#include <string.h>

static int one(struct latency_run *r, double share)
{
    struct series s;
    double trip_loop = NAN, left;
    TRY(run_pings(r, true, share, &left, &trip_loop));
    TRY(series_measure(r->c->comm, r->c->collector, &r->c->plan, left, 0, batch_acknowledged, r,
                       &s));
    if (!r->keeps)
        return MPI_SUCCESS;
    struct latency_timed *t = run_figure(r)->timed;
    figure_take(r, TIMED_OPERATION, &s);
    struct estimate trip = t[TIMED_WAY].at, way = {trip.value / 2, trip.low / 2, trip.high / 2};
    figure_value(r, latency_of(t[TIMED_OPERATION].at, way), s.loop_mean - trip_loop / 2);
    return MPI_SUCCESS;
}

static int run(struct latency_run *r, struct latency_result *result)
{
    TRY(run_pairs(r, false, one));
    result_way_error(r, result, 0.5);
    return MPI_SUCCESS;
}

/* The paper's assumption holds where its value and the held one agree. What the readings of the
 * clock in E_i, RTL_i and the held E_i cost is no finding. */
static const double violated_from = 0.01, holds_within = 0.05, holds_within_seconds = 100e-9;

static bool agree(struct estimate a, struct estimate b, double clock_cost)
{
    double room = fmax(holds_within * b.value, fmax(holds_within_seconds, 4 * clock_cost));
    return estimates_apart_at_most(a, b) <= room;
}

static enum latency_verdict compare(const struct latency_figure *paper,
                                    const struct latency_figure *held, double clock_cost)
{
    struct estimate a = paper->value, b = held->value;
    if (!estimate_known(a) || !estimate_known(b))
        return VERDICT_NONE;
    if (!held->curve.settled)
        return VERDICT_UNKNOWN;
    if (fabs(a.value - b.value) > 4 * clock_cost && estimates_differ(a, b, violated_from))
        return VERDICT_VIOLATED;
    return agree(a, b, clock_cost) ? VERDICT_HOLDS : VERDICT_UNKNOWN;
}

/* Where some rank's gap is the loop's period, E_i is that and what the root takes for an answer: it
 * has to be clearly more. Of ranks that are not on i's path too, since that is not known. */
static void check_gaps(const struct latency_outcome *o, struct latency_result *result)
{
    double largest = 0;
    for (int j = 0; j < o->size; j++)
        largest = fmax(largest, latency_figure_of(o, "gap", j)->value.value);
    for (int i = 0; largest > 0 && i < o->size; i++) {
        struct latency_figure *f = &result->figure[i];
        struct estimate e = f->timed[TIMED_OPERATION].at, gap = {largest, largest, largest};
        if (estimate_has_interval(e))
            f->check = e.value > largest && estimates_differ(e, gap, 0.002) ? VERDICT_HOLDS
                                                                            : VERDICT_VIOLATED;
    }
}

/* Where "direct" says otherwise of I, or an upper bound is below, one of the two is wrong, and it
 * may be held: no witness then. */
static bool contradicted(const struct latency_outcome *o, const struct latency_result *held, int i)
{
    double noise = fmax(holds_within_seconds, 4 * o->clock_cost);
    struct estimate b = held->figure[i].value;
    for (size_t k = 0; k < o->n_results; k++) {
        const struct latency_result *r = &o->result[k];
        bool upper = r->method->meaning == MEANS_UPPER_BOUND;
        if (!upper && strcmp(r->method->name, "direct") != 0)
            continue;
        struct estimate a = upper ? r->value : latency_figure_of(o, "direct", i)->value;
        double apart = upper ? b.value - a.value : fabs(b.value - a.value);
        if (estimate_known(a) && apart > r->clock_bound + noise &&
            estimates_differ(a, b, violated_from))
            return true;
    }
    return false;
}

static void judge(const struct latency_outcome *o, struct latency_result *result)
{
    const struct latency_result *held = latency_result_of(o, "held");
    check_gaps(o, result);
    if (!held)
        return;
    int known = 0;
    result->violations = 0;
    for (int i = 0; i < o->size; i++) {
        struct latency_figure *f = &result->figure[i];
        f->verdict = compare(f, &held->figure[i], o->clock_cost);
        if (f->verdict != VERDICT_NONE && contradicted(o, held, i))
            f->verdict = VERDICT_UNKNOWN;
        result->violations += f->verdict == VERDICT_VIOLATED;
        known += f->verdict == VERDICT_VIOLATED || f->verdict == VERDICT_HOLDS;
    }
    result->unknown = result->asked - known;
    if (held->slowest < 0)
        return;
    const struct latency_figure *last = &result->figure[held->slowest];
    if (last->verdict == VERDICT_HOLDS && agree(result->value, held->value, o->clock_cost))
        result->at_least = held->at_least;
    /* Where it gives the same for all, it is right of the last. */
    if (last->value.value >= (1 - violated_from) * result->value.value)
        result->slowest = held->slowest;
}

static double least(const struct latency_run *r, int k)
{
    return pair_least(r, k, false);
}

static double trip_of(const struct latency_figure *f)
{
    return f->timed[TIMED_WAY].at.value;
}

static double e_of(const struct latency_figure *f)
{
    return f->timed[TIMED_OPERATION].at.value;
}

static const char *verdict_of(const struct latency_figure *f)
{
    static const char *const words[] = {[VERDICT_NONE] = NULL,
                                        [VERDICT_HOLDS] = "no",
                                        [VERDICT_VIOLATED] = "violated",
                                        [VERDICT_UNKNOWN] = "unknown"};
    return words[f->verdict];
}

static const char *check_of(const struct latency_figure *f)
{
    static const char *const words[] = {[VERDICT_HOLDS] = "passed", [VERDICT_VIOLATED] = "failed"};
    return f->check <= VERDICT_VIOLATED ? words[f->check] : NULL;
}

static const struct latency_column columns[] = {
    {"rtl", "RTL_i: round trip of an acknowledgement", trip_of, NULL, NULL},
    {"e", "E_i: broadcast, then the destination's acknowledgement", e_of, NULL, NULL},
    {"ol", "OL_i = E_i - RTL_i / 2: the paper's", figure_seconds, NULL, NULL},
    {"paper_check", "E_i > every g_j: the paper's own check", NULL, check_of, NULL},
    {"violated", "ol is not OL_i there: believe held", NULL, verdict_of, NULL},
    {0},
};

const struct latency_method latency_ol = {
    .name = "ol",
    .summary = "per destination i: M x (broadcast, i's acknowledgement) less half a round trip",
    .reality =
        "the latency to each destination (OL_i), unless a rank on its path is still busy with "
        "the broadcast before",
    .value = "largest OL_i",
    .meaning = MEANS_LATENCY_IF,
    .kinds = KIND_FROM_ROOT,
    .figures = FIGURES_PAIRS,
    .columns = columns,
    .weight = 6,
    .least = least,
    .run = run,
    .judge = judge,
};
