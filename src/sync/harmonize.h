/* Starts an operation on all ranks at the same moment of their common clock, repeatedly. For each
 * start rank 0 announces a moment in the near future by a broadcast, and all ranks wait for it.
 * Scenarios and direct measurements use it, because the exits from a barrier differ by the time of
 * its messages. */
#pragma once

#include "sync/sync.h"

struct harmony {
    struct sync_clock *clock; /* common clock of COMM's ranks */
    MPI_Comm comm;
    bool follows; /* CLOCK was started on COMM, so that harmonize() may re-measure it */

    double begin; /* the announced moment, on the common clock */
    bool late;    /* the announcement reached this rank after that moment */
    double slack; /* seconds from the announcement to BEGIN, equal on all ranks: doubled if a rank
                     was late, otherwise shrinks to LEAST */
    double least;
    double measured, took; /* local time and duration of the last measurement of the clock */
    int from;     /* FROM of sync_check(): -1 unless the caller sets it after harmonize_open() */
    double apart; /* if FOLLOWS: upper bound of two ranks' clock difference so far, seconds */
};

/* Fills H. Re-measures CLOCK (NULL: all ranks are on one host) if it was started on COMM, and finds
 * from HARMONY_TRIES announcements how long they take. CLOCK must outlive H. This function and
 * harmonize() are collective over COMM and return an MPI error code. */
enum { HARMONY_TRIES = 10 };
int harmonize_open(struct harmony *h, struct sync_clock *clock, MPI_Comm comm);

/* Announces a moment, and returns on all ranks at that moment, or later with LATE set. */
int harmonize(struct harmony *h);
