/* An operation that all ranks begin at the same moment of their common clock, again and again: what
 * scenarios and direct measurements of collectives start by. A barrier's exits are as far apart as
 * its messages take. */
#ifndef COLLPROF_SYNC_HARMONIZE_H
#define COLLPROF_SYNC_HARMONIZE_H

#include "sync/sync.h"

struct harmony {
    struct sync_clock *clock; /* of COMM's ranks, or more; to harmony_open() NULL where they are on
                                 one host */
    MPI_Comm comm;
    int root;     /* announces the moments */
    bool follows; /* the clock, of COMM itself, is measured again now and then */

    double begin; /* the moment, on the common clock */
    bool late;    /* this rank heard of it when it was over */
    double off;   /* this rank left so long after it at most, its clock's error included */
    double slack; /* the root's: a moment is announced so long before it comes. It grows when a rank
                     was late, and shrinks again to the least */
    double least;
    double measured,
        took;     /* local moment and seconds of the clock's last point, where it follows */
    double apart; /* two ranks' clocks have been, at most, up to that point, where it follows */
};

/* Finds how long announcements take. Collective, as harmonize(); both return an MPI error code. */
int harmony_open(struct harmony *h, struct sync_clock *clock, MPI_Comm comm, int root);

/* Returns at the common moment, on all ranks. */
int harmonize(struct harmony *h);

#endif
