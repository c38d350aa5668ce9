/* Another broadcast in place of the library's: one of ours by name, or "grid", scheduled over
 * measured latencies for each communicator, root and size class (src/measure/pairs/grid.h).
 *
 * It runs on the layer's duplicate of the communicator and on bytes: ranks may give the same data
 * by different types and counts, so that nothing but its size is common to them. Every rank keeps
 * the moments of its first broadcasts, on the clock common to all; when the communicator goes,
 * they are put together: what each broadcast really took, beside what was predicted. */
#include "inject/list.h"

#include "base/stats.h"
#include "measure/crew.h"
#include "measure/pairs/grid.h"
#include "results/schedule_json.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* AGAIN: a plan is tried again after so many broadcasts, then after eight times as many, and so on.
 * LOOK: what its edges take by the application's own broadcasts is looked at after so many. */
enum { PLANS_MAX = 64, SEEN = 64, AGAIN = 64, LOOK = 64 };
/* A trial, or an edge, that takes so much more or less than before: latencies have changed. */
static const double AGED = 0.1;
/* Seconds for measuring latencies, once on a communicator. */
static const double LATENCIES_MOST = 5;
/* Of the run so far, for measuring them again; beside those seconds, for all that is measured. */
static const double AGED_SHARE = 0.05;
/* Of the time until the next look, at most. */
static const double LOOK_SHARE = 0.01;

/* Broadcasts of one root and size class. */
struct replacement {
    struct replacement *next;
    int root;
    unsigned size_class;
    uint64_t bytes, calls;     /* bytes: of the first one */
    const struct bcast *bcast; /* NULL: the library's */
    struct grid_plan plan;     /* of "grid" */
    bool planned;
    double cost; /* seconds of measuring, planning and trials, for this alone */
    struct estimate first_grid, first_native; /* the trials when it was planned */
    bool aged;   /* they differ by now, and there was no time to measure anew */
    unsigned of; /* which measurement of the latencies it was planned from */
    /* Calls: when it is tried again; when it was given up, planned anew; 0: never. */
    uint64_t again, stopped, refreshed;
    int pairs_anew;        /* so many were measured again then; 0: all */
    uint64_t looked, look; /* calls: when its edges were looked at, and are next */
    double looked_at;
    int kept;            /* moments, since it was planned */
    double moment[SEEN]; /* at the root the entry, elsewhere the exit; global seconds */
};

/* What is kept for a communicator. */
struct replaced {
    struct replacement *replacements;
    struct grid *grid; /* latencies, for --bcast=grid */
    unsigned measured; /* how often they were */
    bool grid_failed;
    char *packed; /* here is data whose type has holes, in the broadcast; ROOM bytes */
    size_t room;
    char why[256]; /* why there are no latencies */
};

static struct {
    const struct bcast *bcast; /* in place of the library's; NULL with GRID */
    bool grid;                 /* a schedule per communicator and root instead, if there is one */
    const char *latencies;     /* a log, or NULL: measured at first use */
    double began;
    uint64_t spent_ns; /* for all communicators, by threads */
    bool said;         /* why one has no latencies: others have it in their rows */
} wanted;

static double spent(void)
{
    return 1e-9 * (double)__atomic_load_n(&wanted.spent_ns, __ATOMIC_RELAXED);
}

static bool start(void)
{
    const struct settings *set = &layer.settings;
    if (!*set->bcast || !strcmp(set->bcast, "native"))
        return false;
    wanted.began = clock_now();
    wanted.grid = !strcmp(set->bcast, "grid");
    wanted.bcast = wanted.grid ? NULL : bcast_find(set->bcast);
    wanted.latencies = *set->latencies ? set->latencies : NULL;
    return wanted.grid || wanted.bcast;
}

/* --- which broadcast --- */

/* Whether all members may measure; WHY not. What is measured while other threads call MPI is their
 * time, too, and among threads that wait for each other's processors there is no end to it. */
