/* Latencies for many sizes at a price that an application can pay, and without pairs that disturb
 * each other on the ways between sites. */
#ifndef COLLPROF_MEASURE_PAIRS_SITES_H
#define COLLPROF_MEASURE_PAIRS_SITES_H

#include "measure/pairs/data.h"
#include "measure/pairs/plan.h"

#include <mpi.h>

/* 15 repeats of a pair, or 2 ms of them, until clock_now() is UNTIL. */
struct pairs_plan pairs_plan_quick(const struct sync_clock *clock, const size_t *sizes, int n_sizes,
                                   double until);

/* Collective; CLOCK, result and errors as of pairs_measure(). All pairs are measured with the
 * smallest of SIZES only, in a tournament. If by these times all sizes of all pairs take no more
 * than AFFORDABLE seconds, they are measured, one at a time if that takes a tenth of it. Otherwise
 * the sites follow (pairs_sites()); then one pair of each two sites, and one within each site,
 * measure every size, and stand for the others: a pair differs from the one that stands for it by
 * as much as it did from its like in the tournament. Takes MOST seconds and the rest of a pair's
 * exchanges, then it is given up; 0: no limit. */
int pairs_measure_by_sites(MPI_Comm comm, const struct sync_clock *clock, const size_t *sizes,
                           int n_sizes, double most, double affordable, struct pairs *p);

#endif
