/* What a wait is due to: the delays that are left when all that the waiting rank did, too, has been
 * subtracted. Pure functions. */
#ifndef COLLPROF_CAUSES_DELAYS_H
#define COLLPROF_CAUSES_DELAYS_H

#include <stddef.h>
#include <stdint.h>

/* How segments of two ranks' histories are matched, in this order: first the same segment; then the
 * rest of computation after the same call, before the same call, and any computation, since ranks
 * that do the same work may call MPI before and after it at different sites. */
enum matching {
    MATCH_SHIFTED, /* the same segment, equally often and on the same ranks in both histories */
    MATCH_SEGMENT,
    MATCH_FROM,
    MATCH_TO,
    MATCH_KIND,
    MATCHINGS
};

/* Time of one piece in the awaited rank's history minus that in the waiting rank's history. COUNT:
 * the same for executions; 0 if NS is because executions took longer, not because of more. */
struct delay {
    uint32_t piece;
    const uint32_t *group; /* of each matching: a piece that stands for all that match */
    double ns, count;
};

/* The delays of one group, while they are matched. */
struct delay_balance {
    double more, less;
    double more_count, less_count; /* executions in them */
    double squares;                /* sum of time and mean time of an execution, in LESS */
    double weights;                /* of MORE, what is above that mean */
};

/* Subtracts negative from positive delays, group by group, one matching after the other. BALANCE
 * has an element for each piece, zeroed, and is left so. */
void delays_match(struct delay *delays, size_t n, struct delay_balance *balance);

#endif
