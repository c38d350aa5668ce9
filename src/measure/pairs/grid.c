#include "measure/pairs/grid.h"

#include "base/clock.h"
#include "base/try.h"
#include "measure/collective/collective.h"
#include "measure/crew.h"
#include "measure/pairs/best.h"
#include "measure/pairs/log.h"
#include "measure/pairs/pairs.h"
#include "measure/pairs/sites.h"
#include "measure/pairs/ways.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* TRIALS: at a time, at least twice; TRIED_LEAST are run in any case, so that it is known how right
 * the predictions are. */
enum { TRIALS = 5, TRIED_MOST = 12, TRIED_LEAST = 3, TURNS_MOST = 4, WHY_MAX = 256 };
static const double TRIAL_SECONDS = 0.1; /* of each candidate */

/* Rank 0 alone knows whether all is well, and why not. */
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

/* COMM's ranks in MPI_COMM_WORLD. */
static bool world_ranks(MPI_Comm comm, int n, int *world)
{
    MPI_Group mine, all;
    int *own = malloc((size_t)n * sizeof *own);
    bool good = own != NULL;
    for (int i = 0; good && i < n; i++)
        own[i] = i;
    PMPI_Comm_group(comm, &mine);
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    good = good && PMPI_Group_translate_ranks(mine, n, own, all, world) == MPI_SUCCESS;
    for (int i = 0; good && i < n; i++)
        good = world[i] >= 0;
    PMPI_Group_free(&mine);
    PMPI_Group_free(&all);
    free(own);
    return good;
}

static bool load(struct grid *g, const char *log, char *why, size_t size)
{
    struct pairs all;
    int world_size;
    if (!pairs_log_load(log, &all, why, size))
        return false;
    PMPI_Comm_size(MPI_COMM_WORLD, &world_size);
    int *world = malloc((size_t)g->size * sizeof *world);
    bool good = world != NULL;
    if (!good)
        snprintf(why, size, "no memory for %d ranks", g->size);
    if (good && all.n != world_size) {
        snprintf(why, size, "%s: it is for %d ranks, there are %d", log, all.n, world_size);
        good = false;
    }
    if (good &&
        (!world_ranks(g->comm, g->size, world) || !pairs_select(&all, world, g->size, &g->pairs))) {
        snprintf(why, size, "%s: its ranks cannot be matched", log);
        good = false;
    }
    free(world);
    pairs_free(&all);
    return good;
}

enum { SIZES_MAX = 48 };

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
    int count = add_size(sizes, 0, 64);
    if (n == 0) {
        bytes = usual;
        n = sizeof usual / sizeof *usual;
    }
    for (int i = 0; i < n; i++) {
        count = add_size(sizes, count, bytes[i] > 0 ? bytes[i] : 1);
        for (int k = 0; k < BEST_SEGMENTS; k++)
            if (2 * best_segments[k] <= bytes[i])
                count = add_size(sizes, count, best_segments[k]);
    }
    g->measured = true;
    int error =
        pairs_measure_by_sites(g->comm, g->clock, sizes, count, most, g->patience, &g->pairs);
    if (error == MPI_SUCCESS && g->patience > 0)
        error = pairs_measure_ways(g->comm, &g->pairs);
    if (error == PAIRS_TOO_LONG)
        snprintf(why, size, "latencies between %d ranks are not known, measuring takes over %g s",
                 g->size, most);
    else if (error != MPI_SUCCESS)
        snprintf(why, size, "the latencies could not be measured: an MPI call failed");
    return error == MPI_SUCCESS;
}

static void begin(struct grid *g, MPI_Comm comm)
{
    *g = (struct grid){.comm = comm, .clock = g->clock, .patience = g->patience};
    PMPI_Comm_rank(comm, &g->rank);
    PMPI_Comm_size(comm, &g->size);
}

bool grid_open(struct grid *g, MPI_Comm comm, const char *log, const size_t *bytes, int n,
               double most, char *why, size_t size)
{
    double start = clock_now();
    bool good = true;
    begin(g, comm);
    if (!log)
        good = measure(g, bytes, n, most, why, size);
    else if (g->rank == 0)
        good = load(g, log, why, size);
    good = agree(comm, good, why, size);
    g->cost = clock_now() - start;
    PMPI_Bcast(&g->cost, 1, MPI_DOUBLE, 0, comm);
    if (!good)
        grid_close(g);
    return good;
}

void grid_close(struct grid *g)
{
    pairs_free(&g->pairs);
}

struct tried {
    const struct bcast *bcast;
    void *buffer;
    int bytes, root;
    MPI_Comm comm;
};

static int run_tried(void *arg)
{
    const struct tried *t = arg;
    return t->bcast->run(t->buffer, t->bytes, MPI_BYTE, t->root, t->comm, t->bcast->arg);
}