static bool may_measure(const struct shadow *s, const char **why)
{
    int threads = 0, all[2] = {0, 0};
    pthread_mutex_lock(&layer.lock); /* one that calls for the first time takes its place there */
    for (uint32_t i = 0; i < layer.ledger.header->section[LEDGER_CALLS].count; i++)
        threads += __atomic_load_n(&layer.ledger.calls[i].thread, __ATOMIC_RELAXED) != 0;
    pthread_mutex_unlock(&layer.lock);
    int mine[2] = {threads < 2,
                   spent() < LATENCIES_MOST + AGED_SHARE * (clock_now() - wanted.began)};
    PMPI_Allreduce(mine, all, 2, MPI_INT, MPI_MIN, s->comm);
    *why = all[0] ? "enough of the run has gone into measuring"
                  : "latencies cannot be measured while several threads call MPI";
    return all[0] && all[1];
}

static bool open_grid(struct shadow *s, struct replaced *k, const char *latencies, bool may,
                      const char *why_not)
{
    if (k->grid || k->grid_failed)
        return k->grid != NULL;
    snprintf(k->why, sizeof k->why, "%s", why_not);
    k->grid = calloc(1, sizeof *k->grid);
    bool all = crew_agree(s->comm, k->grid != NULL) == MPI_SUCCESS;
    if (all)
        *k->grid = (struct grid){.clock = injection_clock()};
    if (all && (may || latencies) &&
        grid_open(k->grid, s->comm, latencies, NULL, 0, LATENCIES_MOST, k->why, sizeof k->why)) {
        k->measured++;
        return true;
    }
    if (all && s->rank == 0 && !__atomic_exchange_n(&wanted.said, true, __ATOMIC_RELAXED))
        layer_say("--bcast=grid: %s: %s runs with the library's broadcast", k->why, s->name);
    free(k->grid);
    k->grid = NULL;
    k->grid_failed = true;
    return false;
}

static void make_plan(struct shadow *s, struct replaced *k, struct replacement *r)
{
    char why[256];
    const char *why_not;
    r->bcast = wanted.bcast;
    if (!wanted.grid)
        return;
    call_keep_apart(s->of->id, 1);
    bool may = may_measure(s, &why_not);
    if (!open_grid(s, k, k->measured ? NULL : wanted.latencies, may, why_not))
        return;
    r->of = k->measured;
    r->planned = grid_plan(k->grid, r->root, r->bytes, may, &r->plan, why, sizeof why);
    r->again = r->again ? r->again : AGAIN;
    r->look = r->look ? r->look : LOOK;
    r->first_grid = r->plan.trial_grid;
    r->first_native = r->plan.trial_native;
    if (r->planned && !r->plan.native)
        r->bcast = &r->plan.bcast;
    else if (!r->planned && s->rank == 0)
        layer_say("--bcast=grid: %s: %s runs with the library's broadcast", why, s->name);
}

/* Room for what is broadcast, packed: made while all members can still agree not to. Where no type
 * has holes nothing ever touches it. */
static bool make_room(struct replaced *k, size_t bytes)
{
    if (bytes > k->room) {
        free(k->packed);
        k->packed = malloc(bytes);
        k->room = k->packed ? bytes : 0;
    }
    return bytes <= k->room;
}

/* NULL: there is none. *N: of all that there are. */
static struct replacement *find(const struct collective *c, int *n)
{
    const struct replaced *k = c->on->kept[replace_injection.index];
    struct replacement *r = k ? k->replacements : NULL;
    unsigned size_class = size_class_of(c->bytes);
    for (*n = 0; r && (r->root != c->root || r->size_class != size_class); r = r->next)
        ++*n;
    return r;
}

/* None without memory; all members agree. */
static void make_replacement(const struct collective *c)
{
    struct shadow *s = c->on;
    struct replaced *k = s->kept[replace_injection.index];
    unsigned size_class = size_class_of(c->bytes);
    struct replacement *r = calloc(1, sizeof *r);
    if (crew_agree(s->comm, r && make_room(k, (size_t)1 << size_class)) != MPI_SUCCESS) {
        free(r);
        return;
    }
    *r = (struct replacement){
        .next = k->replacements, .root = c->root, .size_class = size_class, .bytes = c->bytes};
    k->replacements = r;
    make_plan(s, k, r);
}

/* --- running it --- */

/* Whether COUNT elements lie in memory as their bytes in order. Predefined types do, except
 * those for MPI_MINLOC and the like, which have holes. */
