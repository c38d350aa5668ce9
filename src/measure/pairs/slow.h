/* Hosts, ranks and pairs that are slow: a cable, a card, a host to be looked at before a machine
 * is used. A pair is compared with the median round trip of its kind: of the pairs that share as
 * much, by relation or host name, and lie between the same two clusters. */
#ifndef COLLPROF_MEASURE_PAIRS_SLOW_H
#define COLLPROF_MEASURE_PAIRS_SLOW_H

#include "measure/pairs/data.h"

enum slow_kind { SLOW_HOST, SLOW_RANK, SLOW_PAIR };

struct slow {
    enum slow_kind kind;
    int a, b;      /* ranks; of a host A is the first rank; B only of a pair */
    double factor; /* times slower than its kind, of all sizes where most; of hosts and ranks the
                      median of their pairs */
};

/* All that is slower by FACTOR, hosts first, and by more than three standard deviations of its
 * kind, estimated from the median absolute deviation of logarithms; where all pairs differ nothing
 * stands out. Ranks of a host that is listed, and pairs of such ranks, are listed only if they are
 * slower by FACTOR once more. Needs 4 ranks and 3 pairs of a kind. To be freed; *N of them. NULL
 * if there is no memory. */
struct slow *pairs_slow(const struct pairs *p, double factor, size_t *n);

#endif
