/* Mateescu and Taylor, Figure 2, to the letter. What the print leaves open: DELTA[e] is D(u), or
 * the edge's own; the queue is re-keyed when dist[v] sinks; neighbours and ties go by rank. What
 * is wrong in it stays: dist[u] is both u's arrival and its next sending, and a vertex that
 * finds a better parent leaves its slot at the old one. */
#include "trees/builders.h"

#include <math.h>
#include <stdlib.h>

/* The queue as an array: re-keying is free, and in a dense graph finding the smallest by a scan
 * costs no more than looking at the neighbours does. */
static int dequeue_min(const double *dist, const bool *queued, int n)
{
    int u = -1;
    for (int v = 0; v < n; v++)
        if (queued[v] && (u < 0 || dist[v] < dist[u]))
            u = v;
    return u;
}

static bool build_paper(const struct graph *g, struct schedule *s)
{
    int n = g->n;
    double *dist = malloc((size_t)n * sizeof *dist);
    bool *queued = malloc((size_t)n * sizeof *queued);
    bool good = dist && queued;
    for (int v = 0; good && v < n; v++) {
        dist[v] = v == s->root ? 0 : INFINITY;
        queued[v] = true;
    }
    for (int i = 0; good && i < n; i++) {
        int u = dequeue_min(dist, queued, n);
        queued[u] = false;
        s->order[i] = u;
        for (int v = 0; v < n; v++) {
            if (!queued[v] || v == u)
                continue;
            double d = graph_d(g, u, v), through = dist[u] + graph_w(g, u, v) + d;
            if (dist[v] > through) {
                dist[v] = through;
                dist[u] += d;
                s->parent[v] = u;
            }
        }
    }
    free(dist);
    free(queued);
    return good;
}

const struct bcast tree_grid_paper = {
    .name = "grid-paper",
    .summary = "Mateescu and Taylor, Figures 2 and 3, to the letter",
    .build = build_paper,
    .relabel = true,
};
