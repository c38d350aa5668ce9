/* Trees from latencies: the paper's, earliest-completion trees, and an optimiser. */
#include "base/try.h"
#include "trees/bcast.h"
#include "trees/schedule.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Finds the queued vertex with the least distance. The queue is an array, not a heap: a changed key
 * costs nothing, and in a dense graph this scan costs no more than visiting the neighbours. */
static int dequeue_min(const double *dist, const bool *queued, int n)
{
    int u = -1;
    for (int v = 0; v < n; v++)
        if (queued[v] && (u < 0 || dist[v] < dist[u]))
            u = v;
    return u;
}

/* Mateescu and Taylor, Figure 2, literally. Where the paper is ambiguous: its delta is the edge's
 * injection time; keys in the queue follow dist[v]; neighbours and ties are ordered by rank. The
 * paper's errors are kept: dist[u] is the time both of u's arrival and of u's next send, and if a
 * vertex gets a better parent, the old parent's later sends stay delayed. */
static bool build_paper(const struct bcast *b, const struct graph *g, struct schedule *s)
{
    int n = g->n;
    FREED double *dist = malloc((size_t)n * sizeof *dist);
    FREED bool *queued = malloc((size_t)n * sizeof *queued);
    (void)b;
    if (!dist || !queued)
        return false;
    for (int v = 0; v < n; v++) {
        dist[v] = v == s->root ? 0 : INFINITY;
        queued[v] = true;
    }
    for (int i = 0; i < n; i++) {
        int u = dequeue_min(dist, queued, n);
        queued[u] = false;
        s->order[i] = u;
        for (int v = 0; v < n; v++) {
            if (!queued[v] || v == u)
                continue;
            double d = graph_edge(g, u, v)->d, through = dist[u] + graph_edge(g, u, v)->w + d;
            if (dist[v] > through) {
                dist[v] = through;
                dist[u] += d;
                s->parent[v] = u;
            }
        }
    }
    return true;
}

const struct bcast tree_grid_paper = {.name = "grid-paper", .build = build_paper};

struct greedy {
    const struct bcast *rule;
    const struct graph *g;
    /* For each sender that has the message: the n receivers, sorted by the seconds to reach them,
     * with look-ahead plus the seconds that they then need to reach another rank. */
    struct vertex_key *target;
    int *next;     /* for each sender: index of its best receiver in TARGET; n if none is left */
    double *ready; /* for each sender: time when it can send next; NaN: lacks the message */
    double *ahead; /* for each receiver: look-ahead, seconds at least to reach another rank */
    int *sent;
};

static struct vertex_key *targets_of(const struct greedy *w, int u)
{
    return w->target + (size_t)u * (size_t)w->g->n;
}

/* Look-ahead of a receiver that can reach no other rank, in seconds: more than any real time. */
static const double serves_none = 1e4;

static void look_ahead(struct greedy *w, int root)
{
    for (int v = 0; v < w->g->n; v++) {
        w->ahead[v] = w->rule->look_ahead ? serves_none : 0;
        for (int k = 0; w->rule->look_ahead && k < w->g->n; k++)
            if (k != v && k != root)
                w->ahead[v] = fmin(w->ahead[v], graph_cost(w->g, v, k));
    }
}

static void add_sender(struct greedy *w, int u, double ready)
{
    int n = w->g->n;
    struct vertex_key *list = targets_of(w, u);
    for (int v = 0; v < n; v++)
        list[v] = (struct vertex_key){v == u ? INFINITY : graph_cost(w->g, u, v) + w->ahead[v], v};
    qsort(list, (size_t)n, sizeof *list, vertex_compare);
    w->ready[u] = ready;
}

/* The sender whose next message has the least key (time of its completion, with look-ahead); -1 if
 * no rank can send. */
static int best_sender(struct greedy *w)
{
    int n = w->g->n, best = -1;
    double least = INFINITY;
    for (int u = 0; u < n; u++) {
        const struct vertex_key *list = targets_of(w, u);
        if (isnan(w->ready[u]))
            continue;
        while (w->next[u] < n && !isnan(w->ready[list[w->next[u]].v]))
            w->next[u]++;
        if (w->next[u] < n && w->ready[u] + list[w->next[u]].key < least) {
            least = w->ready[u] + list[w->next[u]].key;
            best = u;
        }
    }
    return best;
}

/* Adds one message at a time: the one that completes earliest. Unlike the paper's pseudocode it
 * keeps the times of arrival and next send apart, and considers all senders. False if the limit of
 * children leaves no path to a rank. */
