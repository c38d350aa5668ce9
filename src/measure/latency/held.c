/* The paper's method with the acknowledgement held back until no rank is busy with the operation
 * before: doc/methods.md, section 1. */
#include "measure/latency/run.h"

static int one(struct latency_run *r, double share)
{
    struct series s;
    struct curve curve;
    struct estimate way = {0, 0, 0};
    double way_loop = 0, left = share;
    /* Where FROM holds, too, so do the others, for half as long: that has to be a gap. */
    double first = r->c->kind == COLLECTIVE_FROM_ROOT ? r->gap : 2 * r->gap;
    if (r->from != r->to)
        TRY(run_pings(r, false, share, &left, &way_loop));
    TRY(series_settle(r->c->comm, r->c->collector, &r->c->plan, left, first, batch_acknowledged, r,
                      &s, &curve));
    if (!r->keeps)
        return MPI_SUCCESS;
    struct latency_figure *f = run_figure(r);
    struct latency_timed *t = f->timed;
    figure_take(r, TIMED_OPERATION, &s);
    t[TIMED_SEEN].at = samples_estimate(&t[TIMED_SEEN].raw);
    if (r->from != r->to)
        way = t[TIMED_WAY].at;
    for (int i = 0; i < curve.n; i++)
        curve.point[i].at = latency_of(curve.point[i].at, way);
    f->curve = curve;
    figure_value(r, latency_of(t[TIMED_OPERATION].at, way), s.loop_mean - way_loop);
    return MPI_SUCCESS;
}

static int run(struct latency_run *r, struct latency_result *result)
{
    TRY(run_gap_once(r, run_part(r, 0.1)));
    TRY(run_pairs(r, r->c->together, one));
    result_way_error(r, result, 1);
    return MPI_SUCCESS;
}

static double least(const struct latency_run *r, int k)
{
    return pair_least(r, k, true);
}

static double way_of(const struct latency_figure *f)
{
    return f->timed[TIMED_WAY].at.value;
}

static double low_of(const struct latency_figure *f)
{
    return f->value.low;
}

static double high_of(const struct latency_figure *f)
{
    return f->value.high;
}

static double hold_of(const struct latency_figure *f)
{
    return f->curve.n > 0 ? f->curve.point[f->curve.believed].hold : NAN;
}

static double seen_of(const struct latency_figure *f)
{
    return f->timed[TIMED_SEEN].at.value;
}

static const struct latency_column columns[] = {
    {"way", "one-way latency of the acknowledgement, which held takes off", way_of, NULL, NULL},
    {"held", "OL_i with the acknowledgement held back", figure_seconds, NULL, NULL},
    {"held_low", "95 % interval", low_of, NULL, NULL},
    {"held_high", NULL, high_of, NULL, NULL},
    {"hold", "for how long it was held back", hold_of, NULL, NULL},
    {"seen", "exit - entry of the root in the operations of held", seen_of, NULL, NULL},
    {0},
};

const struct latency_method latency_held = {
    .name = "held",
    .summary = "as ol, with i's acknowledgement held back until no rank is busy any more",
    .reality = "the latency to each destination (OL_i), whatever the algorithm",
    .value = "largest OL_i",
    .meaning = MEANS_LATENCY,
    .kinds = KIND_ANY,
    .figures = FIGURES_PAIRS,
    .columns = columns,
    .weight = 12,
    .least = least,
    .run = run,
};
