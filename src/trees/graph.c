#include "trees/graph.h"

#include <math.h>
#include <stdlib.h>

bool graph_new(struct graph *g, int n)
{
    size_t edges = (size_t)n * (size_t)n;
    *g = (struct graph){n, malloc(edges * sizeof *g->edge)};
    for (size_t i = 0; g->edge && i < edges; i++)
        g->edge[i] = (struct graph_edge){.w = INFINITY};
    return g->edge;
}

void graph_free(struct graph *g)
{
    free(g->edge);
    *g = (struct graph){0};
}
