/* The latency of every pair of ranks, measured as by PetaSHA's mmpi.c (doc/methods.md, 2). */
#pragma once

#include "measure/pairs/data.h"
#include "sync/sync.h"

#include <mpi.h>

/* In which order pairs are measured. */
enum pairs_order {
    PAIRS_PAPER,      /* one pair at a time, i < j, repeats as the outermost loop, a barrier before
                         each exchange */
    PAIRS_TOURNAMENT, /* P - 1 rounds (P if odd) of disjoint pairs, a barrier before each round.
                         Pairs of one round may share links, cards or processors. So some are
                         re-measured alone; if one is then faster by the factor PAIRS_SHARED, all
                         are re-measured one at a time */
    PAIRS_ONE_AT_A_TIME /* one pair at a time, with all sizes and repeats, each after a barrier */
};

/* How the messages of a round trip are sent and received. */
enum pairs_messages {
    PAIRS_STANDARD,   /* MPI_Send, MPI_Recv */
    PAIRS_PERSISTENT, /* MPI_Send_init, MPI_Recv_init, then MPI_Start and MPI_Wait */
    PAIRS_PARTITIONED /* MPI_Psend_init, MPI_Precv_init, MPI_Start, MPI_Pready for each of 4
                         partitions (1 if they do not divide the size), MPI_Wait; see
                         pairs_partitioned */
};
extern const bool pairs_partitioned; /* whether the library can partition messages */

struct pairs_plan {
    const size_t *sizes; /* bytes, ascending */
    int n_sizes;
    int repeats; /* exchanges of a pair per size; paper: 100 */
    enum pairs_order order;
    double budget; /* seconds for one pair and size: if they are short, fewer repeats, but at least
                      3. 0: no limit, as always with PAIRS_PAPER */
    double until;  /* clock_now() at which each rank gives up; 0: never. Not for PAIRS_PAPER */
    enum pairs_messages messages; /* must be PAIRS_STANDARD for order PAIRS_PAPER */
    bool receives; /* also measure the receive call, and whether a send waits for it; takes 1.5
                      times as long */
    bool ports;    /* with PAIRS_TOURNAMENT: also find the network ports of each sender */
    struct sync_clock *clock; /* common clock of COMM's ranks, for one-way latencies; measured once
                                 more at the end if it is COMM's own. NULL if all read one clock */
};

/* Defaults: 64 bytes, 100 repeats, tournament, no time limit, one clock. */
struct pairs_plan pairs_plan_default(void);

/* All ranks of COMM measure. Rank 0 gets P, the others an empty one. A rank needs memory for
 * results with its P - 1 partners (with PAIRS_PAPER, times repeats); only rank 0 holds the
 * matrices. Round trips are not halved; the lower rank sends first and takes the time; the cost of
 * reading the clock is subtracted. The first exchanges of each pair are warm-up. Returns an MPI
 * error code, or PAIRS_TOO_LONG on all ranks alike. */
enum { PAIRS_TOO_LONG = -1 };
int pairs_measure(MPI_Comm comm, const struct pairs_plan *plan, struct pairs *p);

/* I's partner in ROUND of a tournament of N ranks; -1 for none. Rounds: n - 1, or n if n is odd. */
int pairs_partner(int i, int round, int n);
int pairs_rounds(int n);
