/* Finds hosts, ranks and pairs that are slow, so that a cable, a card or a host can be checked
 * before a machine is used.
 *
 * A rank is slow if its fastest pair is slower than those of the other ranks and of the ranks
 * nearest to it; a host is slow if all its ranks are. Pairs within a host count only if there are
 * no others. So a site with slower links or far away is not slow, but a single rank far from all
 * others cannot be distinguished from a slow one. A pair is slow compared with the usual time of
 * both its ranks. */
#pragma once

#include "measure/pairs/data.h"

enum slow_kind { SLOW_HOST, SLOW_RANK, SLOW_PAIR };

struct slow {
    enum slow_kind kind;
    int a, b;      /* A: the rank, or the lowest rank of the host; B: other rank of a pair, or -1 */
    double factor; /* ratio of its time to the median of its nearest ranks' fastest pairs (a pair:
                      to the larger of both ranks' medians); the largest of all sizes */
};

/* Lists what is slower by FACTOR and by more than three standard deviations, estimated from the
 * median absolute deviation of logarithms: hosts first, in each kind the slowest first. Pairs of a
 * slow rank or host are not listed. With fewer than 4 ranks the list is empty. Returns *N entries,
 * to be released by free(). Ends the program if there is no memory. */
struct slow *pairs_slow(const struct pairs *p, double factor, size_t *n);
