/* A pilot measurement: all pairs in a few operations. It shows which have to be measured for the
 * largest latency. Needs no MPI. */
#ifndef COLLPROF_MEASURE_LATENCY_PILOT_H
#define COLLPROF_MEASURE_LATENCY_PILOT_H

#include "base/stats.h"

enum { PILOT_ROUNDS = 3 }; /* of which the median is not what a single disturbance makes it */

struct pilot {
    double *time; /* [round * n + pair], seconds from entry to exit; NULL: there was no pilot */
    int rounds, n;
    double error; /* of the clocks that TIME rests on */
};

/* The N of PAIR by the median of their times, the slowest first; equals as they were. */
void pilot_sort(const struct pilot *p, int *pair, int n);

/* How many of PAIR[FROM .. N) may be slower than the slowest measured by more than 1 % of its
 * interval's lower end: those that the pilot once saw so, within the clocks' error, and all without
 * a pilot. While SLOWEST is unknown: slower than PAIR[0] seems at least. */
int pilot_may_be_slower(const struct pilot *p, const int *pair, int from, int n,
                        struct estimate slowest);

#endif
