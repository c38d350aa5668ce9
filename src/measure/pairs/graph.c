/* Latencies as the graph of a broadcast, its sites included. */
#include "measure/pairs/data.h"
#include "measure/pairs/hierarchy.h"

#include <math.h>
#include <stdlib.h>

/* How much farther it must be to another site than within one. */
static const double SITE_RATIO = 2;

enum quantity { TRIP, SEND, POST, PACE, SOONER, GAP, WAY, DOUBT };

static const double *matrix_of(const struct pairs_size *s, enum quantity what)
{
    const double *const matrix[] = {
        [TRIP] = s->min,      [SEND] = s->send, [POST] = s->post, [PACE] = s->pace,
        [SOONER] = s->sooner, [GAP] = s->gap,   [WAY] = s->way,   [DOUBT] = s->doubt};
    return matrix[what];
}

/* A message of so many bytes, and what is known of those that were measured. */
struct message {
    const struct pairs *p;
    size_t bytes;
    enum pairs_way way;
    bool segment, sends, gaps, ways;
};

/* The smallest round trip, the send call and so on, between the two sizes around it; as measured
 * at the last one beyond. */
static double interpolate(const struct message *m, int i, int j, enum quantity what)
{
    const struct pairs *p = m->p;
    int s = 0;
    while (s + 1 < p->n_sizes && p->size[s + 1].bytes <= m->bytes)
        s++;
    const struct pairs_size *a = &p->size[s];
    double from = matrix_of(a, what)[pairs_cell(p, i, j)];
    if (s + 1 == p->n_sizes || m->bytes <= a->bytes)
        return from;
    const struct pairs_size *b = &p->size[s + 1];
    double to = matrix_of(b, what)[pairs_cell(p, i, j)];
    return from + (to - from) * (double)(m->bytes - a->bytes) / (double)(b->bytes - a->bytes);
}

/* Bytes beyond the largest size measured take what the fitted bandwidth says. */
static double beyond(const struct message *m, int i, int j)
{
    size_t largest = m->p->size[m->p->n_sizes - 1].bytes;
    return m->bytes > largest ? (double)(m->bytes - largest) / pairs_fit(m->p, i, j).bandwidth : 0;
}

static double gap_of(const struct message *m, int u, int v)
{
    if (m->segment)
        return interpolate(m, u, v, PACE) + beyond(m, u, v);
    return m->gaps ? interpolate(m, u, v, GAP) + beyond(m, u, v)
                   : (double)m->bytes / pairs_fit(m->p, u, v).bandwidth;
}

/* The two ways have one round trip. Half of it is the likely one, and where one way takes longer
 * per message, that is its share of it; as far as the clocks agree. */
static double one_way(const struct message *m, int i, int j)
{
    double trip = interpolate(m, i, j, TRIP), more = beyond(m, i, j), low = 0, high = trip;
    if (m->ways) {
        double way = interpolate(m, i, j, WAY), doubt = interpolate(m, i, j, DOUBT);
        low = fmax(low, way - doubt);
        high = fmin(high, way + doubt);
    }
    double likely = trip / 2 + more;
    if (m->gaps) {
        double longer = (gap_of(m, i, j) - gap_of(m, j, i)) / 2;
        likely += fmax(-0.9 * likely, fmin(0.9 * likely, longer));
    }
    const double least = 1e-3 * trip; /* of a graph: no way takes no time */
    low = fmax(least, low) + more;
    high = fmax(low, high + more);
    return m->way == PAIRS_SOONEST  ? low
           : m->way == PAIRS_LATEST ? high
                                    : fmin(high, fmax(low, likely));
}

/* Whether all sizes have the matrix. */
static bool known(const struct pairs *p, enum quantity what)
{
    bool all = true;
    for (int s = 0; s < p->n_sizes; s++)
        all = all && matrix_of(&p->size[s], what) != NULL;
    return all;
}

/* What U's way out takes for one message. */
static double way_out(const struct message *m, int u, const int *host)
{
    double within = INFINITY, between = INFINITY;
    for (int v = 0; v < m->p->n; v++) {
        double *least = host[v] == host[u] ? &within : &between;
        if (v != u)
            *least = fmin(*least, gap_of(m, u, v));
    }
    return isfinite(within) ? within : between;
}

/* Where the send call is not known: half of the sender's shortest way. */
static double guess_call(const struct message *m, int u)
{
    double shortest = INFINITY;
    for (int v = 0; v < m->p->n; v++)
        if (v != u)
            shortest = fmin(shortest, one_way(m, u, v));
    return shortest / 2;
}

/* To 1 in 4096: what differs by noise alone is equal, and builders choose among equals by rank. */
static double round_off(double seconds)
{
    int exponent;
    double fraction = frexp(seconds, &exponent);
    return ldexp(round(4096 * fraction) / 4096, exponent);
}

