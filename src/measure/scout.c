#include "measure/scout.h"

#include "base/array.h"

#include <math.h>
#include <stdlib.h>

static double exit_of(const struct scout *s, int look, int rank)
{
    return s->exit[(size_t)look * (size_t)s->size + (size_t)rank];
}

/* Of the looks but that number WITHOUT (-1: of all). */
static double median_of(const struct scout *s, int rank, int without)
{
    double x[SCOUT_LOOKS];
    size_t n = 0;
    for (int k = 0; k < s->looks; k++)
        if (k != without)
            x[n++] = exit_of(s, k, rank);
    return stats_median(x, n);
}

double scouted(const struct scout *s, int rank)
{
    return median_of(s, rank, -1);
}

struct candidate {
    double scouted;
    int at, rank;
};

/* The slowest first; otherwise as they were. */
static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return x->scouted != y->scouted ? ORDER(y->scouted, x->scouted) : ORDER(x->at, y->at);
}

void scout_sort(const struct scout *s, int *rank, int n)
{
    struct candidate *c = malloc((size_t)n * sizeof *c);
    for (int k = 0; c && k < n; k++)
        c[k] = (struct candidate){scouted(s, rank[k]), k, rank[k]};
    if (c)
        qsort(c, (size_t)n, sizeof *c, compare_candidates);
    for (int k = 0; c && k < n; k++)
        rank[k] = c[k].rank;
    free(c);
}

static double extreme(const struct scout *s, int rank, double (*of)(double, double))
{
    double x = exit_of(s, 0, rank);
    for (int k = 1; k < s->looks; k++)
        x = of(x, exit_of(s, k, rank));
    return x;
}

int scout_may_be_slower(const struct scout *s, const int *rank, int from, int n,
                        struct estimate slowest)
{
    if (!s->exit)
        return n - from;
    double bar =
        estimate_known(slowest) ? 1.01 * slowest.low : extreme(s, rank[0], fmin) - s->error;
    int may = 0;
    for (int k = from; k < n; k++)
        may += !(extreme(s, rank[k], fmax) + s->error < bar);
    return may;
}

/* Whether the slowest of that LOOK is among the MEASURED slowest of the other looks. */
static bool foreseen(const struct scout *s, int look, const int *rank, int measured, int n)
{
    int last = rank[0], before = 0;
    for (int k = 1; k < n; k++)
        if (exit_of(s, look, rank[k]) > exit_of(s, look, last))
            last = rank[k];
    double seems = median_of(s, last, look);
    for (int k = 0; k < n; k++)
        before += median_of(s, rank[k], look) > seems;
    return before < measured;
}

double scout_chance(const struct scout *s, const int *rank, int measured, int n)
{
    int looks = s->exit && s->looks > 1 ? s->looks : 0;
    double times = measured / (double)n;
    for (int k = 0; k < looks; k++)
        times += foreseen(s, k, rank, measured, n);
    return times / (looks + 1);
}
