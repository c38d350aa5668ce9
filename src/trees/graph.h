/* The network for which a broadcast is scheduled: Mateescu and Taylor, "Efficient Broadcast on
 * Computational Grids", section 1; doc/methods.md, section 3. No MPI here.
 *
 * A directed graph of N vertices (ranks). A sender u injects one message at a time, which takes the
 * injection time D(u,v); the message arrives at v the latency W(u,v) later. The paper has a D(u)
 * for all receivers; unequal links need one per edge. Only messages of the same sender compete: if
 * those of different senders share a link, predictions are too short. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct graph_edge {
    double w; /* latency in seconds, above 0; INFINITY: there is no edge */
    double d; /* injection time in seconds, 0 or more */
    /* PORT of the sender that the edge uses, and seconds of the send CALL, at most D; both 0 if the
     * sender has one port. Messages by different ports compete only during their send calls. */
    double call;
    int port;
};

struct graph {
    int n;
    struct graph_edge *edge; /* n x n: a row for each sender; the diagonal is not used */
};

/* A graph without edges, with injection times 0 and one port. False if there is no memory. */
bool graph_new(struct graph *g, int n);
void graph_free(struct graph *g);

static inline struct graph_edge *graph_edge(const struct graph *g, int u, int v)
{
    return &g->edge[(size_t)u * (size_t)g->n + (size_t)v];
}

/* Seconds from the beginning of the send to the arrival. */
static inline double graph_cost(const struct graph *g, int u, int v)
{
    return graph_edge(g, u, v)->d + graph_edge(g, u, v)->w;
}
