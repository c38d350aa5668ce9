#include "measure/bcast/bcast.h"

#include "base/names.h"
#include "measure/bcast/bcast_inner.h"
#include "measure/bcast/validate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double run_part(const struct bcast_run *r, double part)
{
    if (r->share <= 0)
        return 0;
    return fmax(part * (r->share - (budget_now() - r->started)), 1e-9);
}

int run_operation(void *arg)
{
    const struct bcast_run *r = arg;
    return run_once(r, r->c->root);
}

void result_from_series(struct bcast_result *result, const struct series *s)
{
    result->series = *s;
    result->value = series_estimate(s);
    result->loop_mean = s->batches > 0 ? s->loop_mean : NAN;
    result->over_budget = s->over_budget;
    result->attempts = s->attempts;
}

int run_one_series(struct bcast_run *r, batch_run batch, void *arg, struct bcast_result *result)
{
    struct series s;
    TRY(series_measure(r->c->comm, r->c->root, &r->c->plan, run_part(r, 1), 0, batch, arg, &s));
    result_from_series(result, &s);
    return MPI_SUCCESS;
}

int run_timed_loop(struct bcast_run *r, const struct batch *b,
                   int (*operation)(const struct bcast_run *), double *value, int *n, double *loop)
{
    TRY(PMPI_Barrier(r->c->comm));
    TRY(operation(r));
    double last = run_refresh(r, clock_now()), sum = 0;
    for (int k = 0; k < b->repetitions; k++) {
        TRY(operation(r));
        if (r->roots) {
            double now = clock_now();
            value[k] = now - last - r->clock_cost;
            sum += value[k];
            last = run_refresh(r, now);
        }
    }
    if (r->roots) {
        *loop = sum / b->repetitions;
        *n = b->repetitions;
    }
    return MPI_SUCCESS;
}

static int case_check(const struct bcast_case *c, int *rank, int *size)
{
    TRY(crew_check(c->comm, c->root, c->collector, rank, size));
    if (c->count < 0)
        return MPI_ERR_COUNT;
    for (int k = 0; c->destinations && k < c->n_destinations; k++)
        if (c->destinations[k] < 0 || c->destinations[k] >= *size || c->destinations[k] == c->root)
            return MPI_ERR_ARG;
    return c->n_destinations < 0 ? MPI_ERR_ARG : MPI_SUCCESS;
}

#define UNKNOWN                                                                                    \
    {                                                                                              \
        NAN, NAN, NAN                                                                              \
    }
static const struct bcast_figure no_figure = {
    .value = UNKNOWN,
    .loop = NAN,
    .last = NAN,
    .timed = {{.at = UNKNOWN}, {.at = UNKNOWN}, {.at = UNKNOWN}, {.at = UNKNOWN}}};
_Static_assert(N_TIMED == 4, "no_figure has them all unknown");
static const struct bcast_result no_result = {
    .value = UNKNOWN, .loop_mean = NAN, .slowest = -1, .violations = -1};

struct bcast_result *bcast_result_of(const struct bcast_outcome *o, const char *method)
{
    for (size_t k = 0; k < o->n_results; k++)
        if (strcmp(o->result[k].method->name, method) == 0)
            return &o->result[k];
    return NULL;
}

const struct bcast_figure *bcast_figure_of(const struct bcast_outcome *o, const char *method, int i)
{
    const struct bcast_result *result = bcast_result_of(o, method);
    return result && result->figure ? &result->figure[i] : &no_figure;
}

static bool result_new(struct bcast_result *result, const struct bcast_method *method, int size)
{
    *result = no_result;
    result->method = method;
    if (!method->columns)
        return true;
    result->figure = malloc((size_t)size * sizeof *result->figure);
    for (int i = 0; result->figure && i < size; i++)
        result->figure[i] = no_figure;
    return result->figure != NULL;
}

static bool outcome_new(struct bcast_outcome *o, const struct bcast_method *const *methods,
                        size_t n, int size)
{
    o->result = calloc(n + 1, sizeof *o->result);
    if (!o->result)
        return false;
    o->size = size;
    o->n_results = n;
    bool good = true;
    for (size_t k = 0; k < n; k++)
        good = result_new(&o->result[k], methods[k], size) && good;
    return good;
}

