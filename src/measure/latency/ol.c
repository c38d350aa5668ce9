/* The paper's own method "ol": OL_i = E_i - RTL_i / 2 (figures 9 and 10); and "held", which delays
 * the acknowledgement until no rank is busy with the previous operation, and subtracts the
 * acknowledgement's one-way latency: doc/methods.md, section 1. */
#include "measure/latency/run.h"

extern const struct latency_method latency_held;

static int one(struct latency_run *r, struct plan plan)
{
    const bool held = r->result->method == &latency_held;
    struct series s;
    struct curve curve = {.hold = NAN};
    const struct latency_case *c = r->c;
    double ack_loop = 0, half = held ? 1 : 0.5;
    /* The first hold. Unless FROM is the root, other ranks wait half of it, at least a gap. */
    double first = c->kind == COLLECTIVE_FROM_ROOT ? r->gap : 2 * r->gap;
    if (r->from != r->to)
        TRY(run_measure_pings(r, !held, &plan, &ack_loop));
    if (held)
        TRY(series_settle(c->comm, &plan, first, batch_acknowledged, r, &s, &curve));
    else
        TRY(series_measure(c->comm, &plan, 0, batch_acknowledged, r, &s));
    if (!r->keeps)
        return MPI_SUCCESS;
    struct latency_figure *f = run_figure(r);
    struct estimate ack =
        r->from != r->to ? samples_estimate(&f->timed[TIMED_PING]) : (struct estimate){0, 0, 0};
    ack = (struct estimate){half * ack.value, half * ack.low, half * ack.high};
    figure_take(r, TIMED_OPERATION, &s);
    f->curve = curve;
    f->error = sync_measures_one_way(c->clock) ? 0 : ack.value;
    figure_set_value(r, latency_of(samples_estimate(&f->timed[TIMED_OPERATION]), ack),
                     s.loop_mean - half * ack_loop);
    return MPI_SUCCESS;
}

static int run(struct latency_run *r, struct latency_result *result)
{
    const bool held = result->method == &latency_held;
    if (held)
        TRY(run_gap_once(r, 0.1));
    return run_pairs(r, held && r->c->together, one);
}

/* The paper's assumption is violated if "ol" and "held" differ by more than 1 % and their
 * intervals, and holds if they differ by less than 5 % or 100 ns. Differences below 4 clock
 * readings, the error of E_i, RTL_i and the held E_i together, are ignored. */
static const double violated_from = 0.01, holds_within = 0.05, holds_within_seconds = 100e-9;

/* Whether the intervals exclude a difference above these limits; false without intervals. */
static bool agree(struct estimate a, struct estimate b, double clock_cost)
{
    double room = fmax(holds_within * b.value, fmax(holds_within_seconds, 4 * clock_cost));
    return fmax(fabs(a.high - b.low), fabs(b.high - a.low)) <= room;
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

/* The paper's own test: E_i must exceed every g_j on the path to rank i, since otherwise the gap of
 * the slowest rank is measured, not the acknowledgement. The path is unknown, so all j are tested.
 */
static void check_gaps(const struct latency_outcome *o, struct latency_result *result)
{
    const struct latency_result *gaps = latency_result_of(o, "gap");
    double largest = 0;
    for (int j = 0; gaps && j < o->size; j++)
        largest = fmax(largest, gaps->figure[j].value.value);
    for (int i = 0; largest > 0 && i < o->size; i++) {
        struct latency_figure *f = &result->figure[i];
        struct estimate e = samples_estimate(&f->timed[TIMED_OPERATION]),
                        gap = {largest, largest, largest};
        if (estimate_has_interval(e))
            f->check = e.value > largest && estimates_differ(e, gap, 0.002) ? VERDICT_HOLDS
                                                                            : VERDICT_VIOLATED;
    }
}

static void judge(const struct latency_outcome *o, struct latency_result *result)
{
    const struct latency_result *held = latency_result_of(o, "held");
    check_gaps(o, result);
    if (!held)
        return;
    result->violations = 0;
    for (int i = 0; i < o->size; i++) {
        struct latency_figure *f = &result->figure[i];
        f->verdict = compare(f, &held->figure[i], o->clock_cost);
        result->violations += f->verdict == VERDICT_VIOLATED;
    }
    if (held->slowest < 0)
        return;
    const struct latency_figure *last = &result->figure[held->slowest];
    if (last->verdict == VERDICT_HOLDS && agree(result->value, held->value, o->clock_cost))
        result->at_least = held->at_least;
    /* Destinations within 1 % are equally slow by "ol": then the slowest one is that of "held". */
    if (last->value.value >= (1 - violated_from) * result->value.value)
        result->slowest = held->slowest;
}

const struct latency_method latency_ol = {
    .name = "ol",
    .value = "largest OL_i",
    .meaning = MEANS_LATENCY_IF,
    .kinds = KIND_FROM_ROOT,
    .figures = FIGURES_PAIRS,
    .weight = 6,
    .run = run,
    .judge = judge,
};

const struct latency_method latency_held = {
    .name = "held",
    .value = "largest OL_i",
    .meaning = MEANS_LATENCY,
    .kinds = ~(1u << COLLECTIVE_NEIGHBOURS),
    .figures = FIGURES_PAIRS,
    .weight = 12,
    .run = run,
};
