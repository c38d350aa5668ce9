/* A broadcast as an operation to be measured: its data, and a check of them. */
#ifndef COLLPROF_MEASURE_LATENCY_BROADCAST_H
#define COLLPROF_MEASURE_LATENCY_BROADCAST_H

#include "measure/latency/latency.h"
#include "trees/bcast.h"

/* Equal on all ranks but for BUFFER. */
struct broadcast {
    const struct bcast *bcast;
    void *buffer; /* COUNT of TYPE. The root's content is never changed; afterwards every other
                     rank's is what one MPI_Bcast would have made of it */
    int count;
    MPI_Datatype type;
    int root;
    MPI_Comm comm;
    bool fresh; /* the root rewrites its data before every operation, so that they come from its
                   cache as freshly computed data do; unchanged data may already be in the caches
                   of others. Only for a plain type */
};

/* Whether TYPE is contiguous without holes. Predefined types are, except those for MPI_MINLOC and
 * the like. */
bool broadcast_is_plain(MPI_Datatype type);

/* The case that measures B, which must outlive it. The caller sets clock, plan and collector. */
struct latency_case broadcast_case(struct broadcast *b);

/* Functions of struct latency_case; ARG is a struct broadcast. The check overwrites the data of all
 * ranks except the root, makes one broadcast and compares. If a rank's type is not plain, nothing
 * is compared and CHECKED is false. */
int broadcast_run(void *arg, int root);
void broadcast_before(void *arg);
int broadcast_check(void *arg, int *wrong, bool *checked);

#endif
