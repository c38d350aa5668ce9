/* One edge at a time, the one that completes earliest: with arrival and next sending apart, and
 * a choice among all senders, which the paper's pseudocode lacks.
 *
 * Look-ahead adds to each candidate the least time in which the receiver could serve one of those
 * that remain, so that a good relay is reached early. All keys only grow as vertices are taken
 * (a sender is busy longer, fewer vertices remain), hence a key that was computed earlier is a
 * lower bound: heaps hold such stale keys and only their smallest is brought up to date. */
#include "trees/builders.h"
#include "trees/heap.h"

#include <math.h>
#include <stdlib.h>

/* For a receiver that could serve nobody: later than anything real, and small enough that
 * nanoseconds added to it are not lost. */
static const double serves_nobody = 1e4;

struct greedy {
    const struct graph *g;
    struct schedule *s;
    struct heap senders; /* by the completion of each one's best candidate */
    struct heap
        *targets; /* of each sender: its candidates, by cost and look-ahead, without ready */
    struct heap *nearest; /* look-ahead: of each vertex, the others by cost; otherwise NULL */
    double *ahead;        /* look-ahead: as last computed */
    double *ready;        /* when a reached vertex can send next; NaN: not reached */
    bool *reached;
    bool *entered; /* groups that a message has reached, and that none may enter again; NULL: any
                      may */
    int *left;     /* children that each may still have; NULL: any number */
    bool good;     /* false: no memory, or no way on */
};

static double look_ahead(struct greedy *w, int v)
{
    if (!w->nearest)
        return 0;
    struct heap *h = &w->nearest[v];
    while (h->n > 0 && w->reached[h->entry[0].vertex])
        heap_pop(h);
    return w->ahead[v] = h->n > 0 ? h->entry[0].key : serves_nobody;
}

/* Whether U may no longer send to V. */
static bool closed(const struct greedy *w, int u, int v)
{
    return w->reached[v] ||
           (w->entered && w->g->group[u] != w->g->group[v] && w->entered[w->g->group[v]]);
}

/* Drops candidates that others took, until the best one's key is true. */
static void refresh_targets(struct greedy *w, int u)
{
    struct heap *h = &w->targets[u];
    while (h->n > 0) {
        int v = h->entry[0].vertex;
        if (closed(w, u, v)) {
            heap_pop(h);
            continue;
        }
        double key = graph_cost(w->g, u, v) + look_ahead(w, v);
        if (key <= h->entry[0].key)
            return;
        heap_raise_first(h, key);
    }
}

static void add_sender(struct greedy *w, int u, double ready, int remaining)
{
    struct heap *h = &w->targets[u];
    w->ready[u] = ready;
    w->reached[u] = true;
    if (w->entered)
        w->entered[w->g->group[u]] = true;
    if (w->nearest)
        heap_free(&w->nearest[u]);
    if (!heap_new(h, remaining)) {
        w->good = false;
        return;
    }
    for (int v = 0; v < w->g->n; v++) {
        double cost = graph_cost(w->g, u, v);
        if (v != u && !closed(w, u, v) && isfinite(cost))
            heap_append(h, v, cost + (w->nearest ? w->ahead[v] : 0));
    }
    heap_make(h);
    if (h->n > 0)
        heap_push(&w->senders, u, ready + h->entry[0].key);
}

/* The sender whose next message is best; its candidate is the first of its targets. -1 if nobody
 * can send any more: in a sparse graph a limit of children may leave no way on. */
static int best_sender(struct greedy *w)
{
    while (w->senders.n > 0) {
        int u = w->senders.entry[0].vertex;
        refresh_targets(w, u);
        if (w->targets[u].n == 0 || (w->left && w->left[u] == 0)) {
            heap_free(&w->targets[u]);
            heap_pop(&w->senders);
            continue;
        }
        double key = w->ready[u] + w->targets[u].entry[0].key;
        if (key <= w->senders.entry[0].key)
            return u;
        heap_raise_first(&w->senders, key);
    }
    return -1;
}

static void commit(struct greedy *w, int u, int done)
{
    int v = w->targets[u].entry[0].vertex;
    double arrival = w->ready[u] + graph_cost(w->g, u, v);
    w->ready[u] += graph_d(w->g, u, v);
    if (w->left)
        w->left[u]--;
    w->s->parent[v] = u;
    w->s->order[done] = v;
    /* The row's own key stays as it is: v is dropped at the next refreshing. */
    add_sender(w, v, arrival, w->g->n - done - 1);
}

