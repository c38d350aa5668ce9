/* Runs a schedule as a broadcast. */
#pragma once

#include "trees/bcast.h"
#include "trees/schedule.h"

/* What one rank needs of a schedule, which as a whole is only on the rank that built it. */
struct schedule_part {
    int root, parent; /* PARENT is -1 at the root */
    int n_children;
    size_t segment;   /* bytes of a segment; 0: whole messages */
    int in_flight;    /* limit of segments in transit between two ranks, since all segments at once
                         would flood a shared network */
    const int *child; /* the children's ranks in the order of sending */
};

/* Collective: gives every rank of COMM its PART of S, which only rank 0 has (S is NULL on others).
 * Release PART by free(). Returns an MPI error code, the same on all ranks. */
int schedule_distribute(const struct schedule *s, MPI_Comm comm, struct schedule_part **part);

/* A broadcast that runs PART, which must outlive it. Its run() returns MPI_ERR_ROOT for another
 * root than the schedule's. Whole messages are sent one after the other by MPI_Send, as in the
 * paper; segments are forwarded as they arrive, at most part->in_flight at a time. */
struct bcast bcast_from_schedule(const struct schedule_part *part);
