/* Benchmark mode: the measuring methods at the application's own signatures (operation,
 * communicator, root, bytes), run right before its call, on the layer's communicator. The
 * application's call follows as if nothing had been, so its results cannot change; the time is
 * bounded by --benchmark-budget, which the first rank of a communicator keeps for all. */
#include "inject/benchmark.h"

#include "record/operations.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { SHARES = 6, SIGNATURES_MAX = 64 };

/* What is kept for a communicator. */
struct signatures {
    struct signature at[SIGNATURES_MAX];
    int n;
};

/* Of this process, whose threads may measure at once on communicators of their own. */
static double began;
static uint64_t spent_ns;
static uint64_t too_late;               /* measurements that the budget had no time for */
static uint64_t left_out[N_OPERATIONS]; /* calls without a method */

static void one_more(uint64_t *count)
{
    __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

/* Since BEGIN. */
static void spend(double begin)
{
    __atomic_fetch_add(&spent_ns, (uint64_t)(1e9 * (clock_now() - begin)), __ATOMIC_RELAXED);
}

static double spent(void)
{
    return 1e-9 * (double)__atomic_load_n(&spent_ns, __ATOMIC_RELAXED);
}

static bool start(void)
{
    began = clock_now();
    return benchmark_choose(layer.settings.benchmark);
}

/* NULL: there are too many. */
static struct signature *signature_of(const struct internal_comm *s, unsigned operation, int root,
                                      uint64_t bytes)
{
    struct signatures *known = s->kept[benchmark_injection.index];
    struct signature *g = known->at, *end = g + known->n;
    while (g < end && (replica_plain(g->operation) != replica_plain(operation) || g->root != root ||
                       g->bytes != bytes))
        g++;
    if (g == end && known->n == SIGNATURES_MAX) {
        injection_untreated(&benchmark_injection);
        return NULL;
    }
    if (g == end) {
        *g = (struct signature){.operation = operation, .root = root, .bytes = bytes};
        known->n++;
    }
    return g;
}

/* Counts this call of the signature; whether it is to be measured. All members count alike. */
static bool is_due(struct signature *g)
{
    uint64_t call = g->calls++, every = (uint64_t)layer.settings.benchmark_every;
    g->entered[call % ARRIVALS] = sync_global(injection_clock(), clock_now());
    return call == 0 || call == LATER || (every > 0 && call % every == 0);
}

/* Seconds that this measurement may take, decided by rank 0; 0: the budget is used up. It is a part
 * of the rest, so that late signatures are measured, too, if more roughly. The barrier comes first:
 * waiting for a late rank is not measuring. */
static double agree_on_share(const struct internal_comm *s)
{
    double share = (layer.settings.benchmark_budget - spent()) / SHARES;
    if (share < 0.005)
        share = 0;
    PMPI_Barrier(s->comm);
    PMPI_Bcast(&share, 1, MPI_DOUBLE, 0, s->comm);
    if (share <= 0)
        one_more(&too_late);
    return share;
}

/* Whether members may give different amounts: no rank knows the others' bytes. */
static bool varies(const struct collective *c)
{
    return !c->is_broadcast && replica_varies(replica_find(c->call->operation));
}

/* Without data no rank waits for another, except in a barrier: there is nothing to measure. */
static bool wants(const struct collective *c)
{
    unsigned operation = c->call->operation;
    bool known = c->is_broadcast || replica_find(operation);
    if (!known)
        one_more(&left_out[operation]);
    if (c->is_broadcast && c->bytes > INT_MAX)
        injection_untreated(&benchmark_injection);
    return known && (c->bytes > 0 || operation == OP_Barrier || varies(c)) &&
           !(c->is_broadcast && c->bytes > INT_MAX);
}

static struct signature *signature_of_call(const struct collective *c)
{
    return signature_of(c->on, c->call->operation, c->root, varies(c) ? 0 : c->bytes);
}

static bool due(const struct collective *c)
{
    struct signature *g = signature_of_call(c);
    return g && is_due(g);
}

static void before(const struct collective *c)
{
    struct signature *g = signature_of_call(c);
    double share = agree_on_share(c->on), begin = clock_now();
    if (share > 0 && c->is_broadcast)
        benchmark_broadcast(c, g, share);
    else if (share > 0)
        benchmark_replica(c, g, replica_find(c->call->operation), share);
    spend(begin);
    /* The measurement delays this call. */
    if (share > 0)
        call_keep_apart(c->on->of->id, 1);
}

static void close_comm(struct internal_comm *s, bool all)
{
    (void)all;
    free(s->kept[benchmark_injection.index]);
}

/* What rank 0 measured and what it passed over. */
static void finish(void)
{
    char *text = benchmark_injection.remark;
    size_t room = sizeof benchmark_injection.remark;
    if (layer.rank != 0)
        return;
    snprintf(text, room,
             "benchmark: measuring took %.3g s, %.0f %% of the run (rank 0); the calls right after "
             "a measurement are excluded from all times",
             spent(), 100 * spent() / (clock_now() - began));
    if (too_late)
        snprintf(text + strlen(text), room - strlen(text),
                 "; %llu measurements were left out, since --benchmark-budget was used up",
                 (unsigned long long)too_late);
    for (unsigned i = 0, any = 0; i < N_OPERATIONS; i++) {
        size_t at = strlen(text);
        if (left_out[i])
            snprintf(
                text + at, room - at, "%s%s",
                any++ ? ", " : "; not measured, for lack of a method: ", mpi_functions[i].name);
    }
}

struct injection benchmark_injection = {.name = "benchmark",
                                        .keeps = sizeof(struct signatures),
                                        .start = start,
                                        .wants = wants,
                                        .due = due,
                                        .before = before,
                                        .close = close_comm,
                                        .finish = finish};
