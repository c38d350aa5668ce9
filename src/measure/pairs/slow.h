/* Hosts, ranks and pairs that are slow: a cable, a card, a host to be checked before a machine is
 * used.
 *
 * A rank is slow if its fastest pair is slower than those of the other ranks, and than those of the
 * ranks nearest to it; a host is if all its ranks are. Pairs within a host do not count where there
 * are others. So a site of slower links, or far away, is not slow, and a single rank far from all
 * others cannot be distinguished from a slow one. A pair is slow compared with what both of its
 * ranks usually take. */
#ifndef COLLPROF_MEASURE_PAIRS_SLOW_H
#define COLLPROF_MEASURE_PAIRS_SLOW_H

#include "measure/pairs/data.h"

enum slow_kind { SLOW_HOST, SLOW_RANK, SLOW_PAIR };

struct slow {
    enum slow_kind kind;
    int a, b;      /* ranks; of a host A is the first rank; B only of a pair */
    double factor; /* times slower than the median of its nearest ranks' fastest pairs; of a pair
                      than the larger of both ranks' medians. Of all sizes the largest. */
};

/* All that is slower by FACTOR, and by more than three standard deviations, estimated from the
 * median absolute deviation of logarithms: hosts first, the slowest of a kind first. Pairs of a
 * slow rank or host are not listed. Fewer than 4 ranks have none. *N of them; to be freed. Ends the
 * program without memory. */
struct slow *pairs_slow(const struct pairs *p, double factor, size_t *n);

#endif
