/* A broadcast as an operation to be measured: its data, and a check of them. */
#ifndef COLLPROF_MEASURE_LATENCY_BROADCAST_H
#define COLLPROF_MEASURE_LATENCY_BROADCAST_H

#include "measure/latency/latency.h"
#include "trees/bcast.h"

/* Equal on all ranks but for BUFFER. */
struct broadcast {
    const struct bcast *bcast;
    void *buffer; /* COUNT elements of TYPE. The root's content never changes; all other ranks end
                     with what one MPI_Bcast would have given them */
    int count;
    MPI_Datatype type;
    int root;
    MPI_Comm comm;
    bool fresh; /* the root rewrites its data before every operation, so that they are in its own
                   cache as freshly computed data are; unchanged data may already be in caches of
                   other ranks. Only for a plain type */
};

/* Whether TYPE is contiguous without holes. Predefined types are, except those for MPI_MINLOC and
 * the like. */
bool broadcast_is_plain(MPI_Datatype type);

/* The latency_case for B, which must outlive it. The caller sets clock, plan and collector. */
struct latency_case broadcast_case(struct broadcast *b);

/* Functions for struct latency_case; ARG is a struct broadcast. The check overwrites the data of
 * all ranks except the root, makes one broadcast and compares, unless some rank's type is not
 * plain. */
void broadcast_prepare(void *arg);
int broadcast_check(void *arg, int *wrong);

#endif
