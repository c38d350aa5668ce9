#include "measure/pairs/grid.h"

#include "base/clock.h"
#include "base/try.h"
#include "measure/collective/operation.h"
#include "measure/pairs/choose.h"
#include "measure/pairs/log.h"
#include "measure/pairs/pairs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* TRIALS: broadcasts of each schedule, at least 2. TRIED: number of schedules that are tried. */
enum { TRIALS = 5, TRIED_LEAST = 3, TRIED_MOST = 20, SIZES_MAX = 48, WHY_MAX = 256 };
static const double TRIAL_SECONDS = 0.1, /* for each schedule */
    LESS = 0.98,                         /* share of the other's time that counts as faster */
    SLOWER = 0.03; /* share by which a chosen tree may be slower if the clocks err most */

/* Broadcasts whether all is GOOD on rank 0 and, if not, the reason WHY. */
static bool agree(MPI_Comm comm, bool good, char *why, size_t size)
{
    char text[WHY_MAX] = "";
    int yes = good;
    if (!good)
        snprintf(text, sizeof text, "%.255s", why);
    if (PMPI_Bcast(&yes, 1, MPI_INT, 0, comm) != MPI_SUCCESS)
        return false;
    if (!yes) {
        PMPI_Bcast(text, sizeof text, MPI_CHAR, 0, comm);
        snprintf(why, size, "%s", text);
    }
    return yes;
}

static bool load(struct grid *g, const char *log, char *why, size_t size)
{
    if (!pairs_log_load(log, &g->pairs, why, size))
        return false;
    if (g->pairs.n != g->size)
        snprintf(why, size, "%s: the log is for %d ranks, but %d run", log, g->pairs.n, g->size);
    return g->pairs.n == g->size;
}

/* Inserts BYTES into the ascending LIST of N sizes. Returns the new number of sizes. */
static int add_size(size_t *list, int n, size_t bytes)
{
    int at = n;
    for (int i = 0; i < n; i++)
        if (list[i] == bytes)
            return n;
    if (n == SIZES_MAX)
        return n;
    for (; at > 0 && list[at - 1] > bytes; at--)
        list[at] = list[at - 1];
    list[at] = bytes;
    return n + 1;
}

static bool measure(struct grid *g, const size_t *bytes, int n, double most, char *why, size_t size)
{
    static const size_t usual[] = {64, 1024, 65536};
    size_t sizes[SIZES_MAX];
    struct pairs_plan plan = pairs_plan_default();
    plan.n_sizes = add_size(sizes, 0, 64);
    if (n == 0) {
        bytes = usual;
        n = sizeof usual / sizeof *usual;
    }
    for (int i = 0; i < n; i++) {
        plan.n_sizes = add_size(sizes, plan.n_sizes, bytes[i] > 0 ? bytes[i] : 1);
        for (int k = 1; k < CHOICE_SEGMENTS; k++)
            if (2 * choice_segments[k] <= bytes[i])
                plan.n_sizes = add_size(sizes, plan.n_sizes, choice_segments[k]);
    }
    plan.sizes = sizes;
    plan.repeats = 15;
    plan.budget = 2e-3;
    plan.ports = true;
    plan.until = most > 0 ? clock_now() + most : 0;
    plan.clock = g->clock;
    int error = pairs_measure(g->comm, &plan, &g->pairs);
    if (error == PAIRS_TOO_LONG)
        snprintf(why, size,
                 "latencies between %d ranks are unknown: measuring them would take more than %g s",
                 g->size, most);
    else if (error != MPI_SUCCESS)
        snprintf(why, size, "the latencies could not be measured: an MPI call failed");
    return error == MPI_SUCCESS;
}

bool bcast_grid_open(struct grid *g, MPI_Comm comm, const char *log, const size_t *bytes, int n,
                     double most, char *why, size_t size)
{
    *g = (struct grid){.comm = comm, .clock = g->clock};
    if (g->clock)
        g->then = *g->clock;
    PMPI_Comm_rank(comm, &g->rank);
    PMPI_Comm_size(comm, &g->size);
    bool good =
        log ? g->rank > 0 || load(g, log, why, size) : measure(g, bytes, n, most, why, size);
    good = agree(comm, good, why, size);
    if (!good)
        bcast_grid_close(g);
    return good;
}

void bcast_grid_close(struct grid *g)
{
    pairs_free(&g->pairs);
}

/* Times a broadcast of DATA by B. OUT, on rank 0: for each rank the time from the root's entry to
 * its exit; empty if an MPI call fails. */