static bool is_plain(MPI_Datatype type)
{
    int integers, addresses, types, combiner;
    MPI_Count size, bound, extent;
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    PMPI_Type_size_x(type, &size);
    PMPI_Type_get_extent_x(type, &bound, &extent);
    return combiner == MPI_COMBINER_NAMED && size == extent;
}

/* By messages to itself: MPI_Pack of MPICH takes no MPI_BOTTOM. */
static int broadcast_packed(struct shadow *s, const struct bcast *b, void *buffer, int count,
                            MPI_Datatype type, int root, int bytes)
{
    const struct replaced *k = s->kept[replace_injection.index];
    int rc = MPI_SUCCESS;
    if (s->rank == root)
        rc = PMPI_Sendrecv(buffer, count, type, root, 0, k->packed, bytes, MPI_PACKED, root, 0,
                           s->comm, MPI_STATUS_IGNORE);
    if (!rc)
        rc = b->run(k->packed, bytes, MPI_BYTE, root, s->comm, b->arg);
    if (!rc && s->rank != root)
        rc = PMPI_Sendrecv(k->packed, bytes, MPI_PACKED, s->rank, 0, buffer, count, type, s->rank,
                           0, s->comm, MPI_STATUS_IGNORE);
    return rc;
}

static int run(struct shadow *s, const struct bcast *b, void *buffer, int count, MPI_Datatype type,
               int root, uint64_t bytes, MPI_Comm comm)
{
    if (!b)
        return PMPI_Bcast(buffer, count, type, root, comm);
    int rc = is_plain(type) ? b->run(buffer, (int)bytes, MPI_BYTE, root, s->comm, b->arg)
                            : broadcast_packed(s, b, buffer, count, type, root, (int)bytes);
    if (rc)
        PMPI_Comm_call_errhandler(comm, rc);
    return rc;
}

static int instead(const struct collective *c)
{
    struct shadow *s = c->on;
    if (c->bytes == 0)
        return MPI_SUCCESS;
    int n;
    struct replacement *r = c->bytes > INT_MAX ? NULL : find(c, &n);
    if (!r)
        return injection_pass(&replace_injection, c);
    double entry = clock_now();
    int rc = run(s, r->bcast, c->buffer, (int)c->count, c->type, c->root, c->bytes, c->comm);
    if (r->planned && c->bytes == r->bytes)
        watch_keep(&r->plan.watch, r->plan.part);
    double moment = s->rank == c->root ? entry : clock_now();
    if (c->is_measured)
        return rc;
    if (r->kept < SEEN)
        r->moment[r->kept++] = sync_global(injection_clock(), moment);
    r->calls++;
    return rc;
}

/* By the trials before and now, all ranks there. One that had time for a few broadcasts only has no
 * interval: then it has to be twice as much. */
static bool is_aged(struct estimate before, struct estimate now)
{
    bool rough = isnan(before.low) || isnan(now.low);
    return rough ? now.value > 2 * before.value || before.value > 2 * now.value
                 : estimates_differ(before, now, AGED);
}

/* Whether measuring all again, which takes so many times LONGER now, fits into its share of the run
 * so far. Rank 0 decides for all. */
static bool is_time(const struct shadow *s, const struct replaced *k, double longer)
{
    int fits = k->grid->cost * fmax(1, longer) < AGED_SHARE * (clock_now() - wanted.began);
    PMPI_Bcast(&fits, 1, MPI_INT, 0, s->comm);
    return fits;
}

/* From the latencies that are known, or from new ones of ALL pairs. */
static void plan_from(struct shadow *s, struct replaced *k, struct replacement *r, bool all)
{
    if (all) {
        grid_close(k->grid);
        free(k->grid);
        k->grid = NULL;
        r->pairs_anew = 0;
    }
    grid_plan_free(&r->plan);
    r->planned = false;
    r->refreshed = r->calls;
    r->kept = 0;
    make_plan(s, k, r);
}

/* From latencies that are measured now, unless some have been since. Where the predictions are then
 * farther off than they were, more has changed than these. */
