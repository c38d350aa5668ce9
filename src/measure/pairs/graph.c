/* Makes the graph of a broadcast from the latencies of pairs. */
#include "base/try.h"
#include "measure/pairs/data.h"

#include <math.h>

/* A message of BYTES, and the quantities that were measured for all pairs. */
struct sized {
    const struct pairs *p;
    size_t bytes;
    bool segment;
    int root, late;
    bool sends, gaps, one_way;
};

/* Number of the largest measured size up to that of the message, or 0. */
static int size_below(const struct pairs *p, size_t bytes)
{
    int s = 0;
    while (s + 1 < p->n_sizes && p->size[s + 1].bytes <= bytes)
        s++;
    return s;
}

double pairs_shared(const struct pairs *p, size_t bytes)
{
    int s = size_below(p, bytes), above = s + (p->size[s].bytes < bytes && s + 1 < p->n_sizes);
    double a = p->size[s].shared, b = p->size[above].shared;
    return a > 0 && b > 0 ? fmax(a, b) : 0;
}

/* WHAT, interpolated between measured sizes; above the largest size, as measured there. */
static double interpolate(const struct sized *m, int i, int j, enum pairs_quantity what)
{
    const struct pairs *p = m->p;
    size_t cell = pairs_cell(p, i, j);
    int s = size_below(p, m->bytes);
    const struct pairs_size *a = &p->size[s], *b = a + 1;
    double from = pairs_value(a, what, cell);
    if (s + 1 == p->n_sizes || m->bytes <= a->bytes)
        return from;
    double to = pairs_value(b, what, cell);
    return from + (to - from) * (double)(m->bytes - a->bytes) / (double)(b->bytes - a->bytes);
}

/* Extra time of bytes beyond the largest measured size, from the bandwidth. */
static double beyond(const struct sized *m, int i, int j)
{
    size_t largest = m->p->size[m->p->n_sizes - 1].bytes;
    return m->bytes > largest ? (double)(m->bytes - largest) / pairs_bandwidth(m->p, i, j) : 0;
}

static double gap_of(const struct sized *m, int u, int v)
{
    return m->gaps ? interpolate(m, u, v, PAIRS_GAP) + beyond(m, u, v)
                   : (double)m->bytes / pairs_bandwidth(m->p, u, v);
}

/* One-way latency by the clocks that M's root and LATE say; without them half of the round trip,
 * more for the direction with the larger gap. No message is faster than its gap. */
static double one_way(const struct sized *m, int i, int j)
{
    double trip = interpolate(m, i, j, PAIRS_MEDIAN), low = 1e-3 * trip, high = trip - low;
    if (m->gaps) {
        double there = gap_of(m, i, j), back = gap_of(m, j, i);
        double scale = fmin(1, 0.9 * trip / (there + back));
        low = fmax(low, scale * there);
        high = fmin(high, trip - scale * back);
    }
    double way = (low + high) / 2;
    if (m->one_way) {
        const size_t of_root = pairs_cell(m->p, m->root, 0), cell = pairs_cell(m->p, i, j);
        const double *ahead = m->p->size[0].of[PAIRS_AHEAD], *bound = m->p->size[0].of[PAIRS_BOUND],
                     drift = bound[cell] > 0 ? m->p->drift : 0;
        way = interpolate(m, i, j, PAIRS_ONE_WAY) + ahead[cell] - ahead[of_root + j] +
              ahead[of_root + i] + m->late * (bound[of_root + j] - bound[of_root + i] + drift);
    }
    return fmax(low, fmin(high, way)) + beyond(m, i, j);
}

/* Number of the port by which U sends to V; 0 if U has one port. */
static int port_of(const struct sized *m, int u, int v)
{
    double port = m->p->size[size_below(m->p, m->bytes)].of[PAIRS_PORT][pairs_cell(m->p, u, v)];
    return isnan(port) ? 0 : (int)port;
}

/* Fills LEAST: the smallest gap of U's messages by each port, to other hosts and (from N on) within
 * its host. If send calls were not measured, half of U's shortest one-way latency. */
static void find_injection(const struct sized *m, int u, double *least)
{
    const int n = m->p->n;
    double shortest = INFINITY;
    for (int k = 0; k < 2 * n; k++)
        least[k] = INFINITY;
    for (int v = 0; v < n; v++) {
        double *gap = &least[port_of(m, u, v) + n * pairs_same_host(m->p, u, v)];
        if (v == u)
            continue;
        *gap = fmin(*gap, gap_of(m, u, v));
        shortest = fmin(shortest, one_way(m, u, v));
    }
    for (int k = 0; !m->sends && k < 2 * n; k++)
        least[k] = shortest / 2;
}

