/* Runs the methods in the caller's order, each within its part of the budget, and stores their
 * outcomes. */
#include "measure/latency/run.h"

#include <stdlib.h>
#include <string.h>

#define DECLARE(symbol, name) extern const struct latency_method latency_##symbol;
#define ADDRESS(symbol, name) &latency_##symbol,
BCAST_METHODS(DECLARE)
const struct latency_method *const latency_methods[] = {BCAST_METHODS(ADDRESS)};
const size_t n_latency_methods = sizeof latency_methods / sizeof *latency_methods;

const struct latency_method *latency_method_find(const char *name)
{
    for (size_t i = 0; i < n_latency_methods; i++)
        if (strcmp(latency_methods[i]->name, name) == 0)
            return latency_methods[i];
    return NULL;
}

static const struct latency_result no_result = {.value = ESTIMATE_UNKNOWN,
                                                .loop_mean = NAN,
                                                .entry_spread = NAN,
                                                .slowest = -1,
                                                .violations = -1};

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
        *f = (struct latency_figure){.from = rooted || ranks ? k : k / r->size,
                                     .to = k % r->size,
                                     .value = ESTIMATE_UNKNOWN,
                                     .loop_mean = NAN,
                                     .curve = {.hold = NAN}};
        if (!ranks && rooted)
            *(r->c->kind == COLLECTIVE_FROM_ROOT ? &f->from : &f->to) = r->c->root;
    }
    return result->figure != NULL;
}

static bool outcome_new(const struct latency_run *r, struct latency_outcome *o)
{
    const size_t n = r->n_methods;
    o->result = calloc(n + 1, sizeof *o->result);
    if (!o->result)
        return false;
    o->size = r->size;
    o->n_results = n;
    bool good = true;
    for (size_t k = 0; k < n; k++)
        good = result_new(r, &o->result[k], r->methods[k]) && good;
    return good;
}

void latency_outcome_free(struct latency_outcome *o)
{
    for (struct latency_result *r = o->result; r < o->result + o->n_results; r++) {
        for (int i = 0; r->figure && i < r->n_figures; i++)
            for (int part = 0; part < N_TIMED; part++)
                samples_free(&r->figure[i].timed[part]);
        free(r->figure);
        series_free(&r->series);
    }
    free(o->result);
    *o = (struct latency_outcome){0};
}

/* Runs the pilot measurement, which needs a gap, before the first method that measures pairs. */
static int pilot_once(struct latency_run *r, const struct latency_method *m)
{
    if (r->c->plan.budget <= 0 || m->figures != FIGURES_PAIRS || r->pilot.n > 0)
        return MPI_SUCCESS;
    TRY(run_gap_once(r, 0.02));
    return run_pilot(r);
}

/* Runs method M with PART of the time until r->end. Rank 0 decides whether the time suffices. */
static int run_method(struct latency_run *r, const struct latency_method *m, double part,
                      struct latency_result *result)
{
    const struct plan *plan = &r->c->plan;
    int go = (plan->until <= 0 || clock_now() < plan->until) &&
             !(m->skipped && plan->budget > 0 &&
               2 * r->size * r->checked > fmax(r->last - budget_now(), plan->budget / 4));
    TRY(PMPI_Bcast(&go, 1, MPI_INT, 0, r->c->comm));
    result->over_budget = !go;
    r->result = result;
    if (!go)
        return MPI_SUCCESS;
    TRY(pilot_once(r, m));
    double now = budget_now();
    r->end = now + fmax(r->end - now, 0) * part;
    return m->run(r, result);
}

/* Only rank 0 stores results; other ranks write theirs to FORGOTTEN. */
static int run_all(struct latency_run *r, struct latency_outcome *o)
{
    const struct plan *plan = &r->c->plan;
    double end = budget_now() + plan->budget;
    int weights = 0; /* sum over the methods not yet run */
    r->last = fmax(end, end - plan->budget + plan->budget_most);
    for (size_t k = 0; k < r->n_methods; k++)
        weights += r->methods[k]->weight;
    for (size_t k = 0; k < r->n_methods; weights -= r->methods[k++]->weight) {
        struct latency_result forgotten = no_result;
        double part = (double)r->methods[k]->weight / weights;
        /* In an application the time is short, and latencies matter most: a method that measures
         * the latency gets at least half of the time left. */
        if (plan->until > 0 && r->methods[k]->meaning == MEANS_LATENCY)
            part = fmax(part, 0.5);
        r->end = end;
        forgotten.method = r->methods[k];
        TRY(run_method(r, r->methods[k], part, r->keeps ? &o->result[k] : &forgotten));
        series_free(&forgotten.series);
    }
    for (size_t k = 0; r->keeps && k < r->n_methods; k++)
        if (r->methods[k]->judge)
            r->methods[k]->judge(o, &o->result[k]);
    return MPI_SUCCESS;
}

static int validate(const struct latency_run *r, struct latency_outcome *o)
{
    int wrong = 0;
    if (r->c->check)
        TRY(r->c->check(r->c->arg, &wrong));
    if (wrong > o->wrong_ranks)
        o->wrong_ranks = wrong;
    return MPI_SUCCESS;
}

static int measure(struct latency_run *r, struct latency_outcome *o)
{
    const struct plan *plan = &r->c->plan;
    size_t most = (size_t)(plan->repetitions > plan->warmup ? plan->repetitions : plan->warmup);
    FREED double *scratch = malloc((most + 1) * sizeof *scratch);
    r->scratch = scratch;
    bool good = scratch && (!r->keeps || outcome_new(r, o));
    TRY(sync_all_have(r->c->comm, good));
    o->clock_cost = r->clock_cost = clock_cost();
    double start = budget_now();
    TRY(validate(r, o));
    r->checked = budget_now() - start;
    if (o->wrong_ranks == 0)
        TRY(run_all(r, o));
    return validate(r, o);
}

static int check_case(const struct latency_case *c, int *rank, int *size)
{
    int inter;
    TRY(PMPI_Comm_test_inter(c->comm, &inter));
    TRY(PMPI_Comm_size(c->comm, size));
    TRY(PMPI_Comm_rank(c->comm, rank));
    if (inter || *size < 2)
        return MPI_ERR_COMM;
    return c->root < 0 || c->root >= *size ? MPI_ERR_ROOT : MPI_SUCCESS;
}

int latency_measure(const struct latency_case *c, const struct latency_method *const *methods,
                    size_t n, struct latency_outcome *outcome)
{
    struct latency_run r = {.c = c, .methods = methods, .n_methods = n};
    *outcome = (struct latency_outcome){0};
    TRY(check_case(c, &r.rank, &r.size));
    r.keeps = r.rank == 0;
    int error = measure(&r, outcome);
    free(r.pilot.least);
    if (error != MPI_SUCCESS)
        latency_outcome_free(outcome);
    return error;
}

int latency_measure_direct(const struct latency_case *c, struct latency_outcome *outcome)
{
    const struct latency_method *direct = latency_method_find("direct");
    return latency_measure(c, &direct, 1, outcome);
}
