/* Measures all pairs one after the other, the slowest ones of a pilot measurement first. */
#include "base/array.h"
#include "measure/latency/run.h"

#include <stdlib.h>

bool run_couples(const struct latency_run *r, int from, int to, bool with_self)
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

COMPARISON(compare_candidates, struct candidate, ORDER(y->time, x->time) ?: ORDER(x->at, y->at))

int pilot_may_be_slower(const struct pilot *p, const struct candidate *pair, int from, int n,
                        struct estimate slowest)
{
    if (!p->least)
        return n - from;
    double bar = estimate_known(slowest) ? 1.01 * slowest.low : p->least[pair[0].index] - p->error;
    int may = 0;
    for (int k = from; k < n; k++)
        may += !(p->most[pair[k].index] + p->error < bar);
    return may;
}

/* The pairs to be measured, in this order; only on rank 0. */
struct pair_list {
    struct candidate *pair;
    int n;
};

/* Slowest pairs first. Pairs of equal or unknown time, and all without a pilot, are in the order of
 * the distance between their ranks: a measurement that ends early has then covered every source. */
static void list_fill(struct pair_list *list, const struct latency_run *r, bool with_self)
{
    bool ranks = r->result->method->figures == FIGURES_RANKS;
    const double *least = ranks ? NULL : r->pilot.least;
    for (int k = 0; k < (ranks ? r->size : r->size * r->size); k++) {
        int from = k % r->size, to = (k + 1 + k / r->size) % r->size;
        int index = ranks ? k : run_index(r, from, to);
        if (ranks || run_couples(r, from, to, with_self))
            list->pair[list->n++] =
                (struct candidate){least && !isnan(least[index]) ? least[index] : -1, k, index};
    }
    qsort(list->pair, (size_t)list->n, sizeof *list->pair, compare_candidates);
}

/* How many pairs from the K-th on may be slower than the slowest one measured. */
static int may_be_slower(const struct latency_run *r, const struct pair_list *list, int k)
{
    if (r->result->method->figures == FIGURES_RANKS)
        return list->n - k;
    return pilot_may_be_slower(&r->pilot, list->pair, k, list->n, r->result->value);
}

/* Whether the K-th pair is measured, and with which plan. Pairs that may be the slowest have equal
 * parts of the budget and are measured even beyond it, until r->last; other pairs only while budget
 * is left. The first pair is always measured. */
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
            const struct latency_figure *f = &result->figure[list->pair[k].index];
            pair[0] = 1, pair[1] = f->from, pair[2] = f->to;
        }
        TRY(PMPI_Bcast(pair, 3, MPI_INT, 0, r->c->comm));
        if (!pair[0])
            return MPI_SUCCESS;
        r->from = pair[1];
        r->to = pair[2];
        int impossible = result->impossible;
        TRY(one(r, plan));
        /* A pair counts as measured unless the budget ended before its first sample. */
        if (r->keeps)
            result->measured +=
                estimate_known(run_figure(r)->value) || result->impossible > impossible;
    }
}

/* Whether a pair that was left out may be the slowest: by a method with MEANS_LATENCY if its time
 * in the pilot says so; by "ol" always, since it may differ from the latency that the pilot
 * measures. */
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
    const size_t pairs = (size_t)r->size * (size_t)r->size;
    FREED struct candidate *pair = r->keeps ? malloc(pairs * sizeof *pair) : NULL;
    struct pair_list list = {.pair = pair};
    TRY(sync_all_have(r->c->comm, !r->keeps || pair));
    if (r->keeps)
        list_fill(&list, r, with_self);
    TRY(list_run(r, &list, one));
    if (r->keeps)
        judge_left_out(r, &list);
    return MPI_SUCCESS;
}
