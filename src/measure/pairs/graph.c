/* Latencies as the graph of a broadcast, its sites included. */
#include "measure/pairs/data.h"
#include "measure/pairs/hierarchy.h"

#include <math.h>

/* How much farther it must be to another site than within one. */
static const double SITE_RATIO = 2;

enum quantity { TRIP, SEND, GAP };

static const double *matrix_of(const struct pairs_size *s, enum quantity what)
{
    return what == TRIP ? s->min : what == SEND ? s->send : s->gap;
}

/* The smallest round trip, the send call or the gap at BYTES, between the two sizes around it; as
 * measured at the last one beyond. */
static double interpolate(const struct pairs *p, int i, int j, size_t bytes, enum quantity what)
{
    int s = 0;
    while (s + 1 < p->n_sizes && p->size[s + 1].bytes <= bytes)
        s++;
    const struct pairs_size *a = &p->size[s];
    double from = matrix_of(a, what)[pairs_cell(p, i, j)];
    if (s + 1 == p->n_sizes || bytes <= a->bytes)
        return from;
    const struct pairs_size *b = &p->size[s + 1];
    double to = matrix_of(b, what)[pairs_cell(p, i, j)];
    return from + (to - from) * (double)(bytes - a->bytes) / (double)(b->bytes - a->bytes);
}

/* Bytes beyond the largest size measured take what the fitted bandwidth says. */
static double beyond(const struct pairs *p, int i, int j, size_t bytes)
{
    size_t largest = p->size[p->n_sizes - 1].bytes;
    return bytes > largest ? (double)(bytes - largest) / pairs_fit(p, i, j).bandwidth : 0;
}

static double one_way(const struct pairs *p, int i, int j, size_t bytes)
{
    return interpolate(p, i, j, bytes, TRIP) / 2 + beyond(p, i, j, bytes);
}

/* Whether all sizes have the matrix. */
static bool known(const struct pairs *p, enum quantity what)
{
    bool all = true;
    for (int s = 0; s < p->n_sizes; s++)
        all = all && matrix_of(&p->size[s], what) != NULL;
    return all;
}

/* What U's way out takes for one message, and its shortest one-way time. */
static void sender_limits(const struct pairs *p, int u, size_t bytes, bool gaps, double *wire,
                          double *shortest)
{
    *wire = *shortest = INFINITY;
    for (int v = 0; v < p->n; v++) {
        if (v == u)
            continue;
        double gap = gaps ? interpolate(p, u, v, bytes, GAP) + beyond(p, u, v, bytes)
                          : (double)bytes / pairs_fit(p, u, v).bandwidth;
        *wire = fmin(*wire, gap);
        *shortest = fmin(*shortest, one_way(p, u, v, bytes));
    }
}

static void graph_row(const struct pairs *p, int u, size_t bytes, double injection, bool sends,
                      bool gaps, struct graph *g)
{
    double wire, shortest;
    sender_limits(p, u, bytes, gaps, &wire, &shortest);
    g->out[u] = wire;
    for (int v = 0; v < p->n; v++) {
        if (v == u)
            continue;
        double cost = one_way(p, u, v, bytes), d = injection >= 0 ? injection : shortest / 2;
        if (sends && injection < 0)
            d = fmax(0, interpolate(p, u, v, bytes, SEND));
        g->call[pairs_cell(p, u, v)] = d;
        d = fmax(d, wire);
        /* A blocking send of a large message lasts until it is there; w has to stay > 0. */
        d = fmin(d, 0.999 * cost);
        g->d[pairs_cell(p, u, v)] = d;
        g->w[pairs_cell(p, u, v)] = cost - d;
        g->gap[pairs_cell(p, u, v)] =
            gaps ? interpolate(p, u, v, bytes, GAP) + beyond(p, u, v, bytes)
                 : (double)bytes / pairs_fit(p, u, v).bandwidth;
    }
}

static double parting(const struct hierarchy_level *level)
{
    return level->outside / level->inside;
}

bool pairs_sites(const struct pairs *p, int **group)
{
    struct hierarchy h;
    double most = 0;
    *group = NULL;
    if (!hierarchy_find(p, &p->size[0], SITE_RATIO, &h))
        return false;
    for (int i = 0; i < h.n_levels; i++)
        most = fmax(most, parting(&h.level[i]));
    for (int i = 0; i < h.n_levels && !*group; i++) { /* finest first */
        if (parting(&h.level[i]) >= sqrt(most)) {
            *group = h.level[i].group;
            h.level[i].group = NULL;
        }
    }
    hierarchy_free(&h);
    return true;
}

bool pairs_graph(const struct pairs *p, size_t bytes, double injection, struct graph *g)
{
    if (!graph_new(g, p->n, true))
        return false;
    if (!graph_add_gaps(g)) {
        graph_free(g);
        return false;
    }
    bool sends = known(p, SEND), gaps = known(p, GAP);
    for (int u = 0; u < p->n; u++)
        graph_row(p, u, bytes, injection, sends, gaps, g);
    if (pairs_sites(p, &g->group))
        return true;
    graph_free(g);
    return false;
}
