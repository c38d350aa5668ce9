/* A replica of an application's collective, for measuring it: the same operation, types, counts,
 * reduction operation and send buffer, but a receive buffer of its own, and another communicator of
 * the same members. So a measurement only reads the application's data. */
#pragma once

#include "measure/collective/operation.h"

#include <mpi.h>
#include <stdbool.h>

/* The arguments of a collective; 0 for those that the collective does not have. */
struct operands {
    const void *send;
    void *receive;
    MPI_Count send_count, receive_count;  /* for reductions: SEND_COUNT */
    MPI_Datatype send_type, receive_type; /* for reductions: SEND_TYPE */
    MPI_Op op;
};

struct replica {
    struct operation_call call; /* the operation and this rank's arguments */
    void *held;                 /* the allocated receive buffer, or NULL */
};

/* The operation of MPI function OPERATION (its number in record/operations.h), such as
 * MPI_Allreduce for MPI_Allreduce_c: ranks may mix the two. NULL if it cannot be replicated, for
 * example because each member has a count of its own (MPI_Gatherv). */
const struct operation *replica_find(unsigned operation);

/* Makes a replica of O with the arguments FROM, which must remain valid; local. Its receive buffer
 * has the application's offset within a page, on which transfer rates depend. ROOT: -1 if there is
 * none. False for absolute addresses (MPI_BOTTOM), for a receive buffer larger than 4 times its
 * data + 1 MiB, and without memory. Call replica_free() in any case. */
bool replica_make(struct replica *a, const struct operation *o, const struct operands *from,
                  int root, MPI_Comm comm);
void replica_free(struct replica *a);

/* Whether TYPE is predefined and without holes, as all are except pairs such as MPI_DOUBLE_INT. */
bool type_is_plain(MPI_Datatype type);