static void plan_anew(struct shadow *s, struct replaced *k, struct replacement *r)
{
    double low = r->plan.error_low / (1 + AGED), high = r->plan.error_high * (1 + AGED);
    double native = r->first_native.value;
    bool all = r->of == k->measured;
    plan_from(s, k, r, all);
    r->aged = !all && r->planned && (r->plan.error_low < low || r->plan.error_high > high);
    if (r->aged && is_time(s, k, r->first_native.value / native)) {
        plan_from(s, k, r, true);
        r->aged = false;
    }
}

/* What paid at the start need not later, and the other way round. All members count alike. */
static void try_again(struct shadow *s, struct replaced *k, struct replacement *r)
{
    grid_try_again(k->grid, r->root, r->bytes, &r->plan);
    r->aged = is_aged(r->first_native, r->plan.trial_native) ||
              (r->bcast && is_aged(r->first_grid, r->plan.trial_grid));
    if (r->aged &&
        (r->of < k->measured || is_time(s, k, r->plan.trial_native.value / r->first_native.value)))
        plan_anew(s, k, r);
}

/* The application's own broadcasts show which edges of the tree take another time by now. */
static void look_at_edges(struct shadow *s, struct replaced *k, struct replacement *r)
{
    double most = fmin(LATENCIES_MOST, AGED_SHARE * (clock_now() - wanted.began));
    int n = grid_refresh(k->grid, &r->plan, AGED, most);
    if (n > 0) {
        k->measured++;
        r->pairs_anew = n;
        plan_anew(s, k, r);
    } else if (n < 0 || r->aged) {
        try_again(s, k, r);
    }
}

static void refresh(struct shadow *s, struct replacement *r)
{
    struct replaced *k = s->kept[replace_injection.index];
    bool replaced = r->bcast, looks = r->calls < r->again;
    const char *why_not;
    double begin = clock_now(), each = (begin - r->looked_at) / (double)(r->calls - r->looked);
    call_keep_apart(s->of->id, 1);
    r->again = looks ? r->again : 8 * r->again;
    if (k->grid && may_measure(s, &why_not)) /* else not now, or they could not be measured anew */
        (looks ? look_at_edges : try_again)(s, k, r);
    if (r->planned && r->plan.native)
        r->bcast = NULL;
    r->stopped = replaced && !r->bcast ? r->calls : r->stopped;
    r->looked_at = clock_now();
    double took = looks ? r->looked_at - begin : 0;
    r->looked = r->calls;
    r->look = r->calls + (uint64_t)fmax(LOOK, took / (LOOK_SHARE * each));
    PMPI_Bcast(&r->look, 1, MPI_UINT64_T, 0, s->comm);
}

static bool wants(const struct collective *c)
{
    if (c->is_broadcast && c->bytes > INT_MAX)
        injection_untreated(&replace_injection);
    return c->is_broadcast && c->bytes > 0 && c->bytes <= INT_MAX;
}

static bool due(const struct collective *c)
{
    int n;
    const struct replacement *r = find(c, &n);
    return r ? r->planned && (r->calls >= r->again || (r->bcast && r->calls >= r->look))
             : n < PLANS_MAX;
}

/* The first of its kind would be late for what is made here. */
static void before(const struct collective *c)
{
    int n;
    double begin = clock_now();
    struct replacement *r = find(c, &n);
    if (r)
        refresh(c->on, r);
    else
        make_replacement(c);
    double took = clock_now() - begin;
    __atomic_fetch_add(&wanted.spent_ns, (uint64_t)(1e9 * took), __ATOMIC_RELAXED);
    if ((r = find(c, &n)))
        r->cost += took;
}

/* --- what was found --- */

static void add_estimate(json_t *f, const char *key, struct estimate e)
{
    const double part[] = {e.value, e.low, e.high};
    static const char *const ends[] = {"", "low_", "high_"};
    for (int i = 0; i < 3; i++) {
        char name[40];
        snprintf(name, sizeof name, "%s_%sus", key, ends[i]);
        json_object_set_new(f, name, isnan(part[i]) ? json_null() : json_real(part[i] * 1e6));
    }
}

