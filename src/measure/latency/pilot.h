/* A pilot measurement times all pairs in a few operations. It shows which pairs may have the
 * largest latency and must be measured. Needs no MPI. */
#ifndef COLLPROF_MEASURE_LATENCY_PILOT_H
#define COLLPROF_MEASURE_LATENCY_PILOT_H

#include "base/stats.h"

struct pilot {
    double *least, *most; /* by pair: shortest and longest time from entry to exit, seconds; NaN if
                             the time for the pilot was over before; NULL if no pilot was run */
    int n;                /* pairs */
    double error;         /* error bound of the clock that they were read from */
};

/* Sorts the N indices PAIR by their shortest time, the slowest first, unknown ones last; a stable
 * sort. */
void pilot_sort(const struct pilot *p, int *pair, int n);

/* How many of PAIR[FROM .. N) may be slower than the slowest measured pair by more than 1 % of the
 * lower end of its interval: pairs that took so long at least once, within the clock's error;
 * without a pilot, all. While SLOWEST is unknown, pairs are compared with PAIR[0]. */
int pilot_may_be_slower(const struct pilot *p, const int *pair, int from, int n,
                        struct estimate slowest);

#endif
