/* A replica of the application's collective: the same operation, types, counts, reduction operation
 * and send buffer, but with a receive buffer of its own and on another communicator of the same
 * members. Benchmark mode measures it, so the application's data are read and never written. */
#pragma once

#include "measure/collective/operation.h"

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

/* An operation and this rank's arguments. */
struct replica {
    struct operation_call call;
    void *held; /* receive buffer to be freed */
};

/* OPERATION is a number of record/operations.h. Some ranks may call MPI_Allreduce, others
 * MPI_Allreduce_c: they are one operation. NULL if it cannot be replicated, as where members may
 * give different amounts of data (MPI_Gatherv). */
const struct operation *replica_find(unsigned operation);

/* Prepares a replica; local. Its receive buffer has the same offset within a page as the
 * application's. ROOT: -1 if there is none. The application's arguments must remain valid. False
 * for absolute addresses, data spread over more than 4 times their size, or no memory. Call
 * replica_free() in any case. */
bool replica_make(struct replica *a, const struct operation *o, const struct operands *from,
                  int root, MPI_Comm comm);
void replica_free(struct replica *a);

/* Whether TYPE is contiguous without holes. Predefined types are, except those for MPI_MINLOC and
 * the like. */
bool type_is_plain(MPI_Datatype type);
