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
    double *row;   /* this rank's row of each matrix, of each size; see pair_row() */
    double *times; /* three times the repeats of a pair, and those of the other side; in
                      the paper's order, n rows of them */
    double clock_cost;
};

/* This rank's row of WHAT in ROWS, a double for each rank. */
static inline double *pair_row(const struct pairs_run *m, double *rows, int size,
                               enum pairs_quantity what)
{
    return rows + ((size_t)size * PAIRS_QUANTITIES + what) * (size_t)m->n;
}

/* Where the exchanges with PEER are kept. */
struct pair_times pair_samples(const struct pairs_run *m, int peer);

/* Both call these with each other as PEER. The K-th exchange: the lower rank takes the round trip,
 * both their send. */
int pair_exchange(const struct pairs_run *m, int peer, size_t bytes, struct pair_times t, int k);

/* Both sides' REPEATS samples of size number SIZE, and a burst each way, become their rows' cells.
 */
int pair_conclude(const struct pairs_run *m, int peer, int size, struct pair_times t, int repeats);

/* All sizes, with warm-up and as often as the budget allows. */
int pair_measure(const struct pairs_run *m, int peer);

#endif
