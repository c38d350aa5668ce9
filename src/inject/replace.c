/* --bcast=NAME: replaces the library's broadcast by an algorithm of collprof, or with "grid" by a
 * tree that is computed from measured latencies for each communicator, root and size class
 * (src/measure/pairs/grid.h).
 *
 * The algorithm runs on the internal communicator and transfers bytes, since ranks may describe the
 * same data by different types and counts. Each rank records times of its first broadcasts; when
 * the communicator is freed, their latencies are computed and reported beside the prediction. */
#include "inject/injection.h"

#include "base/stats.h"
#include "document/json.h"
#include "measure/pairs/grid.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PLANS_MAX = 64, MOMENTS = 64 };
/* Measuring the latencies of a communicator takes at most LATENCIES_MOST seconds; all measurements
 * of a run, this many seconds + MEASURING_PERCENT of the run so far. */
static const double LATENCIES_MOST = 5, MEASURING_PERCENT = 5;

/* The broadcasts of one root and size class on one communicator. */
struct replacement {
    struct replacement *next;
    int root;
    unsigned size_class;
    uint64_t bytes, calls;       /* CALLS: number of broadcasts; BYTES: size of the first */
    const struct bcast *bcast;   /* the algorithm; NULL: the library's */
    struct bcast_grid_plan plan; /* result of "grid", if PLANNED */
    bool planned;
    char why_not[256];      /* if not PLANNED: the reason */
    double moment[MOMENTS]; /* of the first MOMENTS broadcasts, in seconds on the common clock:
                               entries on the root, exits on other ranks */
};

struct replaced {
    struct replacement *replacements;
    int n; /* number of replacements */
    bool measured;
    struct grid grid; /* for --bcast=grid: latencies, if MEASURED */
    char *packed;     /* ROOM bytes for packing the data of a type with holes */
    size_t room;
};

static const struct bcast *wanted; /* NULL: "grid" */

static bool start(void)
{
    const char *name = layer.settings.bcast;
    const bool grid = !strcmp(name, "grid");
    wanted = grid || !strcmp(name, "native") ? NULL : bcast_find(name);
    return grid || wanted;
}

/* Collective. Whether all members may measure latencies; if not, WHY_NOT becomes the reason. Not
 * while several threads of a process call MPI: they and the measurement would delay each other. */
static bool may_measure(const struct internal_comm *s, char why_not[256])
{
    int threads = 0, all[2] = {0, 0};
    pthread_mutex_lock(&layer.lock); /* new threads register under this lock */
    for (uint32_t i = 0; i < layer.ledger.header->section[LEDGER_CALLS].count; i++)
        threads += __atomic_load_n(&layer.ledger.calls[i].thread, __ATOMIC_RELAXED) != 0;
    pthread_mutex_unlock(&layer.lock);
    double left = injection_budget(&replace_injection, LATENCIES_MOST, MEASURING_PERCENT);
    bool alone = threads < 2;
    int mine[2] = {alone, left > 0};
    PMPI_Allreduce(mine, all, 2, MPI_INT, MPI_MIN, s->comm);
    snprintf(why_not, 256, "%s",
             all[0] ? "measurements have used up their share of the run"
                    : "latencies cannot be measured while several threads call MPI");
    return all[0] && all[1];
}

/* Collective. Measures the communicator's latencies, unless this was done before. */
static bool open_grid(struct internal_comm *s, struct replaced *k, char why_not[256])
{
    if (k->measured)
        return true;
    k->grid = (struct grid){.clock = injection_clock()};
    k->measured = bcast_grid_open(&k->grid, s->comm, NULL, NULL, 0, LATENCIES_MOST, why_not, 256);
    return k->measured;
}

static void plan(struct internal_comm *s, struct replaced *k, struct replacement *r)
{
    r->bcast = wanted;
    if (wanted)
        return;
    call_exclude(s->of->id, 1);
    if (!may_measure(s, r->why_not) || !open_grid(s, k, r->why_not))
        return;
    r->planned = bcast_grid_plan(&k->grid, r->root, r->bytes, &tree_grid, SIZE_MAX, &r->plan,
                                 r->why_not, sizeof r->why_not);
    if (r->planned && !r->plan.native)
        r->bcast = &r->plan.bcast;
}

/* Ensures that the pack buffer has BYTES bytes. Called before a broadcast, when the members can
 * still agree not to replace it if one of them has no memory. */
static bool make_room(struct replaced *k, size_t bytes)
{
    if (bytes > k->room) {
        free(k->packed);
        k->packed = malloc(bytes);
        k->room = k->packed ? bytes : 0;
    }
    return bytes <= k->room;
}

/* The replacement for C's root and size class; NULL if there is none. */
static struct replacement *find(const struct collective *c)
{
    const struct replaced *k = c->on->kept[replace_injection.index];
    struct replacement *r = k ? k->replacements : NULL;
    while (r && (r->root != c->root || r->size_class != size_class_of(c->bytes)))
        r = r->next;
    return r;
}

