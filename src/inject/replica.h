/* A replica of the application's collective: the same operation, types, counts, reduction operation
 * and send buffer, but with a receive buffer of its own and on another communicator of the same
 * members. Benchmark mode measures it, so the application's data are read and never written. */
#ifndef COLLPROF_INJECT_REPLICA_H
#define COLLPROF_INJECT_REPLICA_H

#include "measure/latency/latency.h"

#include <mpi.h>
#include <stdbool.h>

/* The arguments of a collective; 0 for those that it does not have. */
struct operands {
    const void *send;
    void *receive;
    MPI_Count send_count, receive_count;  /* for reductions: SEND_COUNT */
    MPI_Datatype send_type, receive_type; /* for reductions: SEND_TYPE */
    MPI_Op op;
};

struct replica_kind;

/* An operation and this rank's arguments. */
struct replica {
    const struct replica_kind *kind;
    struct operands on;
    MPI_Comm comm;
    int rank, size, root;
    void *held; /* receive buffer to be freed */
};

/* NULL if OPERATION (a number of record/operations.h) has no replica. Operations in which members
 * may give different amounts of data, such as MPI_Gatherv, have none. */
const struct replica_kind *replica_find(unsigned operation);
/* The operation without its suffix: some ranks may call MPI_Allreduce, others MPI_Allreduce_c. */
unsigned replica_plain(unsigned operation);

/* Prepares a replica; local. Its receive buffer has the same offset within a page as the
 * application's. ROOT: -1 if there is none. The application's arguments must remain valid. False
 * for absolute addresses, data spread over more than 4 times their size, or no memory. Call
 * replica_free() in any case. */
bool replica_make(struct replica *a, const struct replica_kind *kind, const struct operands *from,
                  int root, MPI_Comm comm);
void replica_free(struct replica *a);

/* Whether TYPE is contiguous without holes. Predefined types are, except those for MPI_MINLOC and
 * the like. */
bool type_is_plain(MPI_Datatype type);

/* How to measure A; all ranks enter together. A must remain valid. */
struct latency_case replica_case(struct replica *a);

#endif
