/* What a broadcast on a network costs: Mateescu and Taylor, "Efficient Broadcast on Computational
 * Grids", section 1; doc/methods.md, section 3.
 *
 * A directed graph of N vertices (ranks). A sender u is busy for D(u,v) seconds per message, one
 * message at a time; the message is at v W(u,v) seconds after that. The paper has D(u), the same
 * for every receiver; a large message over unequal links needs one per edge. */
#ifndef COLLPROF_TREES_GRAPH_H
#define COLLPROF_TREES_GRAPH_H

#include <stdbool.h>
#include <stddef.h>

/* What two edges share when both are in use. */
struct graph_together {
    int from[2], to[2];
    double gap; /* what it takes for one message of either, seconds; 0: they share nothing */
};

struct graph {
    int n;
    double *w; /* n rows (senders) of n, seconds; INFINITY: no edge. The diagonal is unused. */
    double *d; /* n, or n rows of n if per_edge; seconds */
    bool per_edge;
    double *gap;  /* n rows of n, or NULL for none: successive messages on one edge arrive at least
                     so many seconds apart, the reciprocal of its bandwidth */
    double *call; /* n rows of n, with gap: the part of d that the sender spends in its send call,
                     seconds */
    double *out;  /* n, with gap: what a sender's way out, which all its messages share, takes for
                     one, seconds; where hosts are known, its messages within its host */
    int *host;    /* n, numbered from 0, or NULL: not known. Of messages between hosts those that
                     leave one share its card, and those that enter one. Needs gap. */
    double *card_out, *card_in; /* n, with host: what these take for one, seconds; 0: no limit */
    double cross; /* a message out takes so much of a card's way in, and the other way round: 1 is
                     half duplex */
    double cable; /* what all messages between hosts share; 0: nothing */
    int *group;   /* n, numbered from 0, or NULL: ranks that are near each other. Needs gap. */
    int *area;    /* the same, of hosts: all messages from one to another share one way, on which
                     each takes its gap; NULL: nothing is shared */
    struct graph_together *together; /* what was seen, n_together of them; needs gap */
    int n_together;
    double
        between; /* how many gaps at a time that way carries; INFINITY: it is not shared; 0 is 1 */
};

/* No edges and no injection time. False if there is no memory. */
bool graph_new(struct graph *g, int n, bool per_edge);
void graph_free(struct graph *g);

/* Adds gap, call and out, all 0; and host, card_out and card_in, all 0. False if there is no
 * memory.
 */
bool graph_add_gaps(struct graph *g);
bool graph_add_hosts(struct graph *g);

static inline double graph_w(const struct graph *g, int u, int v)
{
    return g->w[(size_t)u * (size_t)g->n + (size_t)v];
}

static inline double graph_d(const struct graph *g, int u, int v)
{
    return g->per_edge ? g->d[(size_t)u * (size_t)g->n + (size_t)v] : g->d[u];
}

/* From the start of a sending to the arrival. */
static inline double graph_cost(const struct graph *g, int u, int v)
{
    return graph_d(g, u, v) + graph_w(g, u, v);
}

/* Of a graph without gaps: nothing is shared, and all of d is spent in the call. The least is a
 * picosecond, so that rates are finite. */
double graph_gap(const struct graph *g, int u, int v);
double graph_call(const struct graph *g, int u, int v);
double graph_out(const struct graph *g, int u);

/* Whether a broadcast from ROOT can be scheduled: every w positive or INFINITY, every d finite
 * and not negative, every vertex reachable. Otherwise WHY names the first offender, without a
 * full stop. */
bool graph_check(const struct graph *g, int root, char *why, size_t size);

#endif
