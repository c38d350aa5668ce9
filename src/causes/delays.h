/* The causes of a wait: the delays that remain after subtracting the time that the waiting rank
 * also spent. Pure functions. */
#pragma once

#include "causes/history.h"

/* How segments of two ranks' histories are matched, in this order: first the same segment; then
 * remaining computation after the same call, before the same call, and finally any computation,
 * since ranks with the same work may call MPI at different sites before and after it. */
enum matching { MATCH_SEGMENT, MATCH_FROM, MATCH_TO, MATCH_KIND, MATCHINGS };

/* For each matching: the piece that represents the group of a piece. */
struct delay_groups {
    uint32_t piece[MATCHINGS];
};

/* Sums over one group during matching. MORE: times in excess, of delays; LESS: times that lack. */
struct delay_balance {
    double more, less;
    double more_count, less_count; /* numbers of executions in MORE and LESS */
    double squares;                /* in LESS: sum of time x mean time of an execution */
    double weights;                /* in MORE: sum of weight_of() */
};

/* D: time of the pieces in the awaited rank's history minus that in the waiting rank's history.
 * Subtracts negative from positive differences, group by group, in one matching after the other.
 * BALANCE has a zeroed element for each piece, and is zeroed again at the end. */
void delays_match(struct history_differences *d, const struct delay_groups *groups,
                  struct delay_balance *balance);
