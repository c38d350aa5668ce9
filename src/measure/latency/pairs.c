/* Measures all pairs one after the other. A pilot measurement finds the slowest ones first. */
#include "measure/latency/run.h"

#include <stdlib.h>

static bool is_coupled(const struct latency_run *r, int from, int to, bool with_self)
{
    const struct latency_case *c = r->c;
    if (from == to && !with_self)
        return false;
    switch (c->kind) {
    case COLLECTIVE_TO_ROOT:
        return to == c->root;
    case COLLECTIVE_FROM_ROOT:
        return from == c->root;
    case COLLECTIVE_PREFIX:
        return from <= to;
    default:
        return true;
    }
}

/* The collector sends this before each operation of the pilot. */
struct pilot_step {
    double go, from, hold;
    double silence; /* seconds that a rank waits after an operation before it sends again: its
                       messages would delay ranks still in the operation */
};

/* One operation that FROM enters last. STAMP gets the exits of all ranks, on the common clock. */
static int pilot_once(struct latency_run *r, const struct pilot_step *step, double *stamp)
{
    double mine[2], start = clock_now();
    TRY(run_barrier(r));
    double barrier = clock_now() - start;
    run_prepare(r);
    if (r->rank == (int)step->from)
        clock_hold(step->hold + 2 * barrier);
    mine[0] = run_global(r, clock_now());
    TRY(run_operation(r));
    mine[1] = run_global(r, clock_now());
    clock_hold(step->silence);
    return PMPI_Gather(mine, 2, MPI_DOUBLE, stamp, 2, MPI_DOUBLE, r->c->collector, r->c->comm);
}

/* Stores the times in ROUND of the pilot. Returns the silence that the next operation needs. */
static double pilot_take(struct latency_run *r, const double *stamp, int from, int round)
{
    struct pilot *p = &r->pilot;
    double first = INFINITY, last = -INFINITY;
    for (int to = 0; to < r->size; to++) {
        double exit = stamp[2 * to + 1];
        first = fmin(first, exit);
        last = fmax(last, exit);
        if (round >= 0 && is_coupled(r, from, to, r->c->together))
            p->time[(size_t)round * (size_t)p->n + (size_t)run_index(r, from, to)] =
                exit - stamp[2 * from] - r->clock_cost;
    }
    return 1.25 * (last - first) + 1e-6;
}

/* Runs each source PILOT_ROUNDS times, within a third of the budget, after one uncounted operation.
 * The first round may take a third of the largest budget: without it any pair may be the slowest.
 */
static int pilot_rounds(struct latency_run *r, double *stamp)
{
    struct pilot *p = &r->pilot;
    struct pilot_step step = {.go = 1, .hold = 2 * r->gap, .from = r->c->root};
    bool one = r->c->kind == COLLECTIVE_FROM_ROOT;
    int sources = one ? 1 : r->size, k = -1;
    const struct plan *plan = &r->c->plan;
    double start = budget_now(), most = fmax(plan->budget, plan->budget_most);
    for (;; k++) {
        double limit = (k < sources ? most : plan->budget) / 3;
        step.go = k < PILOT_ROUNDS * sources && budget_now() < start + limit;
        if (k >= 0 && !one)
            step.from = k % sources;
        TRY(PMPI_Bcast(&step, 4, MPI_DOUBLE, r->c->collector, r->c->comm));
        if (step.go == 0)
            break;
        TRY(pilot_once(r, &step, stamp));
        if (r->keeps)
            step.silence = pilot_take(r, stamp, (int)step.from, k < 0 ? -1 : k / sources);
    }
    p->rounds = k < 1 ? 0 : k < sources ? 1 : k / sources;
    return MPI_SUCCESS;
}

int run_pilot(struct latency_run *r)
{
    struct pilot *p = &r->pilot;
    bool rooted = r->c->kind == COLLECTIVE_FROM_ROOT || r->c->kind == COLLECTIVE_TO_ROOT;
    *p = (struct pilot){.n = rooted ? r->size : r->size * r->size};
    double *stamp = r->keeps ? malloc(2 * (size_t)r->size * sizeof *stamp) : NULL;
    p->time = r->keeps ? calloc(PILOT_ROUNDS * (size_t)p->n, sizeof *p->time) : NULL;
    int error = sync_all_have(r->c->comm, !r->keeps || (p->time && stamp));
    for (int k = 0; p->time && k < p->n; k++)
        p->time[k] = NAN;
    if (error == MPI_SUCCESS && r->c->clock && r->c->clock->comm == r->c->comm)
        error = sync_remeasure(r->c->clock);
    if (error == MPI_SUCCESS)
        error = pilot_rounds(r, stamp);
    free(stamp);
    if (p->rounds == 0) {
        free(p->time);
        p->time = NULL;
    }
    if (error == MPI_SUCCESS && r->c->clock)
        error = sync_check(r->c->clock, r->c->comm, -1, &p->error);
    return error;
}