static bool run_greedy(struct greedy *w, struct schedule *s)
{
    int u = 0;
    s->order[0] = s->root;
    for (int v = 0; v < s->n; v++)
        w->ready[v] = NAN;
    look_ahead(w, s->root);
    add_sender(w, s->root, 0);
    for (int done = 1; done < s->n && (u = best_sender(w)) >= 0; done++) {
        int v = targets_of(w, u)[w->next[u]].v;
        add_sender(w, v, w->ready[u] + graph_cost(w->g, u, v));
        w->ready[u] += graph_edge(w->g, u, v)->d;
        if (++w->sent[u] == w->rule->children)
            w->next[u] = s->n;
        s->parent[v] = u;
        s->order[done] = v;
    }
    return u >= 0;
}

bool build_earliest(const struct bcast *b, const struct graph *g, struct schedule *s)
{
    size_t n = (size_t)g->n;
    FREED struct vertex_key *target = malloc(n * n * sizeof *target);
    FREED int *next = calloc(2 * n, sizeof *next);
    FREED double *ready = malloc(2 * n * sizeof *ready);
    struct greedy w = {b, g, target, next, ready, .ahead = ready + n, .sent = next + n};
    return target && next && ready && run_greedy(&w, s);
}

#define EARLIEST(symbol, words, ...)                                                               \
    static const struct bcast symbol = {.name = (words), .build = build_earliest, __VA_ARGS__};
EARLIEST(ahead, "look-ahead", .look_ahead = true)
EARLIEST(earliest, "earliest", .children = 0)
EARLIEST(binary, "binary", .children = 2)

const struct bcast *const bcast_candidates[] = {
    &ahead, &earliest, &binary, &tree_grid_paper, &tree_binomial, &tree_flat, &tree_chain};
const size_t n_bcast_candidates = sizeof bcast_candidates / sizeof *bcast_candidates;

static void keep_better(struct schedule *s, struct schedule *other)
{
    if (s->n == 0 || other->completion < s->completion) {
        struct schedule worse = *s;
        *s = *other;
        *other = worse;
    }
    schedule_free(other);
}

/* Makes OTHER a copy of S in which V is a child of U; false if U is V or a descendant of V. */
static bool moved(const struct schedule *s, const struct graph *g, int v, int u,
                  struct schedule *other)
{
    for (int w = u; w >= 0; w = s->parent[w])
        if (w == v)
            return false;
    if (!schedule_new(other, s->n, s->root))
        return false;
    memcpy(other->parent, s->parent, (size_t)s->n * sizeof *s->parent);
    memcpy(other->order, s->order, (size_t)s->n * sizeof *s->order);
    memcpy(other->name, s->name, sizeof other->name);
    other->parent[v] = u;
    if (!schedule_link(other)) {
        schedule_free(other);
        return false;
    }
    schedule_label(other, g);
    return true;
}

/* The optimiser: moves single vertices to other parents as long as the predicted time falls. */
static void optimise(const struct graph *g, struct schedule *s)
{
    double before;
    do {
        before = s->completion;
        for (int v = 0; v < s->n; v++) {
            for (int u = 0; u < s->n; u++) {
                struct schedule other;
                if (v != s->root && u != s->parent[v] && moved(s, g, v, u, &other))
                    keep_better(s, &other);
            }
        }
    } while (s->completion < 0.999 * before);
}

enum { OPTIMISED = 16 }; /* vertices at most: the optimiser's time grows with their fourth power */

static bool build_grid(const struct bcast *b, const struct graph *g, struct schedule *s)
{
    struct schedule best = {0}, one;
    for (size_t i = 0; i < n_bcast_candidates; i++) {
        if (!schedule_build(bcast_candidates[i], g, s->root, &one))
            continue;
        schedule_label(&one, g);
        if (g->n <= OPTIMISED)
            optimise(g, &one);
        keep_better(&best, &one);
    }
    if (best.n == 0)
        return false;
    char name[20];
    snprintf(name, sizeof name, "%.19s", best.name);
    snprintf(best.name, sizeof best.name, "%s (%s)", b->name, name);
    schedule_free(s);
    *s = best;
    return true;
}

const struct bcast tree_grid = {.name = "grid", .build = build_grid};

bool schedule_build(const struct bcast *b, const struct graph *g, int root, struct schedule *s)
{
    if (!b->build || !schedule_new(s, g->n, root))
        return false;
    snprintf(s->name, sizeof s->name, "%s", b->name);
    if (!b->build(b, g, s) || !schedule_link(s)) {
        schedule_free(s);
        return false;
    }
    if (b->by_rank)
        schedule_predict(s, g, 1);
    else
        schedule_label(s, g);
    return true;
}

#define ADDRESS(symbol, name, how) &tree_##symbol,
const struct bcast *const bcasts[] = {BCASTS(ADDRESS)};
const size_t n_bcasts = sizeof bcasts / sizeof *bcasts;

const struct bcast *bcast_find(const char *name)
{
    for (size_t i = 0; i < n_bcasts; i++)
        if (strcmp(bcasts[i]->name, name) == 0)
            return bcasts[i];
    return NULL;
}
