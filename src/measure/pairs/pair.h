/* What every order of pairs does: two ranks measure each other. */
#ifndef COLLPROF_MEASURE_PAIRS_PAIR_H
#define COLLPROF_MEASURE_PAIRS_PAIR_H

#include "measure/pairs/data.h"
#include "measure/pairs/plan.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* PAIR_BURST: messages in a row, for the gap between them: the buffer has room for so many. */
enum { PAIR_BURST = 8, TAG_PING = 0x7069, TAG_RESULT = 0x7072, TAG_READY = 0x7073 };

/* What a pair's lower rank keeps of it, per size: quantities of messages to the higher one, and of
 * those from it. */
struct pair_outcome {
    double to[PAIRS_QUANTITIES], from[PAIRS_QUANTITIES];
};
enum { PAIR_NUMBERS = sizeof(struct pair_outcome) / sizeof(double) };

/* Of the exchanges of a pair, on either side: the round trip, which the lower rank has, the send
 * call, and when that began, on the clock common to all: the higher rank has the message then. */
struct pair_times {
    double *trip, *send, *begin;
};

struct pairs_run {
    MPI_Comm comm;
    const struct pairs_plan *plan;
    int rank, n;
    char *buffer;
    struct pair_outcome *outcome; /* of this rank with each higher one: n_sizes rows of n */
    double *times; /* three times the repeats of a pair, and those of the other side; in
                      the paper's order, n rows of them */
    double clock_cost;
};

/* Where the exchanges with PEER are kept. */
struct pair_times pair_samples(const struct pairs_run *m, int peer);

/* Both call these with each other as PEER. The K-th exchange: the lower rank takes the round trip,
 * both their send. */
int pair_exchange(const struct pairs_run *m, int peer, size_t bytes, struct pair_times t, int k);

/* Both sides' REPEATS samples of size number SIZE, and a burst each way, become the lower one's
 * outcome. */
int pair_conclude(const struct pairs_run *m, int peer, int size, struct pair_times t, int repeats);

/* All sizes, with warm-up and as often as the budget allows. */
int pair_measure(const struct pairs_run *m, int peer);

#endif
