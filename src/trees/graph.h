/* The network for which a broadcast is scheduled: Mateescu and Taylor, "Efficient Broadcast on
 * Computational Grids", section 1; doc/methods.md, section 3. No MPI here.
 *
 * A directed graph of N vertices (ranks). A sender u is busy for the injection time D(u,v) with
 * each message, one at a time; the message arrives at v the latency W(u,v) later. The paper has
 * D(u), the same for every receiver; unequal links need one per edge. Only messages of the same
 * sender share a resource: if others do, too, predictions are too short. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct graph_edge {
    double w; /* seconds, above 0; INFINITY: no edge */
    double d; /* seconds, 0 or more */
    /* Of senders with several ports; both 0: there is one. Messages by different ports of U share
     * only the time of their send calls, at most D each. */
    double call;
    int port;
};

struct graph {
    int n;
    struct graph_edge *edge; /* n rows (senders) of n; the diagonal is not used */
};

/* A graph without edges, with injection times 0 and one port. False if there is no memory. */
bool graph_new(struct graph *g, int n);
void graph_free(struct graph *g);

static inline struct graph_edge *graph_edge(const struct graph *g, int u, int v)
{
    return &g->edge[(size_t)u * (size_t)g->n + (size_t)v];
}

/* From the beginning of the send to the arrival. */
static inline double graph_cost(const struct graph *g, int u, int v)
{
    return graph_edge(g, u, v)->d + graph_edge(g, u, v)->w;
}