static void try_out(const struct grid *g, const struct bcast *b, struct operation_call *data,
                    struct latency_outcome *out)
{
    data->by = b;
    struct latency_case c = operation_case(data, false);
    struct sync_clock still;
    c.check = NULL;
    c.clock = g->clock;
    c.plan = plan_default();
    c.plan.repetitions = TRIALS;
    c.plan.repeats_min = 2;
    c.plan.warmup = 1;
    c.plan.budget = TRIAL_SECONDS;
    if (!sync_measures_one_way(g->clock)) {
        still = *g->clock;
        still.comm = MPI_COMM_NULL; /* clocks stay as they are: see bcast_grid_is_quicker() */
        c.clock = &still;
        c.plan.repetitions = 2 * TRIALS;
    }
    latency_measure_direct(&c, out);
}

static struct estimate time_of(const struct latency_outcome *trial)
{
    return trial->n_results ? trial->result[0].value : ESTIMATE_UNKNOWN;
}

/* E with its interval, or +- 5 % if it has none. */
static struct estimate with_interval(struct estimate e)
{
    bool has = estimate_has_interval(e);
    return (struct estimate){e.value, has ? e.low : 0.95 * e.value, has ? e.high : 1.05 * e.value};
}

bool bcast_grid_is_quicker(const struct latency_outcome *a, const struct latency_outcome *b,
                           int root, const struct pairs *p, double drift)
{
    if (!a->n_results || !b->n_results)
        return false;
    const struct latency_figure *mine = a->result->figure, *other = b->result->figure;
    const double last = with_interval(b->result->value).low;
    for (int i = 0; i < a->size; i++) {
        const double own = with_interval(other[i].value).low;
        bool less = with_interval(mine[i].value).high < LESS * fmax(own, last), bounded = !p;
        /* A measured exit is wrong by the error of its rank's clock minus the error of the root's
         * clock, equally with A and B. So J's true exit with B was at LEAST or later. */
        for (int j = 0; p && j < b->size; j++) {
            const double least = fmax(0, other[j].value.value - pairs_ahead(p, root, j) - drift);
            bounded |= j != root && mine[i].value.value + pairs_ahead(p, i, j) + drift <
                                        other[j].value.value + SLOWER * least;
        }
        if (i != root && !(less && bounded))
            return false;
    }
    return true;
}

static bool trial_open(const struct grid *g, int root, size_t bytes, struct operation_call *data)
{
    bool good = g->size > 1 &&
                operation_prepare(data, operation_find("broadcast", NULL), g->comm, root, bytes);
    return sync_all_have(g->comm, good) == MPI_SUCCESS;
}

/* Times S on all ranks. If it is the fastest so far, sets *QUICKEST to 1, stores S in PLAN and its
 * times in BEST. */
static int run_trial(const struct grid *g, const struct schedule *s, struct operation_call *data,
                     int *quickest, struct latency_outcome *best, struct bcast_grid_plan *plan)
{
    struct schedule_part *part;
    struct latency_outcome trial;
    TRY(schedule_distribute(s, g->comm, &part));
    struct bcast b = bcast_from_schedule(part);
    try_out(g, &b, data, &trial);
    *quickest = !plan->part || time_of(&trial).value < time_of(best).value;
    int error = PMPI_Bcast(quickest, 1, MPI_INT, 0, g->comm);
    bool keep = error == MPI_SUCCESS && *quickest;
    latency_outcome_free(keep ? best : &trial);
    free(keep ? plan->part : part);
    if (keep) {
        plan->part = part;
        *best = trial;
        plan->trial_grid = time_of(best);
    }
    return error;
}

/* On rank 0: the first schedule from I on that may still be faster; -1 if there is none. Schedules
 * are in ascending order of prediction, and predictions are lower bounds. Flat trees are always
 * tried: on shared media ports are not searched, and the root may have a port for each receiver. */
static int next_trial(const struct choice *c, int i, const struct bcast_grid_plan *plan)
{
    for (; i < c->n; i++) {
        const struct schedule *s = &c->s[i];
        const bool flat = s->first[s->root + 1] - s->first[s->root] == s->n - 1;
        if (i < TRIED_LEAST || flat ||
            (i < TRIED_MOST && s->completion < 0.98 * plan->trial_grid.value))
            return i;
    }
    return -1;
}