/* Told to all; not known if a call fails anywhere. */
static struct estimate try_out(const struct grid *g, const struct bcast *b, int root, void *buffer,
                               size_t bytes)
{
    struct tried tried = {b, buffer, (int)bytes, root, g->comm};
    struct collective_direct out = {0};
    struct collective_case c = {.comm = g->comm,
                                .run = run_tried,
                                .arg = &tried,
                                .pattern = COLLECTIVE_FROM_ROOT,
                                .root = root,
                                .plan = plan_default(),
                                .clock = g->clock};
    c.plan.repetitions = TRIALS;
    c.plan.repeats_min = 2;
    c.plan.warmup = 1;
    c.plan.budget = TRIAL_SECONDS;
    struct estimate time = {NAN, NAN, NAN};
    if (collective_measure_direct(&c, &out) == MPI_SUCCESS && out.completion.samples.n)
        time = series_estimate(&out.completion);
    collective_direct_free(&out);
    PMPI_Bcast(&time, 3, MPI_DOUBLE, 0, g->comm);
    return time;
}

/* A tree that is not surely quicker is not worth anything: what is predicted can be wrong, the
 * library's is known. Few samples have no interval: then a tenth. */
static bool is_quicker(struct estimate a, struct estimate b)
{
    bool rough = !estimate_has_interval(a) || !estimate_has_interval(b);
    return a.value < b.value && (rough ? a.value < 0.9 * b.value : estimates_differ(a, b, 0.02));
}

/* Memory to try with, on all ranks or none. */
static void *trial_buffer(const struct grid *g, size_t bytes)
{
    void *buffer = g->size > 1 && bytes <= INT32_MAX ? calloc(bytes > 0 ? bytes : 1, 1) : NULL;
    if (crew_agree(g->comm, buffer != NULL) == MPI_SUCCESS)
        return buffer;
    free(buffer);
    return NULL;
}

/* The finalists in the order of their predictions, for as long as the next one may be quicker than
 * the best so far. Where predictions were off by more than a twentieth, one may be off by half. */
static bool is_worth_a_trial(const struct best *best, int i, const struct grid_plan *plan)
{
    bool doubtful = plan->error_low < 0.95 || plan->error_high > 1.05;
    double least = doubtful ? 0.5 * fmin(1, plan->error_low) : 0.98;
    return i < best->n && i < TRIED_MOST &&
           (i < TRIED_LEAST || least * best->s[i].completion < plan->trial_grid.value);
}

/* What the edges of the first three share is looked at, which may make others the first ones. */
static int look_at_edges(struct grid *g, int root, size_t bytes, struct best *best)
{
    struct pairs *p = &g->pairs;
    double until = clock_now() + g->patience;
    char why[WHY_MAX];
    for (int turn = 0, before = p->n_together, again = 1; turn < TURNS_MOST && again; turn++) {
        for (int i = 0; i < TRIED_LEAST; i++) {
            struct schedule none = {0}, *s = i < best->n ? &best->s[i] : &none;
            size_t segment = s->segment > 0 ? s->segment : bytes;
            TRY(pairs_measure_together(g->comm, s, segment, p));
        }
        bool good = true;
        again = g->rank == 0 && p->n_together > before && clock_now() < until;
        before = p->n_together;
        if (again) {
            best_free(best);
            good = best_find(p, root, bytes, NULL, SIZE_MAX, best, why, sizeof why);
        }
        TRY(crew_agree(g->comm, good));
        TRY(PMPI_Bcast(&again, 1, MPI_INT, 0, g->comm));
    }
    return MPI_SUCCESS;
}

/* The finalists on all ranks, and the library's own; the quickest stays in PLAN. Only rank 0 has
 * BEST. Returns an MPI error code. */
static int run_trials(const struct grid *g, int root, size_t bytes, const struct best *best,
                      struct grid_plan *plan, int *chosen)
{
    void *buffer = trial_buffer(g, bytes);
    int error = MPI_SUCCESS;
    for (int i = 0; buffer && error == MPI_SUCCESS; i++) {
        struct schedule_part *part;
        int go_on = g->rank == 0 && is_worth_a_trial(best, i, plan);
        error = PMPI_Bcast(&go_on, 1, MPI_INT, 0, g->comm);
        if (error != MPI_SUCCESS || !go_on)
            break;
        error = schedule_distribute(g->rank == 0 ? &best->s[i] : NULL, g->comm, &part);
        if (error != MPI_SUCCESS)
            break;
        struct bcast b = schedule_bcast(part);
        struct estimate time = try_out(g, &b, root, buffer, bytes);
        if (g->rank == 0) {
            double off = time.value / best->s[i].completion;
            plan->error_low = fmin(plan->error_low, off);
            plan->error_high = fmax(plan->error_high, off);
        }
        if (!estimate_known(plan->trial_grid) || time.value < plan->trial_grid.value) {
            plan->trial_grid = time;
            *chosen = i;
            free(plan->part);
            plan->part = part;
        } else {
            free(part);
        }
    }
    if (buffer) {
        plan->trial_native = try_out(g, bcast_find("native"), root, buffer, bytes);
        plan->native = !is_quicker(plan->trial_grid, plan->trial_native);
    }
    free(buffer);
    return error;
}

