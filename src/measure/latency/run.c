/* What the methods share: parts of the budget, and the figures of pairs and ranks. */
#include "measure/latency/run.h"

#include <string.h>

/* Even after the end of the budget the plan's budget is not 0, which would mean no limit. */
struct plan run_plan_part(const struct latency_run *r, double part)
{
    struct plan plan = r->c->plan;
    if (plan.budget > 0) {
        double now = budget_now();
        plan.budget = fmax(part * (r->end - now), 1e-9);
        plan.budget_most = fmax(r->last - now, plan.budget);
    }
    return plan;
}

int run_series(struct latency_run *r, const struct plan *plan, batch_run batch, void *arg,
               struct latency_result *result)
{
    struct series s;
    TRY(series_measure(r->c->comm, plan, 0, batch, arg, &s));
    result->series = s;
    result->value = samples_estimate(&s.samples);
    result->loop_mean = s.loop_mean;
    result->over_budget = s.over_budget;
    return MPI_SUCCESS;
}

int values_to_rank_0(const struct latency_run *r, int from, const double *mine, double *value,
                     int n)
{
    MPI_Comm comm = r->c->comm;
    if (from == 0 && r->keeps)
        memcpy(value, mine, (size_t)n * sizeof *value);
    else if (r->rank == from)
        return PMPI_Send(mine, n, MPI_DOUBLE, 0, TAG_VALUES, comm);
    else if (r->keeps)
        return PMPI_Recv(value, n, MPI_DOUBLE, from, TAG_VALUES, comm, MPI_STATUS_IGNORE);
    return MPI_SUCCESS;
}

struct latency_figure *run_figure(const struct latency_run *r)
{
    bool ranks = r->result->method->figures == FIGURES_RANKS;
    return &r->result->figure[ranks ? r->to : run_index(r, r->from, r->to)];
}

void figure_take(struct latency_run *r, int part, struct series *s)
{
    if (!r->keeps)
        return;
    struct samples *raw = &run_figure(r)->timed[part];
    samples_free(raw);
    *raw = s->samples;
    if (part == TIMED_OPERATION)
        r->result->over_budget |= s->over_budget;
}

/* A latency is positive. Times in the call and gaps may be about 0, and the clock readings that are
 * subtracted may make them negative, by up to 100 ns. */
static bool is_possible(const struct latency_run *r, double value)
{
    const enum latency_meaning m = r->result->method->meaning;
    const bool may_be_none = r->c->together || m == MEANS_OVERHEAD || m == MEANS_GAP;
    return value > (may_be_none ? -100e-9 : 0);
}

void figure_set_value(struct latency_run *r, struct estimate value, double loop)
{
    struct latency_result *result = r->result;
    struct latency_figure *f = run_figure(r);
    if (!estimate_known(value))
        return;
    if (!is_possible(r, value.value)) {
        result->impossible++;
        return;
    }
    f->value = value;
    f->loop_mean = loop;
    result->over_budget |= f->curve.hold > 0 && !f->curve.settled;
    if (!(result->loop_mean >= loop))
        result->loop_mean = loop;
    /* If values differ by less than 1 ns, the value from a settled curve is preferred. */
    double above = value.value - result->value.value;
    if (result->slowest < 0 ||
        (fabs(above) < 1e-9 ? latency_unsettled(result) && f->curve.settled : above > 0)) {
        result->value = value;
        result->slowest = (int)(f - result->figure);
    }
}

void figures_of_ranks(struct latency_run *r, int excluded)
{
    struct latency_result *result = r->result;
    result->value = ESTIMATE_UNKNOWN;
    result->loop_mean = excluded < 0 ? NAN : result->loop_mean;
    result->asked = r->size - (excluded >= 0);
    for (r->to = 0; r->to < r->size; r->to++) {
        struct latency_figure *f = run_figure(r);
        const struct estimate value = samples_estimate(&f->timed[TIMED_OPERATION]);
        if (r->to == excluded) {
            f->value = value;
            continue;
        }
        result->measured += estimate_known(value);
        figure_set_value(r, value, samples_summary(&f->timed[TIMED_OPERATION]).mean);
    }
}

bool latency_unsettled(const struct latency_result *r)
{
    const struct curve *c = r->slowest >= 0 ? &r->figure[r->slowest].curve : NULL;
    return c && c->hold > 0 && !c->settled;
}

/* - *ERROR of a result covers that another figure, plus its own error, may be the largest.
 * - Autocorrelated samples, such as by a drifting clock, have no interval: their range is taken
 *   instead if *ERROR is larger anyway.
 * - A value is unknown if its error exceeds 1.1 times the value, not 1.0 times: a broadcast to one
 *   host takes about half a round trip, and that is its error. A lower bound of 0 says nothing. */
struct estimate latency_within(const struct latency_result *r, const struct latency_figure *f,
                               double *error)
{
    static const struct latency_figure none;
    const struct latency_figure *of = f ? f : r->slowest >= 0 ? &r->figure[r->slowest] : &none;
    const struct summary s = samples_summary(&of->timed[TIMED_OPERATION]);
    struct estimate e = f ? f->value : r->value;
    double below = of->error + r->clock_bound;
    *error = below;
    for (int k = 0; !f && k < r->n_figures; k++)
        if (r->figure && r->figure[k].error > 0)
            *error = fmax(*error, r->figure[k].value.value + r->figure[k].error - e.value);
    if (!estimate_has_interval(e) && s.n >= SAMPLES_FOR_INTERVAL && s.max - s.min < *error)
        e.low = s.min, e.high = s.max;
    const bool at_least = !f && r->at_least, at_most = of->curve.hold > 0 && !of->curve.settled;
    double low = at_least ? fmin(e.low, e.value) : e.low;
    return (struct estimate){*error > fmax(0, (at_least ? 1 : 1.1) * e.value) ? NAN : e.value,
                             at_most ? (isnan(e.low) ? NAN : 0) : low - fmin(below, fmax(low, 0)),
                             at_least ? NAN : e.high + *error};
}

struct latency_result *latency_result_of(const struct latency_outcome *o, const char *method)
{
    for (size_t k = 0; k < o->n_results; k++)
        if (strcmp(o->result[k].method->name, method) == 0)
            return &o->result[k];
    return NULL;
}
