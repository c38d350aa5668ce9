/* The paper's method with the acknowledgement held back until no rank is busy with the broadcast
 * before: doc/methods.md, section 1. */
#include "measure/bcast/bcast_inner.h"

#include <math.h>

/* What the operations of the last, longest hold showed directly; none without a common clock. */
static void keep_seen(struct bcast_timed *seen)
{
    seen->at = samples_estimate(&seen->raw);
}

static void take_off_way(struct curve *curve, struct estimate way)
{
    for (int i = 0; i < curve->n; i++)
        curve->point[i].at = latency_of(curve->point[i].at, way);
}

static int one(struct bcast_run *r, double share)
{
    struct series s;
    struct curve curve;
    double way_loop = NAN, started = budget_now();
    enum ping_what what = sync_shows_ways(r->c->clock) ? PING_BACK : PING_HALF;
    TRY(run_pings(r, what, TIMED_WAY, share, &way_loop));
    TRY(series_settle(r->c->comm, r->c->root, &r->c->plan, share_left(share, started), r->gap,
                      batch_acknowledged, r, &s, &curve));
    if (!r->roots)
        return MPI_SUCCESS;
    struct bcast_figure *f = run_figure(r);
    struct bcast_timed *t = f->timed;
    figure_take(r, TIMED_OPERATION, &s);
    keep_seen(&t[TIMED_SEEN]);
    take_off_way(&curve, t[TIMED_WAY].at);
    f->curve = curve;
    figure_value(r, latency_of(t[TIMED_OPERATION].at, t[TIMED_WAY].at), s.loop_mean - way_loop);
    return MPI_SUCCESS;
}

static int run(struct bcast_run *r, struct bcast_result *result)
{
    TRY(run_gap_once(r, run_part(r, 0.1)));
    TRY(run_each(r, result, false, one));
    return result_way_error(r, result, TIMED_WAY, 1);
}

/* Two holds, the first in half of what the round trips leave: one operation with a batch's untimed
 * one before it, then six; the second needs none alone. A barrier takes longer than an
 * acknowledgement. */
static double least(const struct bcast_run *r, int i)
{
    enum { FIRST = 2 + 7, BOTH = FIRST + 8 };
    double e = run_costs(r, i) + r->scout.barrier, holds = (BOTH + 8) * r->gap;
    return fmax(2 * FIRST * (e + r->gap), BOTH * e + holds) + least_of_pings(r);
}

static double way_of(const struct bcast_figure *f)
{
    return f->timed[TIMED_WAY].at.value;
}

static double low_of(const struct bcast_figure *f)
{
    return f->value.low;
}

static double high_of(const struct bcast_figure *f)
{
    return f->value.high;
}

static double hold_of(const struct bcast_figure *f)
{
    return f->curve.n > 0 ? f->curve.point[f->curve.believed].hold : NAN;
}

static double seen_of(const struct bcast_figure *f)
{
    return f->timed[TIMED_SEEN].at.value;
}

static const struct bcast_column columns[] = {
    {"way", "of the acknowledgement, which held takes off", way_of, NULL, NULL},
    {"held", "OL_i with the acknowledgement held back", figure_seconds, NULL, NULL},
    {"held_low", "95 % interval", low_of, NULL, NULL},
    {"held_high", NULL, high_of, NULL, NULL},
    {"hold", "for how long it was held back", hold_of, NULL, NULL},
    {"seen", "exit - entry of the root in the operations of held", seen_of, NULL, NULL},
    {0},
};

const struct bcast_method bcast_held = {
    .name = "held",
    .summary = "the same with i's acknowledgement held back until nobody is busy any more",
    .reality = "the latency to each destination (OL_i), whatever the broadcast",
    .value = "largest OL_i",
    .meaning = BCAST_LATENCY,
    .others = BCAST_FROM_ROOT,
    .columns = columns,
    .weight = 6,
    .least = least,
    .run = run,
};
