#include "trees/graph.h"

#include <math.h>
#include <stdlib.h>

bool graph_new(struct graph *g, int n)
{
    size_t cells = (size_t)n * (size_t)n;
    *g = (struct graph){.n = n,
                        .w = malloc(cells * sizeof *g->w),
                        .d = calloc(cells, sizeof *g->d),
                        .call = calloc(cells, sizeof *g->call),
                        .port = calloc(cells, sizeof *g->port)};
    if (!g->w || !g->d || !g->call || !g->port) {
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
    free(g->call);
    free(g->port);
    *g = (struct graph){0};
}
