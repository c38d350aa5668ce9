/* The optimum for few vertices, and the best of all for many. */
#include "trees/builders.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* f(u, S): the least time in which u, having the message, can serve all of S. Its first message
 * goes to some v, which takes over a part of S; u goes on with the rest:
 *
 *   f(u, S) = min over v in T, T within S, of
 *             max( d(u,v) + w(u,v) + f(v, T - v),  d(u,v) + f(u, S - T) )
 *
 * Every tree and every order of sending is some choice of v and T, so this is the optimum; all
 * trees one by one would be n^(n-2) of them, this is 3^n n^2. */
struct table {
    const struct graph *g;
    struct cell {
        double time;
        unsigned part; /* T */
        int v;
    } * cell; /* n rows of 2^n */
};

static struct cell *cell_of(const struct table *t, int u, unsigned set)
{
    return &t->cell[((size_t)u << t->g->n) + set];
}

static struct cell best_first_message(const struct table *t, int u, unsigned set)
{
    struct cell best = {.time = INFINITY};
    for (unsigned part = set; part > 0; part = (part - 1) & set) {
        double rest = cell_of(t, u, set & ~part)->time;
        for (unsigned left = part; left > 0; left &= left - 1) {
            int v = __builtin_ctz(left);
            double below = graph_w(t->g, u, v) + cell_of(t, v, part & ~(1u << v))->time;
            double time = graph_d(t->g, u, v) + fmax(below, rest);
            if (time < best.time)
                best = (struct cell){time, part, v};
        }
    }
    return best;
}

static int unroll(const struct table *t, struct schedule *s, int u, unsigned set, int done)
{
    while (set) {
        const struct cell *c = cell_of(t, u, set);
        s->parent[c->v] = u;
        s->order[done++] = c->v;
        done = unroll(t, s, c->v, c->part & ~(1u << c->v), done);
        set &= ~c->part;
    }
    return done;
}

static bool build_exhaustive(const struct graph *g, struct schedule *s)
{
    unsigned all = (1u << g->n) - 1;
    struct table t = {.g = g, .cell = calloc((size_t)g->n << g->n, sizeof *t.cell)};
    if (!t.cell)
        return false;
    /* Subsets of a set are smaller numbers. */
    for (unsigned set = 1; set <= all; set++)
        for (int u = 0; u < g->n; u++)
            if (!(set >> u & 1u))
                *cell_of(&t, u, set) = best_first_message(&t, u, set);
    s->order[0] = s->root;
    unroll(&t, s, s->root, all & ~(1u << s->root), 1);
    free(t.cell);
    return true;
}

const struct bcast tree_exhaustive = {
    .name = "exhaustive",
    .summary = "the optimum where nothing is shared, for 12 ranks and fewer",
    .build = build_exhaustive,
    .max_n = 12,
    .relabel = true,
};

/* The quicker of the two stays in S; OTHER is used up. */
static void keep_better(struct schedule *s, struct schedule *other)
{
    if (s->name[0] == '\0' || other->completion < s->completion) {
        struct schedule worse = *s;
        *s = *other;
        *other = worse;
    }
    schedule_free(other);
}

enum { OPTIMUM_MAX = 8, IMPROVED_MAX = 16, ALL_MAX = 512 };

/* What BUILDER makes of the graph, if it can; with its children by label, too, where it has them in
 * another order: by what is predicted, a model that knows of shared ways, either may be better. */
static void offer(const struct bcast *builder, const struct graph *g, struct schedule *s)
{
    struct schedule other;
    bool as_it_is = builder->relabel || g->n <= ALL_MAX;
    if (as_it_is && schedule_build(builder, g, s->root, &other))
        keep_better(s, &other);
    if (!builder->relabel && schedule_build(builder, g, s->root, &other)) {
        schedule_label(&other, g);
        keep_better(s, &other);
    }
}

/* For a great many ranks only those that may well be the best, and take little time. */
static bool is_candidate(const struct bcast *b, const struct graph *g)
{
    if (!b->build || b == &tree_grid)
        return false;
    if (b == &tree_exhaustive)
        return g->n <= OPTIMUM_MAX;
    bool by_sites = b == &tree_sites || b == &tree_sites_binary;
    bool for_segments = b == &tree_chain || b == &tree_binary;
    return by_sites ? g->group != NULL : !for_segments || g->n <= ALL_MAX;
}

/* A copy of S in which V hangs below U, as its last child; false if U is below V. */
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

/* Moves one rank at a time, for as long as that makes the prediction shorter. */
static void improve(const struct graph *g, struct schedule *s)
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

/* The name says which candidate it was. */
static void name_winner(struct schedule *s)
{
    char winner[20];
    snprintf(winner, sizeof winner, "%.19s", s->name);
    snprintf(s->name, sizeof s->name, "grid (%s)", winner);
}

static bool build_grid(const struct graph *g, struct schedule *s)
{
    s->name[0] = '\0';
    for (size_t i = 0; i < n_bcasts; i++)
        if (is_candidate(bcasts[i], g))
            offer(bcasts[i], g, s);
    bool good = s->name[0] != '\0';
    if (good && g->n <= IMPROVED_MAX)
        improve(g, s);
    name_winner(s);
    return good;
}

const struct bcast tree_grid = {
    .name = "grid",
    .summary = "whichever of all others is predicted to be the quickest",
    .build = build_grid,
    .relabel = true,
};