/* Collective. Adds the replacement for C's root and size class, on all members or on none. */
static void before(const struct collective *c)
{
    struct internal_comm *s = c->on;
    struct replaced *k = s->kept[replace_injection.index];
    unsigned size_class = size_class_of(c->bytes);
    struct replacement *r = calloc(1, sizeof *r);
    if (sync_all_have(s->comm, r && make_room(k, (size_t)1 << size_class)) != MPI_SUCCESS) {
        free(r);
        return;
    }
    *r = (struct replacement){
        .next = k->replacements, .root = c->root, .size_class = size_class, .bytes = c->bytes};
    k->replacements = r;
    k->n++;
    plan(s, k, r);
}

static bool wants(const struct collective *c)
{
    return c->is_broadcast && c->bytes > 0 && c->bytes <= INT_MAX;
}

static bool due(const struct collective *c)
{
    const struct replaced *k = c->on->kept[replace_injection.index];
    return !find(c) && k->n < PLANS_MAX;
}

/* Broadcasts data of a type with holes. A rank packs and unpacks by a message to itself, since
 * MPICH's MPI_Pack refuses MPI_BOTTOM. */
static int broadcast_packed(const struct collective *c, const struct bcast *b)
{
    const struct internal_comm *s = c->on;
    const struct replaced *k = s->kept[replace_injection.index];
    const int count = (int)c->count, bytes = (int)c->bytes;
    int rc = MPI_SUCCESS;
    if (s->rank == c->root)
        rc = PMPI_Sendrecv(c->buffer, count, c->type, c->root, 0, k->packed, bytes, MPI_PACKED,
                           c->root, 0, s->comm, MPI_STATUS_IGNORE);
    if (!rc)
        rc = b->run(k->packed, bytes, MPI_BYTE, c->root, s->comm, b->arg);
    if (!rc && s->rank != c->root)
        rc = PMPI_Sendrecv(k->packed, bytes, MPI_PACKED, s->rank, 0, c->buffer, count, c->type,
                           s->rank, 0, s->comm, MPI_STATUS_IGNORE);
    return rc;
}

static int run(const struct collective *c, const struct bcast *b)
{
    if (!b)
        return PMPI_Bcast(c->buffer, (int)c->count, c->type, c->root, c->comm);
    int rc = type_is_plain(c->type)
                 ? b->run(c->buffer, (int)c->bytes, MPI_BYTE, c->root, c->on->comm, b->arg)
                 : broadcast_packed(c, b);
    if (rc)
        PMPI_Comm_call_errhandler(c->comm, rc);
    return rc;
}

static int instead(const struct collective *c)
{
    if (c->bytes == 0)
        return MPI_SUCCESS;
    struct replacement *r = c->bytes > INT_MAX ? NULL : find(c);
    if (!r)
        return injection_pass(&replace_injection, c);
    double entry = clock_now();
    int rc = run(c, r->bcast);
    double moment = c->on->rank == c->root ? entry : clock_now();
    if (r->calls < MOMENTS)
        r->moment[r->calls] = sync_global(injection_clock(), moment);
    r->calls++;
    return rc;
}

static json_t *describe(const struct internal_comm *s, const struct replacement *r, double *took,
                        size_t n)
{
    const char *name = r->planned ? r->plan.name : r->bcast ? r->bcast->name : "native";
    const char *remark = !wanted && !r->planned ? r->why_not
                         : n == 0
                             ? "times unknown: the ranks did not free the communicator together"
                             : NULL;
    json_t *f =
        json_pack("{s:s, s:i, s:i, s:I, s:s, s:I, s:o, s:s*}", "communicator", s->name, "ranks",
                  s->size, "root", r->root, "bytes", (json_int_t)r->bytes, "algorithm", name,
                  "calls", (json_int_t)r->calls, "predicted_us",
                  json_finite(r->planned ? r->plan.predicted.value * 1e6 : NAN), "remark", remark);
    if (!f)
        return NULL;
    json_put_estimate(f, "seen", stats_estimate(took, n, 0));
    if (r->planned) {
        json_put_estimate(f, "trial", r->plan.trial_grid);
        json_put_estimate(f, "library", r->plan.trial_native);
    }
    return f;
}

/* Adds a finding with the latency of each recorded broadcast: last exit - entry of the root. ALL:
 * all members call this, so their times can be reduced; otherwise the latencies are unknown. */
static void put_together(struct internal_comm *s, struct replacement *r, bool all)
{
    double last[MOMENTS], mine[MOMENTS] = {0};
    int n = r->calls < MOMENTS ? (int)r->calls : MOMENTS;
    for (int i = 0; i < n; i++)
        mine[i] = s->rank == r->root ? -INFINITY : r->moment[i];
    if (all && PMPI_Reduce(mine, last, n, MPI_DOUBLE, MPI_MAX, r->root, s->comm))
        return;
    for (int i = 0; all && i < n; i++)
        last[i] -= r->moment[i];
    if (n && s->rank == r->root)
        injection_found(&replace_injection, s->of->index,
                        describe(s, r, last, all ? (size_t)n : 0));
}

static void close_comm(struct internal_comm *s, bool all)
{
    struct replaced *k = s->kept[replace_injection.index];
    if (!k)
        return;
    while (k->replacements) {
        struct replacement *r = k->replacements;
        k->replacements = r->next;
        put_together(s, r, all);
        if (r->planned)
            bcast_grid_plan_free(&r->plan);
        free(r);
    }
    if (k->measured)
        bcast_grid_close(&k->grid);
    free(k->packed);
    free(k);
}

INJECTION(replace, "broadcast", struct replaced, .due = due, .before = before, .instead = instead);
