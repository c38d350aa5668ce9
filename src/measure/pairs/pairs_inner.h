/* Two ranks measure each other: the step that all orders (enum pairs_order) repeat. */
#pragma once

#include "measure/pairs/pairs.h"

/* PAIR_BURST: messages in a burst, for measuring the gap; the buffer has room for all of them. */
enum {
    PAIR_BURST = 8,
    TAG_PING = 0x7069,
    TAG_RESULT = 0x7072,
    TAG_READY = 0x7073,
    TAG_END = 0x7065
};

/* Times of a pair's exchanges, for either side: the round trip (lower rank only), the send call,
 * and when the send began, on the common clock (the higher rank has received by then). */
struct pair_times {
    double *trip, *send, *begin;
};

struct pairs_run {
    MPI_Comm comm;
    const struct pairs_plan *plan;
    int rank, n;
    char *buffer;
    double *row;   /* this rank's row of each matrix, for each size; see pair_row() */
    double *times; /* four values for each repeat: struct pair_times, and BEGIN of the other side;
                      with PAIRS_PAPER for each of n peers */
    double clock_cost;
    MPI_Request out, in; /* for one peer and size; unused with PAIRS_STANDARD */
    int partitions;
};

/* This rank's row of WHAT for size number SIZE in ROWS: a double for each rank. */
static inline double *pair_row(const struct pairs_run *m, double *rows, int size,
                               enum pairs_quantity what)
{
    return rows + ((size_t)size * PAIRS_QUANTITIES + what) * (size_t)m->n;
}

/* Where the samples of the exchanges with PEER are stored. */
struct pair_times pair_samples(const struct pairs_run *m, int peer);

/* Both ranks of a pair call the following, with the other as PEER. pair_exchange() makes the K-th
 * exchange: the lower rank times the round trip, both ranks their send. */
int pair_exchange(const struct pairs_run *m, int peer, size_t bytes, struct pair_times t, int k);

/* Computes PEER's results for size number SIZE from both sides' REPEATS samples and bursts. */
int pair_conclude(const struct pairs_run *m, int peer, int size, struct pair_times t, int repeats);

/* Measures PEER at all sizes, after a warm-up, and as often as the budget allows. */
int pair_measure(struct pairs_run *m, int peer);

/* A barrier. If plan->until has passed on some rank, all ranks return PAIRS_TOO_LONG. */
int pair_barrier(struct pairs_run *m);

/* Finds the ports of all ranks for size number SIZE, after all pairs have been measured. *SHARED:
 * see struct pairs_size, for this rank's messages. */
int ports_search(struct pairs_run *m, int size, double *shared);