static void graph_row(const struct message *m, int u, struct graph *g)
{
    const struct pairs *p = m->p;
    double guess = m->sends ? NAN : guess_call(m, u);
    g->out[u] = way_out(m, u, g->host);
    for (int v = 0; v < p->n; v++) {
        if (v == u)
            continue;
        size_t uv = pairs_cell(p, u, v);
        double cost = one_way(m, u, v), d = m->sends ? fmax(0, interpolate(m, u, v, SEND)) : guess;
        if (m->segment) {
            d = fmin(d, interpolate(m, u, v, POST));
            cost = fmax(cost - interpolate(m, u, v, SOONER), cost / 8);
        }
        g->gap[uv] = gap_of(m, u, v);
        g->call[uv] = d;
        d = fmax(d, g->host[u] == g->host[v] ? g->out[u] : g->card_out[u]);
        /* A blocking send of a large message lasts until it is there; w has to stay > 0. */
        d = fmin(d, 0.999 * cost);
        g->d[uv] = round_off(d);
        g->w[uv] = round_off(cost - d);
    }
}

/* What hosts' cards and a cable take for one message, by the best that one pair does, and by what
 * several at a time did. */
static void graph_cards(const struct message *m, struct graph *g)
{
    const struct pairs *p = m->p;
    bool small = m->bytes < WAYS_LARGE && p->small_ways.out;
    const struct pairs_ways *ways = small ? &p->small_ways : &p->ways;
    double best = INFINITY;
    for (int u = 0; u < p->n; u++)
        g->card_out[u] = g->card_in[u] = INFINITY;
    for (int u = 0; u < p->n; u++) {
        for (int v = 0; v < p->n; v++) {
            if (g->host[u] == g->host[v])
                continue;
            double gap = gap_of(m, u, v);
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
        g->card_out[u] = alone ? 0 : g->card_out[u] / (ways->out ? ways->out[u] : 1);
        g->card_in[u] = alone ? 0 : g->card_in[u] / (ways->in ? ways->in[u] : 1);
    }
    g->cross = ways->cross;
    g->between = ways->sites;
    g->cable = ways->cable > 0 ? best / ways->cable : 0;
}

/* False if there is no memory. */
static bool graph_together(const struct message *m, struct graph *g)
{
    const struct pairs *p = m->p;
    g->together = calloc((size_t)p->n_together + 1, sizeof *g->together);
    for (int k = 0; g->together && k < p->n_together; k++) {
        const struct pairs_together *t = &p->together[k];
        if (t->bytes == m->bytes)
            g->together[g->n_together++] = t->edges;
    }
    return g->together != NULL;
}

static double parting(const struct hierarchy_level *level)
{
    return level->outside / level->inside;
}

/* Whether a group of the level has ranks of several hosts. */
static bool joins_hosts(const struct pairs *p, const struct hierarchy_level *level)
{
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < i; j++)
            if (level->group[i] == level->group[j] && p->host[i] && p->host[j] &&
                !pairs_same_host(p, i, j))
                return true;
    return false;
}

bool pairs_sites(const struct pairs *p, bool of_hosts, int **group)
{
    struct hierarchy h;
    double most = 0;
    *group = NULL;
    if (!hierarchy_find(p, &p->size[0], SITE_RATIO, &h))
        return false;
    for (int i = 0; i < h.n_levels; i++)
        most = fmax(most, parting(&h.level[i]));
    for (int i = 0; i < h.n_levels && !*group; i++) { /* finest first */
        if (parting(&h.level[i]) >= sqrt(most) && (!of_hosts || joins_hosts(p, &h.level[i]))) {
            *group = h.level[i].group;
            h.level[i].group = NULL;
        }
    }
    hierarchy_free(&h);
    return true;
}

bool pairs_segments_known(const struct pairs *p)
{
    return p->n > 1 && known(p, SOONER) && !isnan(p->size[0].sooner[1]);
}

bool pairs_ways_doubtful(const struct pairs *p)
{
    for (int s = 0; s < p->n_sizes; s++)
        for (size_t k = 0; k < (size_t)p->n * (size_t)p->n; k++)
            if (!p->size[s].doubt || p->size[s].doubt[k] > 0)
                return true;
    return false;
}

bool pairs_graph(const struct pairs *p, size_t bytes, bool segment, enum pairs_way way,
                 struct graph *g)
{
    if (!graph_new(g, p->n, true))
        return false;
    int n_hosts;
    segment = segment && pairs_segments_known(p);
    const struct message m = {p, bytes, way, segment, known(p, SEND), known(p, GAP), known(p, WAY)};
    bool good = graph_add_gaps(g) && graph_add_hosts(g) && graph_together(&m, g);
    free(g->host);
    g->host = good ? pairs_hosts(p, &n_hosts) : NULL;
    if (good && g->host) {
        graph_cards(&m, g);
        for (int u = 0; u < p->n; u++)
            graph_row(&m, u, g);
        if (pairs_sites(p, false, &g->group) && pairs_sites(p, true, &g->area))
            return true;
    }
    graph_free(g);
    return false;
}
