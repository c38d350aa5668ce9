/* Two ranks measure each other: the step that all orders of pairs repeat. */
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
 * and the moment on the common clock at which the send began; the higher rank has the message by
 * then. */
struct pair_times {
    double *trip, *send, *begin;
};

struct pairs_run {
    MPI_Comm comm;
    const struct pairs_plan *plan;
    int rank, n;
    char *buffer;
    double *row;   /* this rank's row of each matrix, for each size; see pair_row() */
    double *times; /* four values for each repeat: struct pair_times, and one of the other side; in
                      the paper's order for each of n peers */
    double clock_cost;
    MPI_Request out, in; /* of messages that are not PAIRS_STANDARD, for one peer and size */
    int partitions;
};

/* This rank's row of WHAT in ROWS, a double for each rank. */
static inline double *pair_row(const struct pairs_run *m, double *rows, int size,
                               enum pairs_quantity what)
{
    return rows + ((size_t)size * PAIRS_QUANTITIES + what) * (size_t)m->n;
}

/* Where the samples of the exchanges with PEER are stored. */
struct pair_times pair_samples(const struct pairs_run *m, int peer);

/* Both ranks call these with the other as PEER. pair_exchange() makes the K-th exchange: the lower
 * rank times the round trip, both ranks their send. */
int pair_exchange(const struct pairs_run *m, int peer, size_t bytes, struct pair_times t, int k);

/* Turns both sides' REPEATS samples of size number SIZE, and a burst in each direction, into
 * cells. */
int pair_conclude(const struct pairs_run *m, int peer, int size, struct pair_times t, int repeats);

/* Measures all sizes, after a warm-up, and as often as the budget allows. */
int pair_measure(struct pairs_run *m, int peer);

/* A barrier. Without time left on some rank all get PAIRS_TOO_LONG. */
int pair_barrier(struct pairs_run *m);

/* Finds the ports of all ranks for size number SIZE, after all pairs have been measured. *SHARED:
 * see struct pairs_size, by this rank's messages. */
int ports_search(struct pairs_run *m, int size, double *shared);
