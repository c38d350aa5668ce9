/* Pairs, ranks and hosts whose round trips stand out: a cable, a card, a host to be looked at
 * before a machine is used. What is expected of a pair is the median of its kind: of those that
 * share as much, by the log, and lie between the same two groups of hosts, by the latencies; what
 * lies within three deviations of it is no surprise. */
#ifndef COLLPROF_MEASURE_PAIRS_SUSPECT_H
#define COLLPROF_MEASURE_PAIRS_SUSPECT_H

#include "measure/pairs/data.h"

enum suspect_kind { SUSPECT_HOST, SUSPECT_RANK, SUSPECT_PAIR };

struct suspect {
    enum suspect_kind kind;
    int a, b;      /* ranks; a host: A is its first rank; B only of a pair */
    size_t bytes;  /* where it stands out most */
    double factor; /* times slower than its kind; of hosts and ranks the median of their pairs */
};

/* All that is slower by FACTOR at any size, hosts first; a rank of a host that is in the list, and
 * a pair of such a rank or host, are not named again, unless they are slower by FACTOR once more.
 * To be freed; *N of them. Needs 4 ranks: with fewer nothing can be compared. NULL if there is no
 * memory.
 */
struct suspect *pairs_suspects(const struct pairs *p, double factor, size_t *n);

#endif