/* Room for everything, on the ranks that need it; all ranks agree on whether they have it. */
static int allocate(struct bcast_run *r, struct bcast_outcome *o,
                    const struct bcast_method *const *methods, size_t n)
{
    const struct plan *plan = &r->c->plan;
    size_t most = (size_t)(plan->repetitions > plan->warmup ? plan->repetitions : plan->warmup);
    bool keeps = r->roots || r->rank == r->c->collector;
    r->scratch = malloc((2 * most + 2) * sizeof *r->scratch);
    bool have = r->scratch != NULL && (!keeps || outcome_new(o, methods, n, r->size));
    return crew_agree(r->c->comm, have);
}

double run_least(const struct bcast_run *r, const struct bcast_method *method, int i)
{
    return r->scout.exit && method->least ? method->least(r, i) : 0;
}

int run_slowest_scouted(const struct bcast_run *r)
{
    int slowest = 0;
    for (int i = 1; r->scout.exit && i < r->size; i++)
        if (scouted(&r->scout, i) > scouted(&r->scout, slowest))
            slowest = i;
    return slowest;
}

/* The methods in the order in which they run: the latencies first. A slow broadcast leaves time
 * for little, and the bounds are there to be compared with them. */
#define ONE_MORE(symbol, name) +1
enum { N_BCAST_METHODS = BCAST_METHODS(ONE_MORE) };
struct order {
    const struct bcast_method *const *methods;
    size_t n;
    int at[N_BCAST_METHODS];
};

static struct order order_of(const struct bcast_method *const *methods, size_t n, unsigned seed)
{
    struct order order = {.methods = methods};
    for (int latencies = 1; latencies >= 0; latencies--) {
        size_t first = order.n;
        for (size_t k = 0; k < n && order.n < N_BCAST_METHODS; k++)
            if ((methods[k]->least != NULL) == latencies)
                order.at[order.n++] = (int)k;
        if (seed)
            run_shuffle(order.at + first, (int)(order.n - first), seed);
    }
    return order;
}

/* Seconds that those from K on need at least. */
static double still_needed(const struct bcast_run *r, const struct order *order, size_t k)
{
    double needed = 0;
    for (int slowest = run_slowest_scouted(r); k < order->n; k++)
        needed += run_least(r, order->methods[order->at[k]], slowest);
    return needed;
}

/* The seconds of the K-th to run: what is left, by the weights of those still to come; but the
 * least that each of them needs is theirs, and some where there is as much. */
static double method_share(const struct bcast_run *r, const struct order *order, size_t k)
{
    if (r->budget <= 0)
        return 0;
    double weights = 0, left = r->left;
    for (size_t i = k; i < order->n; i++)
        weights += order->methods[order->at[i]]->weight;
    double all = still_needed(r, order, k), spare = fmax(1, fmin(least_with_spare, left / all));
    double later = spare * still_needed(r, order, k + 1), own = spare * all - later;
    double even = left * order->methods[order->at[k]]->weight / weights;
    return fmax(fmin(fmax(even, own), left - later), 1e-9);
}

/* Looks at all destinations, once, if there is anything to choose: the budget follows from it. */
static int look_ahead(struct bcast_run *r, const struct order *order)
{
    const struct plan *plan = &r->c->plan;
    r->budget = plan->budget;
    if (plan->budget <= 0 || order->n == 0 || !order->methods[order->at[0]]->least)
        return MPI_SUCCESS;
    double started = budget_now();
    TRY(run_scout(r));
    TRY(run_gap_once(r, 0.02 * plan->budget));
    double spent = budget_now() - started,
           needed = spent + least_with_spare * still_needed(r, order, 0);
    r->budget = fmax(fmax(plan->budget, fmin(plan->budget_most, needed)) - spent, 1e-9);
    return MPI_SUCCESS;
}

