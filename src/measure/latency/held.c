/* The paper's method, but the acknowledgement is held back until no rank is busy with the previous
 * operation: doc/methods.md, section 1. */
#include "measure/latency/run.h"

static int one(struct latency_run *r, struct plan plan)
{
    struct series s;
    struct curve curve;
    struct estimate ack = {0, 0, 0};
    double ack_loop = 0;
    /* If FROM waits, too, the others wait half as long, and that half must be at least a gap. */
    double first = r->c->kind == COLLECTIVE_FROM_ROOT ? r->gap : 2 * r->gap;
    if (r->from != r->to)
        TRY(run_measure_pings(r, false, &plan, &ack_loop));
    TRY(series_settle(r->c->comm, r->c->collector, &plan, first, batch_acknowledged, r, &s,
                      &curve));
    if (!r->keeps)
        return MPI_SUCCESS;
    struct latency_figure *f = run_figure(r);
    struct latency_timed *t = f->timed;
    figure_take(r, TIMED_OPERATION, &s);
    t[TIMED_SEEN].at = samples_estimate(&t[TIMED_SEEN].raw);
    if (r->from != r->to)
        ack = t[TIMED_PING].at;
    for (int i = 0; i < curve.n; i++)
        curve.point[i].at = latency_of(curve.point[i].at, ack);
    f->curve = curve;
    figure_value(r, latency_of(t[TIMED_OPERATION].at, ack), s.loop_mean - ack_loop);
    return MPI_SUCCESS;
}

static int run(struct latency_run *r, struct latency_result *result)
{
    TRY(run_gap_once(r, 0.1));
    TRY(run_pairs(r, r->c->together, one));
    result_way_error(r, result, 1);
    return MPI_SUCCESS;
}

const struct latency_method latency_held = {
    .name = "held",
    .reality = "the latency to each destination (OL_i), whatever the algorithm",
    .value = "largest OL_i",
    .meaning = MEANS_LATENCY,
    .kinds = KIND_ANY,
    .figures = FIGURES_PAIRS,
    .weight = 12,
    .run = run,
};
