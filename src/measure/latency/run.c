#include "measure/latency/run.h"

#include <stdlib.h>
#include <string.h>

/* So many times the least that a figure needs, for what is disturbed meanwhile. */
static const double spare = 1.5;

double run_part(const struct latency_run *r, double part)
{
    if (r->share <= 0)
        return 0;
    return fmax(part * (r->share - (budget_now() - r->started)), 1e-9);
}

int run_operation(void *arg)
{
    const struct latency_run *r = arg;
    return run_once(r, r->c->root);
}

int run_series(struct latency_run *r, batch_run batch, void *arg, struct latency_result *result)
{
    struct series s;
    TRY(series_measure(r->c->comm, r->c->collector, &r->c->plan, run_part(r, 1), 0, batch, arg,
                       &s));
    r->one = s.per_operation;
    result->series = s;
    result->value = series_estimate(&s);
    result->loop_mean = s.batches > 0 ? s.loop_mean : NAN;
    result->over_budget = s.over_budget;
    result->attempts = s.attempts;
    return MPI_SUCCESS;
}

int run_timed_loop(struct latency_run *r, const struct batch *b,
                   int (*operation)(const struct latency_run *), double *value, int *n,
                   double *loop)
{
    TRY(PMPI_Barrier(r->c->comm));
    run_before(r);
    TRY(operation(r));
    double last = run_next(r, clock_now());
    for (int k = 0; k < b->repetitions; k++) {
        TRY(operation(r));
        double now = clock_now();
        r->scratch[k] = now - last - r->clock_cost;
        last = run_next(r, now);
    }
    *n = b->repetitions;
    return values_to_keeper(r->c->comm, r->c->root, r->c->collector, r->scratch, value, *n, loop);
}

int run_one_value(const struct latency_run *r, double mine, double *value, int *n, double *loop)
{
    *n = 1;
    return values_to_keeper(r->c->comm, r->c->root, r->c->collector, &mine, value, 1, loop);
}

/* --- figures --- */

#define UNKNOWN                                                                                    \
    {                                                                                              \
        NAN, NAN, NAN                                                                              \
    }
static const struct latency_figure no_figure = {
    .value = UNKNOWN,
    .loop = NAN,
    .last = NAN,
    .timed = {{.at = UNKNOWN}, {.at = UNKNOWN}, {.at = UNKNOWN}}};
_Static_assert(N_TIMED == 3, "no_figure has them all unknown");

struct latency_figure *run_figure(const struct latency_run *r)
{
    bool ranks = r->result->method->figures == FIGURES_RANKS;
    return &r->result->figure[ranks ? r->to : run_index(r, r->from, r->to)];
}

double figure_seconds(const struct latency_figure *f)
{
    return f->value.value;
}

void figure_take(struct latency_run *r, int part, struct series *s)
{
    if (!r->keeps)
        return;
    struct latency_timed *t = &run_figure(r)->timed[part];
    t->at = series_estimate(s);
    samples_free(&t->raw);
    t->raw = s->samples;
    if (part == TIMED_OPERATION) {
        r->result->over_budget |= s->over_budget;
        r->result->attempts += s->attempts;
    }
}

/* What is free to go at once takes no time, and a reading of the clock less than that. */
static bool is_possible(const struct latency_run *r, double value)
{
    bool may_be_none = r->c->together || r->result->method->meaning == MEANS_OVERHEAD;
    return value > (may_be_none ? -100e-9 : 0);
}

void figure_value(struct latency_run *r, struct estimate value, double loop)
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
    f->loop = loop;
    if (f->curve.n > 0 && !f->curve.settled) {
        result->over_budget = true;
        result->unsettled++;
    }
    if (!(result->loop_mean >= loop))
        result->loop_mean = loop;
    /* Of equals, but for what their clocks' digits hold, one that has settled. */
    double above = value.value - result->value.value;
    if (result->slowest < 0 ||
        (fabs(above) < 1e-9 ? latency_unsettled(result) && f->curve.settled : above > 0)) {
        result->value = value;
        result->slowest = (int)(f - result->figure);
    }
}

bool latency_unsettled(const struct latency_result *r)
{
    const struct curve *c = r->slowest >= 0 ? &r->figure[r->slowest].curve : NULL;
    return c && c->n > 0 && !c->settled;
}

struct latency_result *latency_result_of(const struct latency_outcome *o, const char *method)
{
    for (size_t k = 0; k < o->n_results; k++)
        if (strcmp(o->result[k].method->name, method) == 0)
            return &o->result[k];
    return NULL;
}

