/* Measuring the latency of every pair of ranks: PetaSHA's mmpi.c, doc/methods.md, section 2. */
#ifndef COLLPROF_MEASURE_PAIRS_PAIRS_H
#define COLLPROF_MEASURE_PAIRS_PAIRS_H

#include "measure/pairs/data.h"
#include "sync/sync.h"

#include <mpi.h>

enum pairs_order {
    PAIRS_PAPER,      /* one pair at a time, i < j, the repeats outermost, a barrier before each */
    PAIRS_TOURNAMENT, /* P - 1 rounds (P if odd) of disjoint pairs, a barrier before each round.
                         Pairs of one round may share links, cards or processors: afterwards some
                         are measured alone, and where one of them is faster then by PAIRS_SHARED,
                         all are measured again one at a time */
    PAIRS_ONE_AT_A_TIME /* each pair with all its sizes and repeats, a barrier before it */
};

struct pairs_plan {
    const size_t *sizes; /* bytes, ascending */
    int n_sizes;
    int repeats; /* per pair and size; paper: 100 */
    enum pairs_order order;
    double budget; /* not PAIRS_PAPER: seconds for one pair and size; then fewer repeats, at
                      least 3. 0: no limit */
    double until;  /* not PAIRS_PAPER: clock_now() of when to give up, on each rank; 0: never */
    bool receives; /* the receive call, too, and whether a send waits for it: half as long again */
    const struct sync_clock *clock; /* of COMM's ranks, or more, for one-way latencies. NULL: all
                                       read one clock */
};

/* 64 bytes, 100 repeats, tournament, no limit, one clock. */
struct pairs_plan pairs_plan_default(void);

/* All ranks of COMM measure; rank 0 gets P, whose relation is left NULL, the others an empty one.
 * A rank needs memory for its own P - 1 partners (in the paper's order, times repeats); only
 * rank 0 holds the matrices. Round trips are full; the lower rank sends first and takes the
 * time; the cost of reading the clock is subtracted. The first exchanges of each pair are warm-up.
 * Returns an MPI error code; PAIRS_TOO_LONG on all ranks alike. */
enum { PAIRS_TOO_LONG = -1 };
int pairs_measure(MPI_Comm comm, const struct pairs_plan *plan, struct pairs *p);

/* I's partner in ROUND of the tournament of N ranks, -1 for none; rounds: n - 1, or n if odd. */
int pairs_partner(int i, int round, int n);
int pairs_rounds(int n);

#endif
