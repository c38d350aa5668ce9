/* The paper's own method: OL_i = E_i - RTL_i / 2 (figures 9 and 10). */
#include "measure/bcast/run.h"

#include <math.h>

static int one(struct bcast_run *r, double share)
{
    struct series s;
    double trip_loop = NAN;
    TRY(run_trip(r, share / 4, &trip_loop));
    TRY(series_measure(r->c->comm, r->c->root, &r->c->plan, share * 3 / 4, 0, batch_acknowledged, r,
                       &s));
    if (!r->roots)
        return MPI_SUCCESS;
    struct bcast_timed *t = run_figure(r)->timed;
    figure_take(r, TIMED_OPERATION, &s);
    figure_value(r, latency_of(t[TIMED_OPERATION].at, t[TIMED_TRIP].at),
                 s.loop_mean - trip_loop / 2);
    return MPI_SUCCESS;
}

static int run(struct bcast_run *r, struct bcast_result *result)
{
    return run_each(r, result, false, one);
}

/* The paper's assumption holds where its value and the held one agree. Where it fails its value
 * is too large, never too small; and what the readings of the clock in E_i, RTL_i and the held
 * E_i cost is no finding. */
static const double violation_tolerance = 0.01;

static enum bcast_verdict compare(struct estimate paper, struct estimate held, double clock_cost)
{
    if (!estimate_known(paper) || !estimate_known(held))
        return VERDICT_NONE;
    bool violated = paper.value - held.value > 4 * clock_cost &&
                    estimates_differ(paper, held, violation_tolerance);
    return violated ? VERDICT_VIOLATED : VERDICT_HOLDS;
}

static void judge(const struct bcast_outcome *o, struct bcast_result *result)
{
    const struct bcast_result *held = bcast_result_of(o, "held");
    if (!held)
        return;
    result->violations = 0;
    for (int i = 0; i < o->size; i++) {
        struct bcast_figure *f = &result->figure[i];
        f->verdict = compare(f->value, held->figure[i].value, o->clock_cost);
        result->violations += f->verdict == VERDICT_VIOLATED;
    }
}

static double trip_of(const struct bcast_figure *f)
{
    return f->timed[TIMED_TRIP].at.value;
}

static double e_of(const struct bcast_figure *f)
{
    return f->timed[TIMED_OPERATION].at.value;
}

static double value_of(const struct bcast_figure *f)
{
    return f->value.value;
}

static const char *verdict_of(const struct bcast_figure *f)
{
    static const char *const words[] = {
        [VERDICT_NONE] = NULL, [VERDICT_HOLDS] = "no", [VERDICT_VIOLATED] = "violated"};
    return words[f->verdict];
}

static const struct bcast_column columns[] = {
    {"rtl", "RTL_i: round trip of an acknowledgement", trip_of, NULL},
    {"e", "E_i: broadcast, then the destination's acknowledgement", e_of, NULL},
    {"ol", "OL_i = E_i - RTL_i / 2: the paper's", value_of, NULL},
    {"violated", "the paper's assumption fails there: believe held", NULL, verdict_of},
    {0},
};

const struct bcast_method bcast_ol = {
    .name = "ol",
    .summary = "per destination i: M x (broadcast, i's acknowledgement) less half a round trip",
    .reality = "OL_i, unless a task on i's path is still busy with the broadcast before",
    .value = "largest OL_i, median",
    .meaning = BCAST_LATENCY_IF,
    .columns = columns,
    .weight = 4,
    .run = run,
    .judge = judge,
};
