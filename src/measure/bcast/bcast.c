#include "measure/bcast/run.h"
#include "measure/bcast/validate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct bcast_method bcast_methods[] = {
    {.name = "send-latency",
     .summary = "the root times M back-to-back broadcasts",
     .reality = "g_0, the gap at the root: not OL",
     .value = "loop / M, median of the batches",
     .meaning = BCAST_GAP,
     .weight = 1,
     .run = run_send_latency},
    {.name = "rounds",
     .summary = "M rounds of one broadcast from every root, in the order of ranks",
     .reality = "a lower bound on the mean OL over all roots; depends on their order",
     .value = "a round / P, median",
     .meaning = BCAST_LOWER_BOUND,
     .weight = 1,
     .run = run_rounds_forward},
    {.name = "rounds-backward",
     .summary = "the same, in the opposite order",
     .reality = "a lower bound on the mean OL over all roots; depends on their order",
     .value = "a round / P, median",
     .meaning = BCAST_LOWER_BOUND,
     .weight = 1,
     .run = run_rounds_backward},
    {.name = "rounds-random",
     .summary = "the same, in a random order that changes from batch to batch",
     .reality = "a lower bound on the mean OL over all roots; depends on their order",
     .value = "a round / P, median",
     .meaning = BCAST_LOWER_BOUND,
     .weight = 1,
     .run = run_rounds_random},
    {.name = "barrier",
     .summary = "M x (broadcast, the library's barrier)",
     .reality = "an upper bound on OL; a barrier's time cannot be subtracted from it",
     .value = "one broadcast and barrier, median",
     .meaning = BCAST_UPPER_BOUND,
     .weight = 1,
     .run = run_barrier},
    {.name = "ring-barrier",
     .summary = "M x (broadcast, the paper's barrier: twice around a ring)",
     .reality = "an upper bound on OL; a barrier's time cannot be subtracted from it",
     .value = "one broadcast and barrier, median",
     .meaning = BCAST_UPPER_BOUND,
     .weight = 1,
     .run = run_ring_barrier},
    {.name = "acknowledge",
     .summary = "M x (broadcast, the root receives P-1 acknowledgements)",
     .reality = "an upper bound on OL, linear in P",
     .value = "one broadcast and its acknowledgements, median",
     .meaning = BCAST_UPPER_BOUND,
     .weight = 1,
     .run = run_acknowledge},
    {.name = "ol",
     .summary = "per destination i: M x (broadcast, i's acknowledgement) less half a round trip",
     .reality = "OL_i, unless a task on i's path is still busy with the broadcast before",
     .value = "largest OL_i, median",
     .meaning = BCAST_LATENCY_IF,
     .by_destination = true,
     .weight = 4,
     .run = run_ol},
    {.name = "held",
     .summary = "the same with i's acknowledgement held back until nobody is busy any more",
     .reality = "OL_i, whatever the broadcast",
     .value = "largest OL_i, median",
     .meaning = BCAST_LATENCY,
     .by_destination = true,
     .weight = 6,
     .run = run_held},
    {.name = "direct",
     .summary = "exit of i minus entry of the root, on one clock, from a quiet start",
     .reality = "OL_i, as exact as the clocks agree",
     .value = "largest OL_i, median",
     .meaning = BCAST_LATENCY,
     .by_destination = true,
     .weight = 1,
     .run = run_direct},
    {.name = "gap",
     .summary = "every task times M back-to-back broadcasts",
     .reality = "g_j, the interval between broadcasts at j or at who feeds it",
     .value = "largest g_j, median of the batches",
     .meaning = BCAST_GAP,
     .by_destination = true,
     .weight = 1,
     .run = run_gap},
    {.name = "overhead",
     .summary = "per task i: its entry delayed until everything it waits for is there",
     .reality = "o_i, the processor's own part in one broadcast",
     .value = "largest o_i, median",
     .meaning = BCAST_OVERHEAD,
     .by_destination = true,
     .weight = 4,
     .run = run_overhead},
};
const size_t n_bcast_methods = sizeof bcast_methods / sizeof *bcast_methods;

const struct bcast_method *bcast_method_find(const char *name)
{
    for (size_t i = 0; i < n_bcast_methods; i++)
        if (strcmp(bcast_methods[i].name, name) == 0)
            return &bcast_methods[i];
    return NULL;
}

double run_part(const struct bcast_run *r, double part)
{
    if (r->share <= 0)
        return 0;
    return fmax(part * (r->share - (clock_now() - r->started)), 1e-9);
}

int run_series(struct bcast_run *r, double share, batch_run batch, struct series *s)
{
    return series_measure(r->c->comm, r->c->root, &r->c->plan, share, 0, batch, r, s);
}

void result_from_series(struct bcast_result *result, struct series *s)
{
    result->series = *s;
    result->value = series_estimate(s);
    result->loop_mean = s->batches > 0 ? s->loop_mean : NAN;
    result->over_budget = s->over_budget;
    result->attempts = s->attempts;
}

static int case_check(const struct bcast_case *c, int *rank, int *size)
{
    int inter;
    TRY(PMPI_Comm_test_inter(c->comm, &inter));
    TRY(PMPI_Comm_size(c->comm, size));
    TRY(PMPI_Comm_rank(c->comm, rank));
    if (inter || *size < 2)
        return MPI_ERR_COMM;
    if (c->root < 0 || c->root >= *size)
        return MPI_ERR_ROOT;
    if (c->count < 0)
        return MPI_ERR_COUNT;
    if (c->collector < 0 || c->collector >= *size || c->n_destinations < 0)
        return MPI_ERR_ARG;
    for (int k = 0; c->destinations && k < c->n_destinations; k++)
        if (c->destinations[k] < 0 || c->destinations[k] >= *size || c->destinations[k] == c->root)
            return MPI_ERR_ARG;
    return MPI_SUCCESS;
}

