#include "trees/graph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

bool graph_new(struct graph *g, int n)
{
    size_t cells = (size_t)n * (size_t)n;
    *g =
        (struct graph){.n = n, .w = malloc(cells * sizeof *g->w), .d = calloc(cells, sizeof *g->d)};
    if (!g->w || !g->d) {
        graph_free(g);
        return false;
    }
    for (size_t i = 0; i < cells; i++)
        g->w[i] = INFINITY;
    return true;
}

void graph_free(struct graph *g)
{
    free(g->w);
    free(g->d);
    *g = (struct graph){0};
}

static bool edge_valid(const struct graph *g, int u, int v, char *why, size_t size)
{
    double w = graph_w(g, u, v), d = graph_d(g, u, v);
    if (!(w > 0)) /* NaN as well */
        snprintf(why, size, "the latency from %d to %d is %g: it must be above 0", u, v, w);
    else if (isfinite(w) && !(d >= 0 && isfinite(d)))
        snprintf(why, size, "the injection time from %d to %d is %g: it must not be negative", u, v,
                 d);
    else
        return true;
    return false;
}

static bool all_reachable(const struct graph *g, int root, char *why, size_t size)
{
    int *queue = malloc((size_t)g->n * sizeof *queue), head = 0, tail = 0;
    bool *seen = calloc((size_t)g->n, sizeof *seen);
    bool all = queue && seen;
    if (!all)
        snprintf(why, size, "no memory for %d vertices", g->n);
    if (all) {
        queue[tail++] = root;
        seen[root] = true;
    }
    while (head < tail) {
        int u = queue[head++];
        for (int v = 0; v < g->n; v++) {
            if (!seen[v] && u != v && isfinite(graph_w(g, u, v))) {
                seen[v] = true;
                queue[tail++] = v;
            }
        }
    }
    for (int v = 0; all && v < g->n; v++) {
        if (!seen[v]) {
            snprintf(why, size, "vertex %d cannot be reached from root %d", v, root);
            all = false;
        }
    }
    free(queue);
    free(seen);
    return all;
}

bool graph_check(const struct graph *g, int root, char *why, size_t size)
{
    if (root < 0 || root >= g->n) {
        snprintf(why, size, "there is no root %d: 0 to %d", root, g->n - 1);
        return false;
    }
    for (int u = 0; u < g->n; u++)
        for (int v = 0; v < g->n; v++)
            if (u != v && !edge_valid(g, u, v, why, size))
                return false;
    return all_reachable(g, root, why, size);
}
