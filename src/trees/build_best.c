/* The optimum for few vertices, the best of several for many, and the table of all. */
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

bool build_exhaustive(const struct graph *g, struct schedule *s)
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

/* Keeps the better of S and what BUILDER makes of the graph, relabelled. */
static bool keep_better(const struct schedule_builder *builder, const struct graph *g,
                        struct schedule *s)
{
    struct schedule other;
    if (!schedule_build(builder, g, s->root, &other))
        return false;
    schedule_label(&other, g);
    if (s->name[0] == '\0' || other.completion < s->completion) {
        struct schedule worse = *s;
        *s = other;
        other = worse;
    }
    schedule_free(&other);
    return true;
}

static bool best_of(const struct graph *g, struct schedule *s, bool optimum)
{
    static const char *const candidates[] = {"look-ahead",    "earliest", "grid-paper",
                                             "fastest-first", "binomial", "flat"};
    s->name[0] = '\0';
    if (optimum && !keep_better(schedule_builder_find("exhaustive"), g, s))
        return false;
    if (optimum && !g->group) /* which the optimum does not know of */
        return true;
    if (g->group && !keep_better(schedule_builder_find("sites"), g, s))
        return false;
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++)
        if (!keep_better(schedule_builder_find(candidates[i]), g, s))
            return false;
    return true;
}

/* The name says which candidate it was. */
static void name_winner(struct schedule *s)
{
    char winner[20];
    snprintf(winner, sizeof winner, "%.19s", s->name);
    snprintf(s->name, sizeof s->name, "grid (%s)", winner);
}

bool build_grid(const struct graph *g, struct schedule *s)
{
    bool good = best_of(g, s, g->n <= 8);
    name_winner(s);
    return good;
}

bool schedule_build_heuristic(const struct graph *g, int root, struct schedule *s)
{
    if (!schedule_new(s, g->n, root))
        return false;
    if (!best_of(g, s, false)) {
        schedule_free(s);
        return false;
    }
    name_winner(s);
    return true;
}

const struct schedule_builder schedule_builders[] = {
    {"grid", "the best of all below, children by label; the optimum for 8 ranks and fewer", 0,
     build_grid, true},
    {"grid-paper", "Mateescu and Taylor, Figures 2 and 3, to the letter", 0, build_paper, true},
    {"look-ahead", "earliest completion, counting how soon the receiver can serve another", 0,
     build_look_ahead, true},
    {"earliest", "one edge at a time, the one that completes earliest", 0, build_earliest, true},
    {"fastest-first", "whoever is ready sends to the quickest sender left", 0, build_fastest_first,
     false},
    {"binomial", "by rank, largest subtree first", 0, build_binomial, false},
    {"flat", "the root to all, by rank", 0, build_flat, false},
    {"sites", "look-ahead, but only one message enters each site", 0, build_sites, true},
    {"sites-binary", "one message into each site, two children at most: for segments", 0,
     build_sites_binary, true},
    {"chain", "each to the nearest that is left: for messages in segments", 0, build_chain, false},
    {"binary", "earliest completion, two children at most: for messages in segments", 0,
     build_binary, true},
    {"exhaustive", "the optimum, for 12 ranks and fewer", EXHAUSTIVE_MAX, build_exhaustive, true},
};
const size_t n_schedule_builders = sizeof schedule_builders / sizeof *schedule_builders;
