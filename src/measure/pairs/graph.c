/* Makes the graph of a broadcast from the latencies of pairs. */
#include "base/try.h"
#include "measure/pairs/data.h"

#include <math.h>

/* A message of BYTES. SENDS, GAPS, ONE_WAY: whether these were measured for all pairs. */
struct sized {
    const struct pairs *p;
    size_t bytes;
    bool segment;
    int root, late;
    bool sends, gaps, one_way;
};

/* Index of the largest measured size that is at most BYTES; 0 if all are larger. */
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

/* One-way latency from I to J as pairs_graph() defines it for LATE. Without clocks it is half of
 * the round trip, more in the direction with the larger gap. A message takes at least its gap; but
 * if clocks differ, this counts only for LATE 2 and -2. With 1 and -1 a latency may even be below 0
 * or above the round trip then: otherwise errors would not cancel along a path. */
static double one_way(const struct sized *m, int i, int j)
{
    const struct pairs *p = m->p;
    const int root = m->root, late = m->late;
    const bool differ = m->one_way && pairs_ahead(p, i, j) + pairs_ahead(p, j, i) > 0;
    const double more = beyond(m, i, j);
    double trip = interpolate(m, i, j, PAIRS_MEDIAN) + more + beyond(m, j, i), low = 1e-6 * trip,
           high = trip - low;
    if (m->gaps && (!differ || abs(late) > 1)) {
        double there = gap_of(m, i, j), back = gap_of(m, j, i);
        double scale = fmin(1, 0.9 * trip / (there + back));
        low = fmax(low, scale * there);
        high = fmin(high, trip - scale * back);
    }
    double way = m->one_way ? interpolate(m, i, j, PAIRS_BY_CLOCKS) + more : (low + high) / 2;
    if (differ && abs(late) > 1) {
        way = late > 0 ? high : low;
    } else if (differ) {
        const double latest = pairs_ahead(p, j, root) - pairs_ahead(p, i, root),
                     earliest = pairs_ahead(p, root, i) - pairs_ahead(p, root, j);
        way += (latest + earliest + late * (latest - earliest)) / 2;
        way += late * (p->drift[i] + p->drift[j]);
    }
    if (!differ || abs(late) != 1)
        way = fmax(low, fmin(high, way));
    return way;
}

static int port_of(const struct sized *m, int u, int v)
{
    double port = m->p->size[size_below(m->p, m->bytes)].of[PAIRS_PORT][pairs_cell(m->p, u, v)];
    return isnan(port) ? 0 : (int)port;
}

/* Fills LEAST: the smallest gap of U's messages by each port, to other hosts and (from N on) within
 * its host. If send calls were not measured, LEAST is half of U's shortest one-way latency. */
static void find_injection(const struct sized *m, int u, double *least)
{
    const int n = m->p->n;
    double shortest = INFINITY;
    for (int k = 0; k < 2 * n; k++)
        least[k] = INFINITY;
    for (int v = 0; v < n; v++) {
        double *gap = &least[port_of(m, u, v) + n * pairs_same_host(m->p, u, v)];
        *gap = v == u ? *gap : fmin(*gap, gap_of(m, u, v));
        shortest = v == u ? shortest : fmin(shortest, one_way(m, u, v));
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

/* Makes the edges from U. LEAST: scratch memory for 2 n numbers. */
static void graph_row(const struct sized *m, int u, struct graph *g, double *least)
{
    const struct pairs *p = m->p;
    /* A cost may be too small (LATE 1) or too large (-1) by as much as U's clock may be off. */
    const bool adds = abs(m->late) == 1 && m->one_way;
    const double off = adds ? pairs_ahead(p, u, m->root) + pairs_ahead(p, m->root, u) : 0;
    find_injection(m, u, least);
    for (int v = 0; v < p->n; v++) {
        if (v == u)
            continue;
        /* A blocking send of a large message may last as long as COST, but w must be above 0. */
        const int port = port_of(m, u, v);
        const double cost = six_digits(one_way(m, u, v)),
                     call = m->sends && !m->segment ? interpolate(m, u, v, PAIRS_SEND) : 0,
                     busy = fmax(call, least[port + p->n * pairs_same_host(p, u, v)]),
                     d = six_digits(fmin(busy, 0.99999 * (cost + m->late * off)));
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
    const bool sends = pairs_all_known(p, PAIRS_SEND), gaps = pairs_all_known(p, PAIRS_GAP);
    const struct sized m = {p,    bytes, segment, root,
                            late, sends, gaps,    pairs_all_known(p, PAIRS_ONE_WAY)};
    for (int u = 0; u < p->n; u++)
        graph_row(&m, u, g, least);
    return true;
}

/* Replaces the N x N lengths MOST by those of shortest paths (Floyd, Warshall). Returns whether a
 * cycle has a negative length: then no values of the clocks explain what was measured. */
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

/* Sets AHEAD, and ONE_WAY and BOUND at all sizes, of the pair in CELL. The receiver's clock is
 * ahead of the sender's by at most AHEAD, and behind it by at most BEHIND; INFINITY: unknown. */
static void find_one_way(struct pairs *p, int cell, double ahead, double behind)
{
    p->size[0].of[PAIRS_AHEAD][cell] = ahead;
    for (int s = 0; s < p->n_sizes; s++) {
        double *const *of = p->size[s].of, shown = of[PAIRS_ONE_WAY][cell],
                      trip = of[PAIRS_MEDIAN][cell], low = fmax(0, fmin(trip, shown - ahead)),
                      high = fmax(0, fmin(trip, shown + behind));
        of[PAIRS_BY_CLOCKS][cell] = shown;
        of[PAIRS_ONE_WAY][cell] = isinf(ahead) ? NAN : (low + high) / 2;
        of[PAIRS_BOUND][cell] = isinf(ahead) ? NAN : (high - low) / 2;
    }
}

/* Latencies are at least 0. So if two clocks show X for a message from I to J, J's clock is at most
 * X ahead of I's. BOUND is another limit. Limits add up along a path: the shortest path is the
 * limit. */
bool pairs_find_clocks(struct pairs *p)
{
    const int n = p->n;
    const double *bound = p->size[0].of[PAIRS_BOUND], *way;
    int clocks = 0;
    FREED int *clock = malloc((size_t)n * sizeof *clock); /* by rank: number of its clock */
    for (int i = 0, j; clock && i < n; i++) {
        for (j = 0; j < i && bound[i * n + j] > 0;)
            j++;
        clock[i] = j < i ? clock[j] : clocks++;
    }
    FREED double *most = malloc((size_t)clocks * (size_t)clocks * sizeof *most);
    if (!clock || !most)
        return false;
    for (int k = 0; k < clocks * clocks; k++)
        most[k] = k % (clocks + 1) ? INFINITY : 0;
    for (int s = 0; s < p->n_sizes; s++) { /* a larger message may be faster */
        bound = p->size[s].of[PAIRS_BOUND], way = p->size[s].of[PAIRS_ONE_WAY];
        for (int k = 0; k < n * n; k++) {
            double *to = &most[clock[k / n] * clocks + clock[k % n]];
            if (bound[k] > 0)
                *to = fmin(*to, fmin(bound[k], way[k]) + p->drift[k / n] + p->drift[k % n]);
        }
    }
    const double unknown = shorten(most, clocks) ? INFINITY : 0;
    for (int k = 0; k < n * n; k++) {
        const int from = clock[k / n], to = clock[k % n];
        const double more = from == to ? 0 : unknown;
        p->drift[k / n] += unknown;
        find_one_way(p, k, most[from * clocks + to] + more, most[to * clocks + from] + more);
    }
    return true;
}