static int run_methods(struct bcast_run *r, struct bcast_outcome *o,
                       const struct bcast_method *const *methods, size_t n)
{
    struct order order = order_of(methods, n, r->c->seed);
    TRY(look_ahead(r, &order));
    double started = budget_now();
    o->budget = r->budget;
    for (size_t k = 0; k < order.n; k++) {
        int go = r->c->plan.until <= 0 || clock_now() < r->c->plan.until;
        if (r->c->plan.until > 0)
            TRY(PMPI_Bcast(&go, 1, MPI_INT, r->c->root, r->c->comm));
        for (size_t left = k; !go && r->roots && left < order.n; left++)
            o->result[order.at[left]].over_budget = true;
        if (!go)
            break;
        /* Only the root keeps the result; elsewhere it is written to and forgotten. */
        struct bcast_result forgotten = no_result;
        r->result = r->roots ? &o->result[order.at[k]] : &forgotten;
        /* Used up is not the same as without a limit. */
        r->left = r->budget > 0 ? fmax(r->budget - (budget_now() - started), 1e-9) : 0;
        r->share = method_share(r, &order, k);
        r->started = budget_now();
        TRY(methods[order.at[k]]->run(r, r->result));
        series_free(&forgotten.series);
    }
    for (size_t k = 0; r->roots && k < n; k++)
        if (methods[k]->judge)
            methods[k]->judge(o, &o->result[k]);
    return MPI_SUCCESS;
}

/* The bytes that the case's data lies in, if there is nothing between them: a hole is not ours to
 * write to, and need not even be memory, unless the case says so. 0 otherwise. */
static size_t bytes_to_write(const struct bcast_case *c, MPI_Aint *from)
{
    MPI_Aint lower, extent, span;
    MPI_Count one;
    if (PMPI_Type_get_extent(c->type, &lower, &extent) ||
        PMPI_Type_get_true_extent(c->type, from, &span) || PMPI_Type_size_x(c->type, &one))
        return 0;
    bool dense = one == span && one == extent;
    return dense || (c->holes && span == extent) ? (size_t)c->count * (size_t)extent : 0;
}

double run_refresh(const struct bcast_run *r, double now)
{
    MPI_Aint from;
    size_t bytes = r->c->fresh && r->roots ? bytes_to_write(r->c, &from) : 0;
    if (!bytes)
        return now;
    crew_write_anew((char *)r->c->buffer + from, bytes);
    return clock_now();
}

static int validate(const struct bcast_run *r, struct bcast_outcome *o)
{
    const struct bcast_case *c = r->c;
    int wrong;
    TRY(validate_bcast(c->bcast, c->buffer, c->count, c->type, c->root, c->comm, &wrong,
                       &o->validated));
    if (wrong > o->wrong_ranks)
        o->wrong_ranks = wrong;
    return MPI_SUCCESS;
}

static int measure(struct bcast_run *r, const struct bcast_method *const *methods, size_t n,
                   struct bcast_outcome *o)
{
    double started = clock_now();
    TRY(allocate(r, o, methods, n));
    r->clock_cost = clock_cost();
    o->clock_cost = r->clock_cost;
    TRY(validate(r, o));
    TRY(run_methods(r, o, methods, o->wrong_ranks ? 0 : n));
    TRY(validate(r, o));
    o->seconds = clock_now() - started;
    return outcome_ship(r, o);
}

int bcast_measure(const struct bcast_case *c, const struct bcast_method *const *methods, size_t n,
                  struct bcast_outcome *outcome)
{
    struct bcast_run r = {.c = c};
    *outcome = (struct bcast_outcome){0};
    TRY(case_check(c, &r.rank, &r.size));
    r.roots = r.rank == c->root;
    int error = measure(&r, methods, n, outcome);
    free(r.scratch);
    free(r.scout.exit);
    free(r.scout.way);
    if (error != MPI_SUCCESS || r.rank != c->collector) {
        struct bcast_outcome kept = *outcome;
        bcast_outcome_free(outcome);
        outcome->wrong_ranks = kept.wrong_ranks;
        outcome->validated = kept.validated;
    }
    return error;
}
