#include "sync/estimate.h"

#include "base/stats.h"
#include "base/try.h"

#include <math.h>
#include <stdbool.h>

/* Each exchange bounds the difference of the clocks at its own time. The clocks may drift between
 * then and MOMENT: each bound is widened by the largest possible drift, so no two contradict. */
struct sync_point sync_point_from(const struct sync_exchange *e, size_t n)
{
    double low = -INFINITY, high = INFINITY, trip[SYNC_EXCHANGES_MAX] = {0};
    size_t best = 0;
    for (size_t i = 0; i < n; i++) {
        trip[i] = (e[i].received - e[i].sent) - (e[i].replied - e[i].arrived);
        if (trip[i] < trip[best])
            best = i;
    }
    double least = trip[best];
    double moment = 0.5 * (e[best].sent + e[best].received);
    for (size_t i = 0; i < n; i++) {
        double after_sent = SYNC_DRIFT_UNKNOWN * fabs(e[i].sent - moment);
        double after_received = SYNC_DRIFT_UNKNOWN * fabs(e[i].received - moment);
        low = fmax(low, e[i].replied - e[i].received - after_received);
        high = fmin(high, e[i].arrived - e[i].sent + after_sent);
    }
    stats_sort(trip, n);
    size_t eighth = n / 8 > 3 ? n / 8 : 3;
    double jitter = 0.5 * (trip[eighth < n ? eighth : n - 1] - least);
    return (struct sync_point){.local = moment,
                               .offset = 0.5 * (low + high),
                               .bound = 0.5 * (high - low),
                               .trip = least,
                               .jitter = jitter};
}

/* Error bound of a point relative to the others. If messages are slower in one direction, this
 * changes all offsets alike, by at most LEAST, the smallest bound of all points: not the slope. */
static double point_doubt(const struct sync_point *p, double least)
{
    return fmin(p->bound, p->bound - least + p->jitter);
}

/* Error bound of the line's slope, from the first and the last point, which are most distant. */
static double slope_uncertainty(const struct sync_point *p, size_t n, double least)
{
    double span = p[n - 1].local - p[0].local;
    return span > 0 ? (point_doubt(&p[0], least) + point_doubt(&p[n - 1], least)) / span : INFINITY;
}

/* Drops each point whose bound is wider than that of another point extrapolated to the same moment
 * with the largest possible drift: a point measured on a busy machine would only widen the bound of
 * the line. */
static size_t drop_uninformative(const struct sync_point *all, size_t n, struct sync_point *kept)
{
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        size_t j = 0;
        while (j < n && all[j].bound + SYNC_DRIFT_UNKNOWN * fabs(all[j].local - all[i].local) >=
                            all[i].bound)
            j++;
        if (j == n)
            kept[m++] = all[i];
    }
    return m;
}

struct sync_line sync_line_through(const struct sync_point *all, size_t n)
{
    struct sync_line line = {0};
    struct sync_point p[SYNC_POINTS_MAX];
    n = drop_uninformative(all, n < SYNC_POINTS_MAX ? n : SYNC_POINTS_MAX, p);
    if (n == 0)
        return line;
    line.from = p[0].local;
    line.to = p[n - 1].local;
    line.origin = p[0].local;
    line.drift_bound = SYNC_DRIFT_UNKNOWN;

    /* Relative to the first point: a clock may read 1e6 s, and rounding would hide the drift. */
    double x[SYNC_POINTS_MAX], y[SYNC_POINTS_MAX], a, b;
    size_t tightest = 0;
    for (size_t i = 0; i < n; i++) {
        x[i] = p[i].local - line.origin;
        y[i] = p[i].offset - p[0].offset;
        if (p[i].bound < p[tightest].bound)
            tightest = i;
    }
    stats_line(x, y, n, &a, &b);
    double uncertainty = slope_uncertainty(p, n, p[tightest].bound);
    bool none = n == 1 || fabs(b) <= uncertainty;
    if (n > 1 && isfinite(uncertainty))
        line.drift_bound = fmin(SYNC_DRIFT_UNKNOWN, uncertainty + (none ? fabs(b) : 0));
    if (none) {
        b = 0;
        a = y[tightest];
    }
    line.offset = p[0].offset + a;
    line.drift = b;

    for (size_t i = 0; i < n; i++) {
        double residual = fabs(a + b * x[i] - y[i]);
        line.bound = fmax(line.bound, p[i].bound + residual);
    }
    return line;
}

struct sync_line sync_line_compose(const struct sync_line *first, const struct sync_line *second)
{
    struct sync_line both = *first;
    both.offset +=
        second->offset + second->drift * (first->origin + first->offset - second->origin);
    both.drift += second->drift * (1 + first->drift);
    both.bound += second->bound;
    both.drift_bound += second->drift_bound;
    if (second->drift_bound > 0) {
        double since = -first->offset - first->origin, rate = 1 + first->drift;
        both.from = fmax(both.from, first->origin + (second->from + since) / rate);
        both.to = fmin(both.to, first->origin + (second->to + since) / rate);
    }
    return both;
}

double sync_line_bound(const struct sync_line *line, double local)
{
    double outside = fmax(0, fmax(line->from - local, local - line->to));
    return line->bound + line->drift_bound * outside;
}

double sync_line_missed(const struct sync_line *line, const struct sync_point *point)
{
    double off = fabs(point->offset - line->offset - line->drift * (point->local - line->origin));
    double after = off + point->bound, time = fmax(0, point->local - line->to);
    double fall = 2 * SYNC_DRIFT_UNKNOWN, rise = line->drift_bound;
    double change =
        (after - line->bound + fall * time) / (rise + fall); /* moment of the largest error */
    return fmax(after, line->bound + rise * fmax(0, fmin(time, change)));
}

/* --- which clock each host follows --- */

enum { ALL_DISTANCES_TO = 12 }; /* with more ranks, only distances that are powers of two */

int sync_distances(int n, int distance[SYNC_DISTANCES_MAX])
{
    int k = 0;
    for (int d = 1; d < n; d = n <= ALL_DISTANCES_TO ? d + 1 : 2 * d)
        distance[k++] = d;
    return k;
}

static void relax(double *sum, int *parent, int from, int to, double error)
{
    if (sum[from] + error < sum[to]) {
        sum[to] = sum[from] + error;
        parent[to] = from;
    }
}

/* Dijkstra's algorithm. FINAL[i]: no other path can make the sum of rank i smaller. */
int sync_tree(int n, int k, const int *distance, const double *error, int *parent)
{
    FREED double *sum = malloc((size_t)n * sizeof *sum);
    FREED bool *final = calloc((size_t)n, sizeof *final);
    if (!sum || !final)
        return -1;
    for (int i = 0; i < n; i++) {
        sum[i] = i ? INFINITY : 0;
        parent[i] = i ? 0 : -1;
    }
    for (int step = 0; step < n; step++) {
        int from = -1;
        for (int i = 0; i < n; i++)
            if (!final[i] && (from < 0 || sum[i] < sum[from]))
                from = i;
        final[from] = true;
        for (int j = 0; j < k; j++) {
            int up = from + distance[j], down = from - distance[j];
            if (up < n)
                relax(sum, parent, from, up, error[from * k + j]);
            if (down >= 0)
                relax(sum, parent, from, down, error[down * k + j]);
        }
    }
    return 0;
}
