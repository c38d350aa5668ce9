#include "measure/latency/pilot.h"

#include "base/array.h"

#include <math.h>
#include <stdlib.h>

struct candidate {
    double time;
    int at, pair;
};

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    return ORDER(y->time, x->time) ?: ORDER(x->at, y->at);
}

void pilot_sort(const struct pilot *p, int *pair, int n)
{
    struct candidate *c = malloc((size_t)n * sizeof *c);
    for (int k = 0; c && k < n; k++) {
        double least = p->least[pair[k]];
        c[k] = (struct candidate){isnan(least) ? -1 : least, k, pair[k]};
    }
    if (c)
        qsort(c, (size_t)n, sizeof *c, compare_candidates);
    for (int k = 0; c && k < n; k++)
        pair[k] = c[k].pair;
    free(c);
}

int pilot_may_be_slower(const struct pilot *p, const int *pair, int from, int n,
                        struct estimate slowest)
{
    if (!p->least)
        return n - from;
    double bar = estimate_known(slowest) ? 1.01 * slowest.low : p->least[pair[0]] - p->error;
    int may = 0;
    for (int k = from; k < n; k++)
        may += !(p->most[pair[k]] + p->error < bar);
    return may;
}
