#include "measure/latency/discover.h"

#include "base/clock.h"
#include "base/try.h"
#include "measure/crew.h"
#include "sync/sync.h"

#include <math.h>
#include <stdlib.h>

enum { TAG_HOP = 0x6468 };

enum {
    BASELINE = 9,     /* undisturbed broadcasts */
    REPEATS = 3,      /* of each experiment, at least */
    REPEATS_MORE = 4, /* where those disagree */
    HOP_REPEATS = 7,
};

/* A delay is told from a broadcast's own time by being so much longer, and from the noise of an
 * operating system by being longer than most of it. */
static const double delay_factor = 20, delay_least = 2e-3;

/* Whole messages cannot travel a path in less than the sum of its hops, of which the fastest of
 * several is taken; so little room is enough. */
static const double pipelined_below = 0.9;

struct search {
    const struct latency_case *c;
    struct discovery *d; /* the collector's */
    int rank;
    bool collects;
    double stamps[2];      /* this rank's entry and exit */
    double *all;           /* the collector's: every rank's */
    double *shift, *worst; /* the collector's: smallest and largest of an experiment, by rank */
    double started;
    double silence; /* who is out sends nothing for so long: as long as the first broadcast took */
};

static double global_now(const struct search *s)
{
    double now = clock_now();
    return s->c->clock ? sync_global(s->c->clock, now) : now;
}

/* One broadcast after a quiet start; LATE (-1: nobody) enters DELAY after the others. */
static int experiment(struct search *s, int late, double delay)
{
    const struct latency_case *c = s->c;
    TRY(PMPI_Barrier(c->comm));
    if (s->rank == late)
        clock_hold(delay);
    s->stamps[0] = global_now(s);
    TRY(c->run(c->arg, c->root));
    s->stamps[1] = global_now(s);
    clock_hold(s->silence); /* what is sent next must not meet what others still wait for */
    return PMPI_Gather(s->stamps, 2, MPI_DOUBLE, s->all, 2, MPI_DOUBLE, c->collector, c->comm);
}

static double exit_after_root(const struct search *s, int i)
{
    return s->all[2 * i + 1] - s->all[2 * s->c->root];
}

static int tell_silence(struct search *s)
{
    for (int i = 0; s->collects && i < s->d->size; i++)
        s->silence = fmax(s->silence, exit_after_root(s, i));
    return PMPI_Bcast(&s->silence, 1, MPI_DOUBLE, s->c->collector, s->c->comm);
}

/* Undisturbed: the median exit of every rank; the first broadcast is warm-up. */
static int measure_exits(struct search *s)
{
    int size = s->d->size;
    double *seen = s->collects ? malloc(BASELINE * (size_t)size * sizeof *seen) : NULL;
    int error = MPI_SUCCESS;
    for (int k = -1; k < BASELINE && error == MPI_SUCCESS; k++) {
        error = experiment(s, -1, 0);
        if (k < 0 && error == MPI_SUCCESS)
            error = tell_silence(s);
        for (int i = 0; seen && k >= 0 && i < size; i++)
            seen[(size_t)i * BASELINE + k] = exit_after_root(s, i);
    }
    for (int i = 0; s->collects && i < size; i++)
        s->d->exit[i] = seen ? stats_median(seen + (size_t)i * BASELINE, BASELINE) : NAN;
    free(seen);
    return error;
}

/* Long enough, and not longer than the budget bears for all experiments. */
static int choose_delay(struct search *s, double *delay)
{
    const struct latency_case *c = s->c;
    double longest = 0, left = c->plan.budget - (clock_now() - s->started);
    int size = s->d->size;
    for (int i = 0; s->collects && i < size; i++)
        longest = fmax(longest, s->d->exit[i]);
    *delay = fmax(delay_factor * longest, delay_least);
    if (c->plan.budget > 0)
        *delay = fmax(fmin(*delay, left / (REPEATS + 1) / size), 4 * longest);
    return PMPI_Bcast(delay, 1, MPI_DOUBLE, c->collector, c->comm);
}

/* Takes in one more experiment; tells whether all so far agree. */
static bool compare_exits(struct search *s, bool first, double delay)
{
    bool agree = true;
    for (int i = 0; i < s->d->size; i++) {
        double shift = exit_after_root(s, i) - s->d->exit[i];
        s->shift[i] = first ? shift : fmin(s->shift[i], shift);
        s->worst[i] = first ? shift : fmax(s->worst[i], shift);
        agree &= (s->shift[i] > delay / 2) == (s->worst[i] > delay / 2);
    }
    return agree;
}

/* Column LATE of the matrix: who cannot leave before LATE enters. */
static int find_dependants(struct search *s, int late, double delay)
{
    const struct latency_case *c = s->c;
    int size = s->d->size, more = 1;
    for (int k = 0; more; k++) {
        TRY(experiment(s, late, delay));
        if (s->collects) {
            bool agree = compare_exits(s, k == 0, delay);
            bool time = c->plan.budget <= 0 || clock_now() - s->started < c->plan.budget;
            more = time && (k + 1 < REPEATS || (!agree && k + 1 < REPEATS + REPEATS_MORE));
            s->d->repeats = s->d->repeats > k + 1 || s->d->repeats == 0 ? k + 1 : s->d->repeats;
        }
        TRY(PMPI_Bcast(&more, 1, MPI_INT, c->collector, c->comm));
    }
    for (int i = 0; s->collects && i < size; i++) {
        s->d->depends[(size_t)i * size + late] = i == late || s->shift[i] > delay / 2;
        s->d->undecided += (s->shift[i] > delay / 2) != (s->worst[i] > delay / 2);
    }
    return MPI_SUCCESS;
}

