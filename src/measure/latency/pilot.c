#include "measure/latency/pilot.h"

#include "base/array.h"

#include <math.h>
#include <stdlib.h>

static double time_of(const struct pilot *p, int round, int pair)
{
    return p->time[(size_t)round * (size_t)p->n + (size_t)pair];
}

static double pilot_time(const struct pilot *p, int pair)
{
    double x[PILOT_ROUNDS];
    if (isnan(time_of(p, 0, pair)))
        return -1;
    for (int k = 0; k < p->rounds; k++)
        x[k] = time_of(p, k, pair);
    return stats_median(x, (size_t)p->rounds);
}

struct candidate {
    double time;
    int at, pair;
};

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return x->time != y->time ? ORDER(y->time, x->time) : ORDER(x->at, y->at);
}

void pilot_sort(const struct pilot *p, int *pair, int n)
{
    struct candidate *c = malloc((size_t)n * sizeof *c);
    for (int k = 0; c && k < n; k++)
        c[k] = (struct candidate){pilot_time(p, pair[k]), k, pair[k]};
    if (c)
        qsort(c, (size_t)n, sizeof *c, compare_candidates);
    for (int k = 0; c && k < n; k++)
        pair[k] = c[k].pair;
    free(c);
}

static double extreme(const struct pilot *p, int pair, double (*of)(double, double))
{
    double x = time_of(p, 0, pair);
    for (int k = 1; k < p->rounds; k++)
        x = of(x, time_of(p, k, pair));
    return x;
}

int pilot_may_be_slower(const struct pilot *p, const int *pair, int from, int n,
                        struct estimate slowest)
{
    if (!p->time)
        return n - from;
    double bar =
        estimate_known(slowest) ? 1.01 * slowest.low : extreme(p, pair[0], fmin) - p->error;
    int may = 0;
    for (int k = from; k < n; k++)
        may += !(extreme(p, pair[k], fmax) + p->error < bar);
    return may;
}