const struct latency_figure *latency_figure_of(const struct latency_outcome *o, const char *method,
                                               int i)
{
    const struct latency_result *result = latency_result_of(o, method);
    return result && result->figure ? &result->figure[i] : &no_figure;
}

void latency_unjudge(struct latency_outcome *o)
{
    for (size_t k = 0; k < o->n_results; k++) {
        struct latency_result *r = &o->result[k];
        for (int i = 0; r->violations >= 0 && i < r->n_figures; i++) {
            if (r->figure[i].verdict != VERDICT_NONE)
                r->figure[i].verdict = VERDICT_UNKNOWN;
            r->figure[i].check = VERDICT_NONE;
        }
        if (r->violations >= 0)
            r->violations = 0, r->unknown = r->asked;
    }
}

/* --- outcomes --- */

static const struct latency_result no_result = {
    .value = UNKNOWN, .loop_mean = NAN, .apart = NAN, .slowest = -1, .violations = -1};

static bool result_new(const struct latency_run *r, struct latency_result *result,
                       const struct latency_method *method)
{
    bool rooted = r->c->kind == COLLECTIVE_FROM_ROOT || r->c->kind == COLLECTIVE_TO_ROOT;
    bool ranks = method->figures == FIGURES_RANKS;
    *result = no_result;
    result->method = method;
    if (method->figures == FIGURES_NONE)
        return true;
    result->n_figures = rooted || ranks ? r->size : r->size * r->size;
    result->figure = malloc((size_t)result->n_figures * sizeof *result->figure);
    for (int k = 0; result->figure && k < result->n_figures; k++) {
        struct latency_figure *f = &result->figure[k];
        *f = no_figure;
        f->from = rooted || ranks ? k : k / r->size;
        f->to = k % r->size;
        if (!ranks && rooted)
            *(r->c->kind == COLLECTIVE_FROM_ROOT ? &f->from : &f->to) = r->c->root;
    }
    return result->figure != NULL;
}

static bool outcome_new(const struct latency_run *r, struct latency_outcome *o,
                        const struct latency_method *const *methods, size_t n)
{
    o->result = calloc(n + 1, sizeof *o->result);
    if (!o->result)
        return false;
    o->size = r->size;
    o->n_results = n;
    bool good = true;
    for (size_t k = 0; k < n; k++)
        good = result_new(r, &o->result[k], methods[k]) && good;
    return good;
}

void latency_outcome_free(struct latency_outcome *o)
{
    for (size_t k = 0; k < o->n_results; k++) {
        struct latency_result *r = &o->result[k];
        for (int i = 0; r->figure && i < r->n_figures; i++)
            for (int part = 0; part < N_TIMED; part++)
                samples_free(&r->figure[i].timed[part].raw);
        free(r->figure);
        series_free(&r->series);
        samples_free(&r->span);
    }
    free(o->result);
    *o = (struct latency_outcome){0};
}

/* --- methods in turn --- */

/* The latencies first: a slow operation leaves time for little, and the bounds are there to be
 * compared with them. */
struct order {
    const struct latency_method *const *methods;
    size_t n;
    int *at;
};

static void order_make(struct order *order, size_t n)
{
    for (int latencies = 1; latencies >= 0; latencies--)
        for (size_t k = 0; k < n; k++)
            if ((order->methods[k]->least != NULL) == latencies)
                order->at[order->n++] = (int)k;
}

/* Seconds that those from K on need at least, for the pairs that may be the slowest. */
static double still_needed(const struct latency_run *r, const struct order *order, size_t k)
{
    double needed = 0;
    for (int slowest = pilot_slowest(&r->pilot); r->pilot.time && k < order->n; k++) {
        const struct latency_method *m = order->methods[order->at[k]];
        int pairs = m->figures == FIGURES_PAIRS ? pilot_candidates(&r->pilot) : 1;
        needed += m->least ? pairs * m->least(r, slowest) : 0;
    }
    return needed;
}

/* The seconds of the K-th to run: what is left, by the weights of those still to come; but the
 * least that each of them needs is theirs, and some to spare where there is as much. */
static double method_share(const struct latency_run *r, const struct order *order, size_t k)
{
    if (r->budget <= 0)
        return 0;
    double weights = 0;
    for (size_t i = k; i < order->n; i++)
        weights += order->methods[order->at[i]]->weight;
    double all = still_needed(r, order, k), room = fmax(1, fmin(spare, r->left / all));
    double later = room * still_needed(r, order, k + 1), own = room * all - later;
    double even = r->left * order->methods[order->at[k]]->weight / weights;
    return fmax(fmin(fmax(even, own), r->left - later), 1e-9);
}