static const struct estimate unknown = {NAN, NAN, NAN};

static const struct bcast_result nothing = {
    .value = {NAN, NAN, NAN}, .loop_mean = NAN, .slowest = -1};

static void destinations_clear(struct bcast_destination *to, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = (struct bcast_destination){.rtl = unknown,
                                           .e = unknown,
                                           .paper = unknown,
                                           .paper_loop = NAN,
                                           .held = unknown,
                                           .hold = NAN,
                                           .seen = unknown,
                                           .direct = unknown,
                                           .gap = unknown,
                                           .overhead = unknown};
}

/* Room for everything, on the ranks that need it; all ranks agree on whether they have it. */
static int outcome_allocate(struct bcast_run *r, struct bcast_outcome *o,
                            const struct bcast_method *const *methods, size_t n)
{
    const struct plan *plan = &r->c->plan;
    size_t most = (size_t)(plan->repetitions > plan->warmup ? plan->repetitions : plan->warmup);
    bool keeps = r->roots || r->rank == r->c->collector;
    r->scratch = malloc((2 * most + 2) * sizeof *r->scratch);
    if (keeps) {
        o->size = r->size;
        o->n_results = n;
        o->to = calloc((size_t)r->size, sizeof *o->to);
        o->result = calloc(n + 1, sizeof *o->result);
        r->per_rank = malloc((size_t)r->size * sizeof *r->per_rank);
    }
    int have = r->scratch && (!keeps || (o->to && o->result && r->per_rank)), all = 0;
    TRY(PMPI_Allreduce(&have, &all, 1, MPI_INT, MPI_MIN, r->c->comm));
    if (!all)
        return MPI_ERR_NO_MEM;
    if (keeps)
        destinations_clear(o->to, r->size);
    for (size_t k = 0; keeps && k < n; k++) {
        o->result[k] = nothing;
        o->result[k].method = methods[k];
    }
    r->to = o->to;
    return MPI_SUCCESS;
}

/* Method K's seconds: what is left, by the weights of those still to come. */
static double method_share(const struct bcast_case *c, const struct bcast_method *const *methods,
                           size_t k, size_t n, double started)
{
    if (c->plan.budget <= 0)
        return 0;
    double weights = 0, left = c->plan.budget - (clock_now() - started);
    for (size_t i = k; i < n; i++)
        weights += methods[i]->weight;
    return fmax(left * methods[k]->weight / weights, 1e-9);
}

static int run_methods(struct bcast_run *r, struct bcast_outcome *o,
                       const struct bcast_method *const *methods, size_t n)
{
    double started = clock_now();
    for (size_t k = 0; k < n; k++) {
        /* Only the root keeps the result; elsewhere it is written to and forgotten. */
        struct bcast_result result = nothing;
        result.method = methods[k];
        r->share = method_share(r->c, methods, k, n, started);
        r->started = clock_now();
        TRY(methods[k]->run(r, &result));
        if (r->roots)
            o->result[k] = result;
        else
            series_free(&result.series);
    }
    return MPI_SUCCESS;
}

/* A store to every cache line takes it away from all other caches; what it holds stays. */
static void write_anew(void *buffer, size_t bytes)
{
    enum { LINE = 64 };
    volatile char *data = buffer;
    for (size_t i = 0; i < bytes; i += LINE)
        data[i] = data[i];
    if (bytes)
        data[bytes - 1] = data[bytes - 1];
    /* Stores still under way would be paid for by the broadcast. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

double run_refresh(const struct bcast_run *r, double now)
{
    MPI_Aint lower, extent;
    if (!r->c->fresh || !r->roots || PMPI_Type_get_extent(r->c->type, &lower, &extent))
        return now;
    write_anew(r->c->buffer, (size_t)r->c->count * (size_t)extent);
    return clock_now();
}

/* The paper's assumption holds where its value and the held one agree. Where it fails its value
 * is too large, never too small; and what the readings of the clock in E_i, RTL_i and the held
 * E_i cost is no finding. */
static const double violation_tolerance = 0.01;

static bool is_violated(const struct bcast_destination *to, double clock_cost)
{
    return estimate_known(to->paper) && estimate_known(to->held) &&
           to->paper.value - to->held.value > 4 * clock_cost &&
           estimates_differ(to->paper, to->held, violation_tolerance);
}

static void mark_violations(struct bcast_outcome *o)
{
    int violations = 0;
    for (int i = 0; i < o->size; i++) {
        struct bcast_destination *to = &o->to[i];
        to->violated = is_violated(to, o->clock_cost);
        violations += to->violated;
    }
    for (size_t k = 0; k < o->n_results; k++)
        if (o->result[k].method->run == run_ol || o->result[k].method->run == run_held)
            o->result[k].violations = violations;
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
    TRY(outcome_allocate(r, o, methods, n));
    r->clock_cost = clock_cost();
    o->clock_cost = r->clock_cost;
    TRY(validate(r, o));
    TRY(run_methods(r, o, methods, o->wrong_ranks ? 0 : n));
    TRY(validate(r, o));
    if (r->roots)
        mark_violations(o);
    o->seconds = clock_now() - started;
    return outcome_ship(r, o, methods);
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
    free(r.per_rank);
    if (error != MPI_SUCCESS || r.rank != c->collector) {
        struct bcast_outcome kept = *outcome;
        bcast_outcome_free(outcome);
        outcome->wrong_ranks = kept.wrong_ranks;
        outcome->validated = kept.validated;
    }
    return error;
}
