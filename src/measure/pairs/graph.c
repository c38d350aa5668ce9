/* Latencies as the graph of a broadcast, its sites included. */
#include "measure/pairs/data.h"
#include "measure/pairs/hierarchy.h"

#include <math.h>
#include <stdlib.h>

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

static double gap_of(const struct pairs *p, int u, int v, size_t bytes, bool gaps)
{
    return gaps ? interpolate(p, u, v, bytes, GAP) + beyond(p, u, v, bytes)
                : (double)bytes / pairs_fit(p, u, v).bandwidth;
}

/* The two ways have one round trip; where one takes longer per message, that is its share of it. */
static double one_way(const struct pairs *p, int i, int j, size_t bytes, bool gaps)
{
    double half = interpolate(p, i, j, bytes, TRIP) / 2 + beyond(p, i, j, bytes);
    if (!gaps)
        return half;
    double more = (gap_of(p, i, j, bytes, true) - gap_of(p, j, i, bytes, true)) / 2;
    return half + fmax(-0.9 * half, fmin(0.9 * half, more));
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
static void sender_limits(const struct pairs *p, int u, size_t bytes, bool gaps, const int *host,
                          double *wire, double *shortest)
{
    double within = INFINITY, between = INFINITY;
    *shortest = INFINITY;
    for (int v = 0; v < p->n; v++) {
        if (v == u)
            continue;
        double *least = host[v] == host[u] ? &within : &between;
        *least = fmin(*least, gap_of(p, u, v, bytes, gaps));
        *shortest = fmin(*shortest, one_way(p, u, v, bytes, gaps));
    }
    *wire = isfinite(within) ? within : between;
}

static void graph_row(const struct pairs *p, int u, size_t bytes, double injection, bool sends,
                      bool gaps, struct graph *g)
{
    double shortest;
    sender_limits(p, u, bytes, gaps, g->host, &g->out[u], &shortest);
    for (int v = 0; v < p->n; v++) {
        if (v == u)
            continue;
        size_t uv = pairs_cell(p, u, v);
        double cost = one_way(p, u, v, bytes, gaps), d = injection >= 0 ? injection : shortest / 2;
        if (sends && injection < 0)
            d = fmax(0, interpolate(p, u, v, bytes, SEND));
        g->gap[uv] = gap_of(p, u, v, bytes, gaps);
        g->call[uv] = d;
        d = fmax(d, g->host[u] == g->host[v] ? g->out[u] : g->card_out[u]);
        /* A blocking send of a large message lasts until it is there; w has to stay > 0. */
        d = fmin(d, 0.999 * cost);
        g->d[uv] = d;
        g->w[uv] = cost - d;
    }
}

/* What hosts' cards and a cable take for one message, by the best that one pair does, and by what
 * several at a time did. */
static void graph_cards(const struct pairs *p, size_t bytes, bool gaps, struct graph *g)
{
    double best = INFINITY;
    for (int u = 0; u < p->n; u++)
        g->card_out[u] = g->card_in[u] = INFINITY;
    for (int u = 0; u < p->n; u++) {
        for (int v = 0; v < p->n; v++) {
            if (g->host[u] == g->host[v])
                continue;
            double gap = gap_of(p, u, v, bytes, gaps);
            g->card_out[u] = fmin(g->card_out[u], gap);
            g->card_in[v] = fmin(g->card_in[v], gap);
            best = fmin(best, gap);
        }
    }
    for (int u = 0; u < p->n; u++)
        for (int v = 0; v < u; v++)
            if (g->host[u] == g->host[v]) {
                g->card_out[u] = g->card_out[v] = fmin(g->card_out[u], g->card_out[v]);
                g->card_in[u] = g->card_in[v] = fmin(g->card_in[u], g->card_in[v]);
            }
    for (int u = 0; u < p->n; u++) {
        bool alone = !isfinite(g->card_out[u]); /* one host */
        g->card_out[u] = alone ? 0 : g->card_out[u] / (p->ways.out ? p->ways.out[u] : 1);
        g->card_in[u] = alone ? 0 : g->card_in[u] / (p->ways.in ? p->ways.in[u] : 1);
    }
    g->cross = p->ways.cross;
    g->between = p->ways.sites;
    g->cable = p->ways.cable > 0 ? best / p->ways.cable : 0;
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
    int n_hosts;
    bool sends = known(p, SEND), gaps = known(p, GAP);
    bool good = graph_add_gaps(g) && graph_add_hosts(g);
    free(g->host);
    g->host = good ? pairs_hosts(p, &n_hosts) : NULL;
    if (good && g->host) {
        graph_cards(p, bytes, gaps, g);
        for (int u = 0; u < p->n; u++)
            graph_row(p, u, bytes, injection, sends, gaps, g);
        if (pairs_sites(p, &g->group))
            return true;
    }
    graph_free(g);
    return false;
}