/* A pilot measurement, if there are pairs to choose from: the budget follows from it. */
static int look_ahead(struct latency_run *r, const struct order *order)
{
    const struct plan *plan = &r->c->plan;
    bool pairs = false;
    for (size_t k = 0; k < order->n; k++)
        pairs = pairs || order->methods[k]->figures == FIGURES_PAIRS;
    r->budget = plan->budget;
    if (plan->budget <= 0 || !pairs)
        return MPI_SUCCESS;
    double started = budget_now();
    TRY(run_gap_once(r, 0.02 * plan->budget));
    TRY(run_pilot(r, plan->budget / 3));
    double spent = budget_now() - started, needed = spent + spare * still_needed(r, order, 0);
    r->budget = fmax(fmax(plan->budget, fmin(plan->budget_most, needed)) - spent, 1e-9);
    return MPI_SUCCESS;
}

/* Whether the K-th is to begin, decided by the collector. Those that are not are over budget. */
static int has_time(const struct latency_run *r, struct latency_outcome *o,
                    const struct order *order, size_t k, int *go)
{
    double until = r->c->plan.until;
    *go = until <= 0 || clock_now() < until;
    if (until > 0)
        TRY(PMPI_Bcast(go, 1, MPI_INT, r->c->collector, r->c->comm));
    for (; !*go && r->keeps && k < order->n; k++)
        o->result[order->at[k]].over_budget = true;
    return MPI_SUCCESS;
}

static int run_in_order(struct latency_run *r, struct latency_outcome *o, const struct order *order)
{
    TRY(look_ahead(r, order));
    double started = budget_now();
    for (size_t k = 0; k < order->n; k++) {
        const struct latency_method *m = order->methods[order->at[k]];
        int go;
        TRY(has_time(r, o, order, k, &go));
        if (!go)
            break;
        /* Only the collector keeps the result; elsewhere it is written to and forgotten. */
        struct latency_result forgotten = no_result;
        forgotten.method = m;
        r->result = r->keeps ? &o->result[order->at[k]] : &forgotten;
        /* Used up is not the same as without a limit. */
        r->left = r->budget > 0 ? fmax(r->budget - (budget_now() - started), 1e-9) : 0;
        r->share = method_share(r, order, k);
        r->started = budget_now();
        TRY(m->batch ? run_series(r, m->batch, r, r->result) : m->run(r, r->result));
        series_free(&forgotten.series);
    }
    for (size_t k = 0; r->keeps && k < order->n; k++)
        if (order->methods[k]->judge)
            order->methods[k]->judge(o, &o->result[k]);
    return MPI_SUCCESS;
}

static int validate(const struct latency_run *r, struct latency_outcome *o)
{
    int wrong = 0;
    if (r->c->check)
        TRY(r->c->check(r->c->arg, &wrong, &o->validated));
    if (wrong > o->wrong_ranks)
        o->wrong_ranks = wrong;
    return MPI_SUCCESS;
}

static int measure(struct latency_run *r, struct order *order, size_t n, struct latency_outcome *o)
{
    const struct plan *plan = &r->c->plan;
    size_t most = (size_t)(plan->repetitions > plan->warmup ? plan->repetitions : plan->warmup);
    r->scratch = malloc((2 * most + 2) * sizeof *r->scratch);
    order->at = malloc((n + 1) * sizeof *order->at);
    TRY(crew_agree(r->c->comm,
                   r->scratch && order->at && (!r->keeps || outcome_new(r, o, order->methods, n))));
    order_make(order, n);
    o->clock_cost = r->clock_cost = clock_cost();
    TRY(validate(r, o));
    if (o->wrong_ranks == 0)
        TRY(run_in_order(r, o, order));
    return validate(r, o);
}

int latency_measure(const struct latency_case *c, const struct latency_method *const *methods,
                    size_t n, struct latency_outcome *outcome)
{
    struct latency_run r = {.c = c};
    struct order order = {.methods = methods};
    *outcome = (struct latency_outcome){0};
    TRY(crew_check(c->comm, c->root, c->collector, &r.rank, &r.size));
    r.keeps = r.rank == c->collector;
    int error = measure(&r, &order, n, outcome);
    free(r.scratch);
    free(order.at);
    free(r.pilot.time);
    if (error != MPI_SUCCESS || !r.keeps) {
        struct latency_outcome kept = *outcome;
        latency_outcome_free(outcome);
        outcome->wrong_ranks = kept.wrong_ranks;
        outcome->validated = kept.validated;
    }
    return error;
}

int latency_measure_direct(const struct latency_case *c, struct latency_outcome *outcome)
{
    const struct latency_method *direct = latency_method_find("direct");
    return latency_measure(c, &direct, 1, outcome);
}
