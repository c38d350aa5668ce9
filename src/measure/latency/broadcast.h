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
    bool fresh; /* the root writes its data anew before every operation: data that was just computed
                   has to come from the root's cache, unchanged data lies in the others' already.
                   Only of a plain type */
};

/* Whether elements lie in memory as their bytes in order. Predefined types do, except those for
 * MPI_MINLOC and the like, which have holes. */
bool broadcast_is_plain(MPI_Datatype type);

/* The case of B, which has to stay; clock, plan and collector are still to be set. */
struct latency_case broadcast_case(struct broadcast *b);

/* For struct latency_case; ARG is a struct broadcast. The check spoils the data of every rank but
 * the root, makes one broadcast and compares. Where a rank's type is not plain it compares nothing,
 * and CHECKED is false. */
int broadcast_run(void *arg, int root);
void broadcast_before(void *arg);
int broadcast_check(void *arg, int *wrong, bool *checked);

#endif