/* The whole message from PARENT to CHILD, which answers by when it came where the clock shows ways,
 * or else by the message, half of whose round trip it is; every rank has the same data by now. */
static int hop_once(const struct search *s, int parent, int child, double *seconds)
{
    const struct broadcast *b = s->c->arg;
    bool exact = sync_shows_ways(s->c->clock), sends = s->rank == parent;
    int other = sends ? child : parent;
    double start = global_now(s), came;
    if (sends)
        TRY(PMPI_Send(b->buffer, b->count, b->type, child, TAG_HOP, b->comm));
    if (!sends || !exact)
        TRY(PMPI_Recv(b->buffer, b->count, b->type, other, TAG_HOP, b->comm, MPI_STATUS_IGNORE));
    came = global_now(s);
    if (sends && exact)
        TRY(PMPI_Recv(&came, 1, MPI_DOUBLE, child, TAG_HOP, b->comm, MPI_STATUS_IGNORE));
    *seconds = (came - start) / (exact ? 1 : 2);
    if (sends)
        return MPI_SUCCESS;
    return exact ? PMPI_Send(&came, 1, MPI_DOUBLE, parent, TAG_HOP, b->comm)
                 : PMPI_Send(b->buffer, b->count, b->type, parent, TAG_HOP, b->comm);
}

/* The fastest, timed by the parent, told to the collector. */
static int measure_hop(struct search *s, int parent, int child)
{
    const struct latency_case *c = s->c;
    double best = INFINITY, one = INFINITY;
    bool first = s->rank == parent;
    for (int k = 0; k < HOP_REPEATS && (first || s->rank == child); k++) {
        TRY(hop_once(s, parent, child, &one));
        best = fmin(best, one);
    }
    if (first && s->rank != c->collector)
        TRY(PMPI_Send(&best, 1, MPI_DOUBLE, c->collector, TAG_HOP + 1, c->comm));
    if (s->collects && !first)
        TRY(PMPI_Recv(&best, 1, MPI_DOUBLE, parent, TAG_HOP + 1, c->comm, MPI_STATUS_IGNORE));
    if (s->collects)
        s->d->hop[child] = best;
    return MPI_SUCCESS;
}

static bool faster_than_whole_messages(const struct discovery *d)
{
    for (int i = 0; i < d->size; i++) {
        double path = 0;
        for (int j = i; d->parent[j] >= 0; j = d->parent[j])
            path += d->hop[j];
        if (d->depth[i] >= 2 && d->exit[i] < pipelined_below * path)
            return true;
    }
    return false;
}

/* All ranks need the tree for the round trips along it. */
static int time_tree(struct search *s)
{
    const struct latency_case *c = s->c;
    int size = s->d->size, shape = s->d->shape;
    TRY(PMPI_Bcast(&shape, 1, MPI_INT, c->collector, c->comm));
    if (shape != DISCOVER_TREE && shape != DISCOVER_BACK_PRESSURE)
        return MPI_SUCCESS;
    TRY(PMPI_Bcast(s->d->parent, size, MPI_INT, c->collector, c->comm));
    for (int i = 0; i < size; i++)
        if (s->d->parent[i] >= 0)
            TRY(measure_hop(s, s->d->parent[i], i));
    if (s->collects && shape == DISCOVER_TREE && faster_than_whole_messages(s->d))
        s->d->shape = DISCOVER_PIPELINED;
    return MPI_SUCCESS;
}

static int search(struct search *s)
{
    struct discovery *d = s->d;
    double delay;
    TRY(measure_exits(s));
    TRY(choose_delay(s, &delay));
    d->delay = delay;
    d->half_trips = !sync_shows_ways(s->c->clock);
    for (int j = 0; j < d->size; j++)
        if (j != d->root)
            TRY(find_dependants(s, j, delay));
    if (s->collects) {
        for (int i = 0; i < d->size; i++)
            d->depends[(size_t)i * d->size + d->root] = 1;
        d->shape = discover_tree(d->depends, d->size, d->root, d->parent, d->depth);
    }
    return time_tree(s);
}

/* The tree is needed everywhere while searching, the rest on the collector. */
static bool allocate(struct search *s)
{
    struct discovery *d = s->d;
    size_t n = (size_t)d->size;
    d->parent = malloc(n * sizeof *d->parent);
    if (!s->collects)
        return d->parent;
    d->depends = calloc(n * n, 1);
    d->depth = malloc(n * sizeof *d->depth);
    d->exit = calloc(n, sizeof *d->exit);
    d->hop = calloc(n, sizeof *d->hop);
    s->all = malloc(2 * n * sizeof *s->all);
    s->shift = malloc(n * sizeof *s->shift);
    s->worst = malloc(n * sizeof *s->worst);
    return d->parent && d->depends && d->depth && d->exit && d->hop && s->all && s->shift &&
           s->worst;
}

int discover_broadcast(const struct latency_case *c, struct discovery *d)
{
    struct search s = {.c = c, .d = d, .started = clock_now()};
    *d = (struct discovery){.root = c->root};
    TRY(crew_check(c->comm, c->root, c->collector, &s.rank, &d->size));
    s.collects = s.rank == c->collector;
    int error = crew_agree(c->comm, allocate(&s));
    if (error == MPI_SUCCESS)
        error = search(&s);
    free(s.all);
    free(s.shift);
    free(s.worst);
    if (error != MPI_SUCCESS || !s.collects)
        discovery_free(d);
    return error;
}

void discovery_free(struct discovery *d)
{
    free(d->depends);
    free(d->parent);
    free(d->depth);
    free(d->exit);
    free(d->hop);
    *d = (struct discovery){.root = d->root};
}