/* Rounds to six digits, so that sums of equal links remain equal in spite of rounding errors. */
static double six_digits(double seconds)
{
    const double unit = pow(10, floor(log10(seconds)) - 5);
    return seconds > 0 ? round(seconds / unit) * unit : seconds;
}

/* LEAST has room for two numbers of each rank. */
static void graph_row(const struct sized *m, int u, struct graph *g, double *least)
{
    const struct pairs *p = m->p;
    find_injection(m, u, least);
    for (int v = 0; v < p->n; v++) {
        if (v == u)
            continue;
        int port = port_of(m, u, v);
        double cost = one_way(m, u, v), call = 0;
        double d = least[port + p->n * pairs_same_host(p, u, v)];
        if (m->sends && !m->segment)
            call = interpolate(m, u, v, PAIRS_SEND);
        /* A blocking send of a large message lasts until it has arrived, but w must stay above
         * 0. */
        cost = six_digits(cost);
        d = six_digits(fmin(fmax(d, call), 0.99999 * cost));
        *graph_edge(g, u, v) =
            (struct graph_edge){.d = d, .w = cost - d, .call = fmin(call, d), .port = port};
    }
}

bool pairs_graph(const struct pairs *p, int root, size_t bytes, bool segment, int late,
                 struct graph *g)
{
    FREED double *least = malloc(2 * (size_t)p->n * sizeof *least);
    if (!least || !graph_new(g, p->n))
        return false;
    const struct sized m = {p,
                            bytes,
                            segment,
                            root,
                            late,
                            pairs_all_known(p, PAIRS_SEND),
                            pairs_all_known(p, PAIRS_GAP),
                            pairs_all_known(p, PAIRS_ONE_WAY)};
    for (int u = 0; u < p->n; u++)
        graph_row(&m, u, g, least);
    return true;
}

/* Makes MOST the shortest paths of N vertices (Floyd, Warshall). Returns whether a cycle is below
 * 0. */
static bool shorten(double *most, int n)
{
    bool below = false;
    for (int k = 0; k < n * n && !below; k++) {
        const double *to = most + k / n * n, first = most[k % n * n + k / n];
        double *from = most + k % n * n;
        for (int j = 0; j < n; j++)
            from[j] = fmin(from[j], first + to[j]);
        below = from[k % n] < 0;
    }
    return below;
}

/* Differences of clocks are unknown at all sizes. */
static void forget_clocks(struct pairs *p)
{
    static const enum pairs_quantity of_clocks[] = {PAIRS_ONE_WAY, PAIRS_AHEAD, PAIRS_BOUND};
    p->drift = INFINITY;
    for (int s = p->n_sizes - 1; s >= 0; s--)
        for (int k = 0; k < p->n * p->n; k++)
            for (int q = 0; q < 3 && p->size[0].of[PAIRS_BOUND][k] > 0; q++)
                p->size[s].of[of_clocks[q]][k] = NAN;
}

/* No latency is below 0, so J's clock is ahead of I's by at most what the clocks show of it; and by
 * at most BOUND, the limit of their synchronisation. AHEAD is the most that all pairs together
 * allow, by shortest paths, until its middle and BOUND take the place of this. */
void pairs_find_clocks(struct pairs *p)
{
    const int n = p->n;
    double *const *first = p->size[0].of, *most = first[PAIRS_AHEAD];
    bool several = false;
    for (int k = 0; k < n * n; k++) {
        const bool two = first[PAIRS_BOUND][k] > 0;
        most[k] = two ? fmin(first[PAIRS_BOUND][k], first[PAIRS_ONE_WAY][k]) + 2 * p->drift : 0;
        several |= two;
    }
    if (several && shorten(most, n)) {
        forget_clocks(p);
        return;
    }
    for (int s = p->n_sizes - 1; s >= 0; s--)
        for (int k = 0; k < n * n; k++) {
            double *const *of = p->size[s].of;
            of[PAIRS_BOUND][k] = (most[k] + most[k % n * n + k / n]) / 2;
            of[PAIRS_ONE_WAY][k] = fmax(
                0, fmin(of[PAIRS_MEDIAN][k], of[PAIRS_ONE_WAY][k] - most[k] + of[PAIRS_BOUND][k]));
        }
    for (int k = 0; k < n * n; k++)
        most[k] -= first[PAIRS_BOUND][k];
}
