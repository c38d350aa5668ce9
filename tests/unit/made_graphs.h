/* Graphs and trees made by hand, for tests. */
#pragma once

#include "trees/bcast.h"
#include "trees/schedule.h"
#include "unit.h"

#include <stdint.h>

/* The same W and D everywhere. */
static inline struct graph uniform(int n, double w, double d)
{
    struct graph g;
    cr_assert(graph_new(&g, n));
    for (int i = 0; i < n * n; i++)
        g.edge[i] = (struct graph_edge){.w = w, .d = d};
    return g;
}

static inline double random_between(double low, double high)
{
    static uint64_t seed = 1;
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(seed >> 40) / (double)(1u << 24);
}

/* Every edge, or every sender, has its own injection time. */
static inline struct graph random_graph(int n, bool per_edge)
{
    struct graph g;
    cr_assert(graph_new(&g, n));
    for (int i = 0; i < n * n; i++)
        g.edge[i].w = exp(random_between(log(1e-6), log(1e-3)));
    for (int i = 0; i < n * n; i++)
        g.edge[i].d =
            per_edge || i % n == 0 ? exp(random_between(log(1e-7), log(1e-4))) : g.edge[i - 1].d;
    return g;
}

/* PARENT as a schedule from rank 0, labelled. */
static inline struct schedule tree(const struct graph *g, const int *parent)
{
    struct schedule s;
    cr_assert(schedule_new(&s, g->n, 0));
    for (int v = 0; v < g->n; v++) {
        s.parent[v] = parent[v];
        s.order[v] = v;
    }
    cr_assert(schedule_link(&s));
    schedule_label(&s, g);
    return s;
}

/* The completion that algorithm NAME, of all or of the candidates of "grid", promises. */
static inline double build(const char *name, const struct graph *g, int root)
{
    struct schedule s;
    const struct bcast *b = bcast_find(name);
    for (size_t i = 0; !b && i < n_bcast_candidates; i++)
        b = strcmp(bcast_candidates[i]->name, name) == 0 ? bcast_candidates[i] : NULL;
    cr_assert(b && schedule_build(b, g, root, &s), "%s", name);
    double completion = s.completion;
    schedule_free(&s);
    return completion;
}
