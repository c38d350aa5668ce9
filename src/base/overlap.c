#include "base/overlap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double overlap_ratio(double measured, double comm, double comp)
{
    if (!(comm > 0) || !(comp > 0))
        return NAN;
    return (measured - fmax(comm, comp)) / fmin(comm, comp);
}

void base_round_add(struct base_round *base, struct base_point point)
{
    size_t at = base->n;
    while (at > 0 && base->point[at - 1].bytes >= point.bytes)
        at--;
    if (at < base->n && base->point[at].bytes == point.bytes) {
        base->point[at] = point;
        return;
    }
    if (base->n == base->room) {
        size_t room = base->room ? 2 * base->room : 32;
        struct base_point *grown = realloc(base->point, room * sizeof *grown);
        if (!grown)
            return;
        base->point = grown;
        base->room = room;
    }
    memmove(base->point + at + 1, base->point + at, (base->n - at) * sizeof *base->point);
    base->point[at] = point;
    base->n++;
}

void base_round_free(struct base_round *base)
{
    free(base->point);
    *base = (struct base_round){0};
}

double base_round_time(const struct base_round *base, enum base_kind kind, double bytes)
{
    /* A blocking send of nothing takes less than the latency: its line starts at the first point.
     */
    double below = 0, below_time = kind == BASE_CPU ? NAN : base->latency;
    for (size_t i = 0; i < base->n; i++) {
        double at = (double)base->point[i].bytes, time = base->point[i].time[kind];
        if (isnan(time))
            continue;
        if (isnan(below_time))
            below_time = time;
        if (bytes <= at)
            return below_time + (time - below_time) * (bytes - below) / (at - below);
        below = at;
        below_time = time;
    }
    return below > 0 ? below_time * bytes / below : NAN;
}

double base_round_ratio(const struct base_round *base, double post_to_wait, double wait,
                        double bytes)
{
    double comm = base_round_time(base, BASE_CONTIGUOUS, bytes);
    return overlap_ratio(post_to_wait + wait, comm, post_to_wait);
}
