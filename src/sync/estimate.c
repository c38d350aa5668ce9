#include "sync/estimate.h"

#include "base/stats.h"

#include <math.h>
#include <stdbool.h>

static double trip_of(const struct sync_exchange *e)
{
    return (e->received - e->sent) - (e->replied - e->arrived);
}

/* A bound from one exchange widens with time, by the drift that is possible meanwhile. So bounds of
 * different exchanges cannot contradict each other, however long the burst. */
struct sync_point sync_point_from(const struct sync_exchange *e, size_t n)
{
    double low = -INFINITY, high = INFINITY, trip[SYNC_EXCHANGES_MAX] = {0};
    size_t best = 0;
    for (size_t i = 0; i < n; i++) {
        trip[i] = trip_of(&e[i]);
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

/* Error bound of a point relative to other points: the asymmetry of the two directions' least
 * latencies is the same at all points, and the smallest bound LEAST contains it. */
static double point_doubt(const struct sync_point *p, double least)
{
    return fmin(p->bound, p->bound - least + p->jitter);
}

/* How far the slope can be off. The two outermost points decide, since they have the longest
 * lever. */
static double slope_uncertainty(const struct sync_point *p, size_t n, double least)
{
    double span = p[n - 1].local - p[0].local;
    return span > 0 ? (point_doubt(&p[0], least) + point_doubt(&p[n - 1], least)) / span : INFINITY;
}

/* A point taken on a busy machine can have a far wider bound than another point extrapolated to
 * the same moment with the largest possible drift. It is dropped, since it would only widen the
 * bound. */
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

    /* Relative to the first point: with large clock readings the drift is lost in rounding. */
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