void grid_try_again(const struct grid *g, int root, size_t bytes, struct grid_plan *plan)
{
    double start = clock_now();
    void *buffer = trial_buffer(g, bytes);
    if (!buffer)
        return;
    plan->trial_native = try_out(g, bcast_find("native"), root, buffer, bytes);
    if (!plan->native) {
        plan->trial_grid = try_out(g, &plan->bcast, root, buffer, bytes);
        plan->native = !is_quicker(plan->trial_grid, plan->trial_native);
    }
    free(buffer);
    plan->cost += clock_now() - start;
}

static void name_plan(struct grid_plan *plan, const struct schedule *s)
{
    int length;
    const char *by = best_builder(s, &length);
    snprintf(plan->name, sizeof plan->name, "%.*s", length, by);
    if (s->segment > 0)
        snprintf(plan->name + strlen(plan->name), sizeof plan->name - strlen(plan->name),
                 ", segments of %zu B", s->segment);
}

/* Everybody's copy of what rank 0 decided. */
static void publish(const struct grid *g, struct best *best, int chosen, struct grid_plan *plan)
{
    if (g->rank == 0) {
        plan->schedule = best->s[chosen];
        best->s[chosen] = (struct schedule){0};
        best_name_choice(&plan->schedule);
        plan->predicted = plan->native ? NAN : plan->schedule.completion;
        name_plan(plan, &plan->schedule);
        if (plan->native)
            snprintf(plan->name, sizeof plan->name, "native");
        best_free(best);
    }
    PMPI_Bcast(plan->name, sizeof plan->name, MPI_CHAR, 0, g->comm);
    PMPI_Bcast(&plan->predicted, 3, MPI_DOUBLE, 0, g->comm); /* and its errors */
}

bool grid_plan(struct grid *g, int root, size_t bytes, bool trial, struct grid_plan *plan,
               char *why, size_t size)
{
    double start = clock_now();
    struct best best = {0};
    int chosen = 0, error = MPI_SUCCESS;
    const struct estimate none = {NAN, NAN, NAN};
    *plan = (struct grid_plan){.trial_grid = none,
                               .trial_native = none,
                               .predicted = NAN,
                               .error_low = INFINITY,
                               .error_high = -INFINITY};
    bool good = g->rank != 0 || best_find(&g->pairs, root, bytes, NULL, SIZE_MAX, &best, why, size);
    if (!agree(g->comm, good, why, size))
        return false;
    if (trial && g->patience > 0)
        error = look_at_edges(g, root, bytes, &best);
    if (trial && error == MPI_SUCCESS)
        error = run_trials(g, root, bytes, &best, plan, &chosen);
    if (error == MPI_SUCCESS && !plan->part)
        error = schedule_distribute(g->rank == 0 ? &best.s[0] : NULL, g->comm, &plan->part);
    if (error != MPI_SUCCESS) {
        snprintf(why, size, "the schedule could not be given to all ranks");
        free(plan->part);
        best_free(&best);
        return false;
    }
    publish(g, &best, chosen, plan);
    plan->bcast = plan->native ? *bcast_find("native") : schedule_bcast(plan->part);
    watch_begin(&plan->watch, plan->part);
    plan->cost = clock_now() - start;
    PMPI_Bcast(&plan->cost, 1, MPI_DOUBLE, 0, g->comm);
    return true;
}

static int measure_some(struct grid *g, const int *with, double most)
{
    size_t sizes[SIZES_MAX] = {0};
    int n = g->measured ? g->pairs.n_sizes : 0; /* on rank 0 */
    for (int s = 0; s < n; s++)
        sizes[s] = g->pairs.size[s].bytes;
    TRY(PMPI_Bcast(&n, 1, MPI_INT, 0, g->comm));
    TRY(PMPI_Bcast(sizes, sizeof sizes, MPI_BYTE, 0, g->comm));
    struct pairs_plan plan = pairs_plan_quick(g->clock, sizes, n, clock_now() + most);
    return n > 0 ? pairs_measure_some(g->comm, &plan, with, &g->pairs) : MPI_ERR_OTHER;
}

int grid_refresh(struct grid *g, struct grid_plan *plan, double more, double most)
{
    int *with = malloc((size_t)g->size * sizeof *with), n = -1;
    if (crew_agree(g->comm, with != NULL) == MPI_SUCCESS)
        n = watch_changed(&plan->watch, plan->part, g->comm, g->clock, more, with);
    if (n > 0 && measure_some(g, with, most) != MPI_SUCCESS)
        n = -1;
    free(with);
    return n;
}

void grid_plan_free(struct grid_plan *plan)
{
    watch_end(&plan->watch);
    free(plan->part);
    schedule_free(&plan->schedule);
    *plan = (struct grid_plan){0};
}
