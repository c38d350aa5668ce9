/* Runs a schedule as a broadcast. */
#pragma once

#include "trees/bcast.h"
#include "trees/schedule.h"

/* A rank's own part of a schedule; the whole is only on the rank that built it. */
struct schedule_part {
    int root, parent; /* parent: -1 at the root */
    int n_children;
    size_t segment;   /* bytes; 0: whole messages */
    int in_flight;    /* most segments in transit between two ranks: a whole message at once would
                         flood a shared network */
    const int *child; /* in the order of sending */
};

/* Gives every rank of COMM its part of S, which only rank 0 has (NULL on the others); release it by
 * free(). Collective; returns an MPI error code, the same on all ranks. */
int schedule_distribute(const struct schedule *s, MPI_Comm comm, struct schedule_part **part);

/* A struct bcast whose arg is PART, which must outlive it. Its run() returns MPI_ERR_ROOT for
 * another root than the schedule's. Whole messages are sent one after the other by MPI_Send, as in
 * the paper; segments are forwarded as they arrive, a few at a time. */
struct bcast bcast_from_schedule(const struct schedule_part *part);