static json_t *describe(const struct shadow *s, const struct replaced *k,
                        const struct replacement *r, double *took, size_t n)
{
    const char *name = r->planned ? r->plan.name : r->bcast ? r->bcast->name : "native";
    struct summary seen = stats_summarize(took, n);
    json_t *f = json_pack("{s:s, s:i, s:i, s:I, s:s, s:I}", "communicator", s->name, "ranks",
                          s->size, "root", r->root, "bytes", (json_int_t)r->bytes, "algorithm",
                          name, "calls", (json_int_t)r->calls);
    if (!f)
        return NULL;
    bool predicted = r->planned && !isnan(r->plan.predicted);
    json_object_set_new(f, "predicted_us",
                        predicted ? json_real(r->plan.predicted * 1e6) : json_null());
    add_estimate(f, "seen", (struct estimate){seen.median, seen.median_low, seen.median_high});
    if (r->planned) {
        add_estimate(f, "trial", r->plan.trial_grid);
        add_estimate(f, "library", r->plan.trial_native);
        json_object_set_new(f, "schedule_cost_us", json_real(r->cost * 1e6));
    }
    if (r->stopped)
        json_object_set_new(f, "given_up_after_calls", json_integer((json_int_t)r->stopped));
    if (r->refreshed)
        json_object_set_new(f, "latencies_anew_after_calls",
                            json_integer((json_int_t)r->refreshed));
    if (r->pairs_anew)
        json_object_set_new(f, "pairs_anew", json_integer(r->pairs_anew));
    if (k->grid_failed)
        json_object_set_new(f, "remark", json_string(k->why));
    else if (r->aged)
        json_object_set_new(f, "remark",
                            json_string("latencies have changed, to measure them again would take "
                                        "more than its share of the run"));
    else if (n == 0)
        json_object_set_new(f, "remark",
                            json_string("its members did not meet when the communicator went: "
                                        "what a broadcast took is not known"));
    else if (predicted && seen.median_low > 2 * r->plan.predicted)
        json_object_set_new(f, "remark",
                            json_sprintf("seen %.*f times as long as predicted",
                                         seen.median < 10 * r->plan.predicted,
                                         seen.median / r->plan.predicted));
    if (r->planned && !r->plan.native && r->plan.schedule.n > 0)
        json_object_set_new(f, "schedule", schedule_to_json(&r->plan.schedule, r->bytes));
    return f;
}

/* Last exit minus the root's entry of every broadcast whose moments were kept, where ALL are here.
 */
static void put_together(struct shadow *s, const struct replaced *k, struct replacement *r,
                         bool all)
{
    double last[SEEN], mine[SEEN];
    int n = r->kept;
    for (int i = 0; i < n; i++)
        mine[i] = s->rank == r->root ? -INFINITY : r->moment[i];
    if (all && PMPI_Reduce(mine, last, n, MPI_DOUBLE, MPI_MAX, r->root, s->comm))
        return;
    for (int i = 0; all && i < n; i++)
        last[i] -= r->moment[i];
    if (n && s->rank == r->root)
        injection_found(&replace_injection, s->of->index,
                        describe(s, k, r, last, all ? (size_t)n : 0));
}

static void close_shadow(struct shadow *s, bool all)
{
    struct replaced *k = s->kept[replace_injection.index];
    if (!k)
        return;
    while (k->replacements) {
        struct replacement *r = k->replacements;
        k->replacements = r->next;
        put_together(s, k, r, all);
        if (r->planned)
            grid_plan_free(&r->plan);
        free(r);
    }
    if (k->grid)
        grid_close(k->grid);
    free(k->grid);
    free(k->packed);
    free(k);
}

static void finish(void)
{
    if (wanted.grid && layer.rank == 0 && spent() > 0)
        snprintf(replace_injection.remark, sizeof replace_injection.remark,
                 "broadcast: measuring latencies and trials took %.3g s, %.0f %% of the run (rank "
                 "0): times outside of collectives contain it, the calls behind it are kept apart",
                 spent(), 100 * spent() / (clock_now() - wanted.began));
}

struct injection replace_injection = {.name = "broadcast",
                                      .keeps = sizeof(struct replaced),
                                      .start = start,
                                      .wants = wants,
                                      .due = due,
                                      .before = before,
                                      .instead = instead,
                                      .close = close_shadow,
                                      .finish = finish};
