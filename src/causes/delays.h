/* Finds the delays of a wait: the differences between the histories of the awaited and the waiting
 * rank, without time that both spent on the same work. Pure functions. */
#pragma once

#include "causes/history.h"

/* Rules by which time in one history is matched with time in the other, applied in this order: the
 * same segment; time of the same kind (enum cause_kind) after the same call; before the same call;
 * any time of the same kind. Later rules exist as ranks may do equal work between other calls. */
enum matching { MATCH_SEGMENT, MATCH_FROM, MATCH_TO, MATCH_KIND, MATCHINGS };

/* For each rule: the piece that represents the group of pieces which this rule matches. */
struct delay_groups {
    uint32_t piece[MATCHINGS];
};

/* Sums over one group, in ns. MORE: of positive differences (the delays); LESS: of negative
 * differences, with reversed sign. */
struct delay_balance {
    double more, less;
    double more_count, less_count; /* number of executions of the segments in MORE and LESS */
    double squares;                /* over LESS: sum of time x mean duration of an execution */
    double weights;                /* over MORE: sum of weight_of() */
};

/* D: for each piece, its time in the awaited rank's history minus its time in the waiting rank's
 * history. Rule by rule, in each group, cancels negative differences against positive ones; the
 * positive rest are the delays. BALANCE: scratch space, a zeroed element for each piece, zeroed
 * again at the end. */
void delays_match(struct history_differences *d, const struct delay_groups *groups,
                  struct delay_balance *balance);
