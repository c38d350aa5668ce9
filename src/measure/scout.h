/* All destinations, or all pairs, looked at in a few operations: which have to be measured for the
 * largest latency, and the chance that it is among those measured. Needs no MPI. */
#ifndef COLLPROF_MEASURE_SCOUT_H
#define COLLPROF_MEASURE_SCOUT_H

#include "measure/series.h"

enum { SCOUT_LOOKS = 3 }; /* few are enough to say who is among the slowest */

struct scout {
    double *exit; /* [look * size + rank, or pair], seconds; NULL: not looked */
    int looks, size;
    double *way;    /* [rank], half a round trip, which EXIT rests on; NULL: on a common clock */
    double error;   /* of the clocks */
    double barrier; /* the quickest seen meanwhile */
    double clocks;  /* another point of theirs took so long */
    double slack;   /* for so long the root had to wait after one for all to be inside */
};

/* The median of RANK's exits. */
double scouted(const struct scout *s, int rank);

/* The N of RANK by it, the slowest first. */
void scout_sort(const struct scout *s, int *rank, int n);

/* How many of RANK[FROM .. N) may be slower than the slowest measured is, by more than 1 % of its
 * interval's lower end: all that no look says anything of. Without a value yet, than RANK[0] seems
 * at least. */
int scout_may_be_slower(const struct scout *s, const int *rank, int from, int n,
                        struct estimate slowest);

/* The chance that the slowest of a further operation is among the first MEASURED of N, in the order
 * in which the looks show them, at least: if that operation is like the looks, as often as the
 * slowest of each look is among as many by the others. What three looks cannot say of it counts as
 * if it were as likely to be any of the N. */
double scout_chance(const struct scout *s, const int *rank, int measured, int n);

#endif