/* *DRIFT, on rank 0: seconds that two clocks may have drifted apart since pairs were measured. */
static int find_drift(const struct grid *g, double *drift)
{
    const double at = g->then.line.to, since = clock_now() - at,
                 change = fabs(sync_global(g->clock, at) - sync_global(&g->then, at)),
                 mine = 2 * (change + g->clock->line.drift_bound * since);
    return PMPI_Reduce(&mine, drift, 1, MPI_DOUBLE, MPI_MAX, 0, g->comm);
}

static int run_trials(const struct grid *g, int root, size_t bytes, const struct choice *c,
                      int *best, struct bcast_grid_plan *plan)
{
    struct operation_call data RELEASED(operation_release) = {.topology = MPI_COMM_NULL};
    struct latency_outcome tree RELEASED(latency_outcome_free) = {0};
    struct latency_outcome native RELEASED(latency_outcome_free) = {0};
    double drift = 0;
    if (!trial_open(g, root, bytes, &data))
        return MPI_SUCCESS;
    TRY(g->clock && g->clock->comm == g->comm ? sync_remeasure(g->clock) : MPI_SUCCESS);
    const struct pairs *p = sync_measures_one_way(g->clock) ? NULL : &g->pairs;
    for (int i = 0;; i++) {
        int quickest;
        i = g->rank == 0 ? next_trial(c, i, plan) : 0;
        TRY(PMPI_Bcast(&i, 1, MPI_INT, 0, g->comm));
        if (i < 0)
            break;
        TRY(run_trial(g, &c->s[i], &data, &quickest, &tree, plan));
        if (quickest)
            *best = i;
    }
    try_out(g, &tree_native, &data, &native);
    plan->trial_native = time_of(&native);
    TRY(p ? find_drift(g, &drift) : MPI_SUCCESS);
    int keeps = !bcast_grid_is_quicker(&tree, &native, root, p, drift);
    PMPI_Bcast(&keeps, 1, MPI_INT, 0, g->comm);
    plan->native = keeps;
    PMPI_Bcast(&plan->trial_native, 3, MPI_DOUBLE, 0, g->comm);
    return PMPI_Bcast(&plan->trial_grid, 3, MPI_DOUBLE, 0, g->comm);
}

static void take_best(const struct grid *g, size_t bytes, struct schedule *best,
                      struct bcast_grid_plan *plan)
{
    struct schedule *s = &plan->schedule;
    *s = *best;
    *best = (struct schedule){0};
    if (plan->native)
        snprintf(plan->name, sizeof plan->name, "native");
    else if (s->segment > 0)
        snprintf(plan->name, sizeof plan->name, "%s, segments of %zu B", s->name, s->segment);
    else
        snprintf(plan->name, sizeof plan->name, "%s", s->name);
    if (!plan->native)
        plan->predicted = schedule_predict_interval(&g->pairs, bytes, s, false);
}

bool bcast_grid_plan(struct grid *g, int root, size_t bytes, const struct bcast *builder,
                     size_t segment, struct bcast_grid_plan *plan, char *why, size_t size)
{
    FREED struct choice *c = calloc(1, sizeof *c);
    int error = MPI_SUCCESS, best = 0;
    *plan = (struct bcast_grid_plan){.trial_grid = ESTIMATE_UNKNOWN,
                                     .trial_native = ESTIMATE_UNKNOWN,
                                     .predicted = ESTIMATE_UNKNOWN};
    bool good = sync_all_have(g->comm, c != NULL) == MPI_SUCCESS;
    if (!good)
        snprintf(why, size, "no memory for trees");
    if (good && g->rank == 0)
        good = choice_find_schedules(&g->pairs, root, bytes, builder, segment, c, why, size);
    if (!agree(g->comm, good, why, size))
        return false;
    error = run_trials(g, root, bytes, c, &best, plan);
    if (error == MPI_SUCCESS && !plan->part)
        error = schedule_distribute(&c->s[0], g->comm, &plan->part);
    if (error == MPI_SUCCESS && g->rank == 0)
        take_best(g, bytes, &c->s[best], plan);
    choice_free(c);
    if (error != MPI_SUCCESS) {
        snprintf(why, size, "the schedule could not be distributed to all ranks");
        free(plan->part);
        return false;
    }
    plan->bcast = plan->native ? tree_native : bcast_from_schedule(plan->part);
    PMPI_Bcast(plan->name, sizeof plan->name, MPI_CHAR, 0, g->comm);
    PMPI_Bcast(&plan->predicted, 3, MPI_DOUBLE, 0, g->comm);
    return true;
}

void bcast_grid_plan_free(struct bcast_grid_plan *plan)
{
    free(plan->part);
    schedule_free(&plan->schedule);
    *plan = (struct bcast_grid_plan){0};
}
