/* How pairs of ranks are measured: in which order, how often, and for how long. */
#ifndef COLLPROF_MEASURE_PAIRS_PLAN_H
#define COLLPROF_MEASURE_PAIRS_PLAN_H

#include "sync/sync.h"

#include <stdbool.h>
#include <stddef.h>

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

#endif