/* The pairs to be measured, in this order; only on the collector. */
struct pair_list {
    int *index, n; /* indices of their figures, and how many */
};

/* By distance between the ranks, so that an early end has covered every source; or slowest
 * first. */
static bool list_make(struct pair_list *list, const struct latency_run *r, bool with_self)
{
    bool ranks = r->result->method->figures == FIGURES_RANKS;
    int pairs = r->size * r->size;
    list->index = malloc((size_t)pairs * sizeof *list->index);
    if (!list->index)
        return false;
    for (int k = 0; k < (ranks ? r->size : pairs); k++) {
        int from = k % r->size, to = (k + 1 + k / r->size) % r->size;
        if (ranks)
            list->index[list->n++] = k;
        else if (is_coupled(r, from, to, with_self))
            list->index[list->n++] = run_index(r, from, to);
    }
    if (!ranks && r->pilot.time)
        pilot_sort(&r->pilot, list->index, list->n);
    return true;
}

/* How many pairs from the K-th on may be slower than the slowest one measured. */
static int may_be_slower(const struct latency_run *r, const struct pair_list *list, int k)
{
    if (r->result->method->figures == FIGURES_RANKS)
        return list->n - k;
    return pilot_may_be_slower(&r->pilot, list->index, k, list->n, r->result->value);
}

/* Whether the K-th pair is measured, and with which plan. Pairs that may be the slowest share
 * the budget evenly and may exceed it; the others use what is left. The first one is always
 * measured. */
static bool list_next(struct latency_run *r, const struct pair_list *list, int k, struct plan *plan)
{
    const bool limited = r->c->plan.budget > 0;
    int slower = k < list->n ? may_be_slower(r, list, k) : 0, left = list->n - k;
    bool wanted = slower > 0 || r->c->every;
    if (left == 0 || (limited && !wanted && budget_now() >= r->end))
        return false;
    if (limited && k > 0 && budget_now() >= r->last) {
        r->result->over_budget = true;
        return false;
    }
    *plan = run_plan_part(r, 1.0 / (slower && !r->c->every ? slower : left));
    if (r->c->every)
        plan->budget_most = fmax(plan->budget, plan->budget_most / left);
    return true;
}

static int list_run(struct latency_run *r, const struct pair_list *list, pair_run one)
{
    struct latency_result *result = r->result;
    for (int k = 0;; k++) {
        struct plan plan = r->c->plan;
        int pair[3] = {0};
        if (r->keeps && list_next(r, list, k, &plan)) {
            const struct latency_figure *f = &result->figure[list->index[k]];
            pair[0] = 1, pair[1] = f->from, pair[2] = f->to;
        }
        TRY(PMPI_Bcast(pair, 3, MPI_INT, r->c->collector, r->c->comm));
        if (!pair[0])
            return MPI_SUCCESS;
        r->from = pair[1];
        r->to = pair[2];
        int impossible = result->impossible;
        TRY(one(r, plan));
        /* If time was up before anything was timed, the pair does not count as measured. */
        if (r->keeps)
            result->measured +=
                estimate_known(run_figure(r)->value) || result->impossible > impossible;
    }
}

/* A pilot cannot foresee the values of "ol" for destinations that violate its assumption. */
static void judge_left_out(const struct latency_run *r, const struct pair_list *list)
{
    struct latency_result *result = r->result;
    int n = result->measured;
    result->asked = list->n;
    result->at_least =
        n < list->n && (result->method->meaning != MEANS_LATENCY || may_be_slower(r, list, n) > 0);
}

int run_pairs(struct latency_run *r, bool with_self, pair_run one)
{
    struct pair_list list = {0};
    int error = sync_all_have(r->c->comm, !r->keeps || list_make(&list, r, with_self));
    if (error == MPI_SUCCESS)
        error = list_run(r, &list, one);
    if (error == MPI_SUCCESS && r->keeps)
        judge_left_out(r, &list);
    free(list.index);
    return error;
}