static void start_look_ahead(struct greedy *w)
{
    int n = w->g->n;
    w->nearest = calloc((size_t)n, sizeof *w->nearest);
    w->ahead = calloc((size_t)n, sizeof *w->ahead);
    w->good = w->good && w->nearest && w->ahead;
    for (int v = 0; w->good && v < n; v++) {
        struct heap *h = &w->nearest[v];
        if (v == w->s->root)
            continue;
        w->good = heap_new(h, n);
        for (int k = 0; w->good && k < n; k++)
            if (k != v && k != w->s->root && isfinite(graph_cost(w->g, v, k)))
                heap_append(h, k, graph_cost(w->g, v, k));
        heap_make(h);
        look_ahead(w, v);
    }
}

static void end(struct greedy *w)
{
    for (int v = 0; v < w->g->n; v++) {
        if (w->targets)
            heap_free(&w->targets[v]);
        if (w->nearest)
            heap_free(&w->nearest[v]);
    }
    heap_free(&w->senders);
    free(w->targets);
    free(w->nearest);
    free(w->ahead);
    free(w->ready);
    free(w->reached);
    free(w->left);
    free(w->entered);
}

/* CHILDREN: the most that a vertex may have; 0: no limit. SITES: each group is entered once. */
static bool build(const struct graph *g, struct schedule *s, bool ahead, int children, bool sites)
{
    size_t n = (size_t)g->n;
    struct greedy w = {.g = g,
                       .s = s,
                       .targets = calloc(n, sizeof *w.targets),
                       .ready = calloc(n, sizeof *w.ready),
                       .reached = calloc(n, sizeof *w.reached)};
    w.good = heap_new(&w.senders, g->n) && w.targets && w.ready && w.reached;
    if (w.good && children > 0) {
        w.left = malloc(n * sizeof *w.left);
        w.good = w.left != NULL;
        for (size_t v = 0; w.good && v < n; v++)
            w.left[v] = children;
    }
    if (w.good && sites) {
        w.entered = calloc(n, sizeof *w.entered);
        w.good = w.entered != NULL;
    }
    if (w.good && ahead)
        start_look_ahead(&w);
    s->order[0] = s->root;
    if (w.good)
        add_sender(&w, s->root, 0, g->n);
    for (int done = 1; w.good && done < g->n; done++) {
        int u = best_sender(&w);
        if (u < 0)
            w.good = false;
        else
            commit(&w, u, done);
    }
    end(&w);
    return w.good;
}

static bool build_earliest(const struct graph *g, struct schedule *s)
{
    return build(g, s, false, 0, false);
}

const struct bcast tree_earliest = {
    .name = "earliest",
    .summary = "one edge at a time, the one that completes earliest",
    .build = build_earliest,
    .relabel = true,
};

static bool build_look_ahead(const struct graph *g, struct schedule *s)
{
    return build(g, s, true, 0, false);
}

const struct bcast tree_look_ahead = {
    .name = "look-ahead",
    .summary = "earliest completion, counting how soon the receiver can serve another",
    .build = build_look_ahead,
    .relabel = true,
};

bool build_chain(const struct graph *g, struct schedule *s)
{
    return build(g, s, false, 1, false);
}

static bool build_binary(const struct graph *g, struct schedule *s)
{
    return build(g, s, false, 2, false);
}

const struct bcast tree_binary = {
    .name = "binary",
    .summary = "earliest completion, two children at most: for messages in segments",
    .build = build_binary,
    .relabel = true,
};

/* Without groups there is nothing to heed. */
static bool build_sites(const struct graph *g, struct schedule *s)
{
    return build(g, s, true, 0, g->group != NULL);
}

const struct bcast tree_sites = {
    .name = "sites",
    .summary = "look-ahead, but only one message enters each site",
    .build = build_sites,
    .relabel = true,
};

static bool build_sites_binary(const struct graph *g, struct schedule *s)
{
    return build(g, s, false, 2, g->group != NULL);
}

const struct bcast tree_sites_binary = {
    .name = "sites-binary",
    .summary = "one message into each site, two children at most: for segments",
    .build = build_sites_binary,
    .relabel = true,
};
