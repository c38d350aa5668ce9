/* Starts an operation on all ranks at the same moment of their common clock, repeatedly. For each
 * start rank 0 announces a moment in the near future by a broadcast, and all ranks wait for it.
 * Scenarios and direct measurements use it, because the exits from a barrier differ by the time of
 * its messages. */
#pragma once

#include "sync/sync.h"

struct harmony {
    struct sync_clock *clock; /* of COMM's ranks; NULL in harmonize_open() if all are on one host */
    MPI_Comm comm;
    bool follows; /* the clock, which belongs to COMM itself, is re-measured from time to time */

    double begin; /* the moment, on the common clock */
    bool late;    /* the announcement reached this rank after the moment */
    double slack; /* seconds between announcement and moment, on all ranks alike. It grows after a
                     late rank and shrinks again to the minimum */
    double least;
    double measured, took; /* local time and duration of the clock's last point, if FOLLOWS */
    int from;     /* for sync_check(); -1 if the caller does not set it after harmonize_open() */
    double apart; /* largest difference of two ranks' clocks up to that point, if FOLLOWS */
};

/* Measures a point of the clock if it belongs to COMM (NULL: it does not), and how long an
 * announcement takes, by HARMONY_TRIES of them. This function and harmonize()
 * are collective over COMM and return an MPI error code. */
enum { HARMONY_TRIES = 10 };
int harmonize_open(struct harmony *h, struct sync_clock *clock, MPI_Comm comm);

/* Announces a moment, and returns at that moment on all ranks. */
int harmonize(struct harmony *h);
