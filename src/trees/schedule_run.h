/* Running a schedule as a broadcast. */
#ifndef COLLPROF_TREES_SCHEDULE_RUN_H
#define COLLPROF_TREES_SCHEDULE_RUN_H

#include "trees/bcast.h"
#include "trees/schedule.h"

/* What one rank has to know of a schedule: the whole of it is on the rank that built it only. */
struct schedule_part {
    int root, parent; /* parent: -1 at the root */
    int n_children;
    size_t segment; /* bytes; 0: whole messages */
    int in_flight;  /* segments on their way between two ranks: all of a message at once would flood
                       a network that is shared */
    int child[];    /* in the order of sending */
};

/* Gives every rank of COMM its part of S, which only rank 0 has (NULL on the others). To be
 * freed by free(). Collective; returns an MPI error code, the same on all ranks. */
int schedule_distribute(const struct schedule *s, MPI_Comm comm, struct schedule_part **part);

/* A struct bcast whose arg is PART, which must outlive it. Its run() returns MPI_ERR_ROOT for
 * another root than the schedule's. Whole messages are sent one after the other by MPI_Send, as
 * the paper does; segments are forwarded as they come, a few of them on their way at a time. */
struct bcast schedule_bcast(const struct schedule_part *part);

#endif
