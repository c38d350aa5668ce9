/* The application's collective once more: the same operation, types, counts and reduction
 * operation, on copies of its buffers and on another communicator of the same members. */
#ifndef COLLPROF_INJECT_AGAIN_H
#define COLLPROF_INJECT_AGAIN_H

#include "measure/collective/collective.h"

#include <mpi.h>
#include <stdbool.h>

/* What a collective is called with, as far as its arguments say it; what it does not have is 0. */
struct operands {
    const void *send;
    void *receive;
    MPI_Count send_count, receive_count; /* of a reduction: SEND_COUNT */
    const int *send_counts, *send_displs, *receive_counts, *receive_displs;
    MPI_Datatype send_type, receive_type; /* of a reduction: SEND_TYPE */
    const MPI_Datatype *send_types, *receive_types;
    MPI_Op op;
};

struct again_kind;

/* One operation with copies on this rank. */
struct again {
    const struct again_kind *kind;
    struct operands on; /* the copies */
    MPI_Comm comm;
    int rank, size, root;
    void *held[2]; /* to be freed */
};

/* NULL if OPERATION (a number of wrappers/operations.h) is none that can be done again. */
const struct again_kind *again_find(unsigned operation);
/* MPI_Allreduce on some ranks is the operation that is MPI_Allreduce_c on others: the first. */
unsigned again_plain(unsigned operation);
/* Whether its members may give it different amounts of data. */
bool again_varies(const struct again_kind *kind);

/* Copies what the application's buffers hold, with the same place in a page, by messages to
 * itself on COMM. Local; false if it cannot be (absolute addresses, data that are spread too far,
 * no memory). Release in any case. ROOT: -1 if there is none. */
bool again_prepare(struct again *a, const struct again_kind *kind, const struct operands *from,
                   int root, MPI_Comm comm);
void again_release(struct again *a);

/* ARG: a struct again. Returns an MPI error code. */
int again_run(void *arg);

#endif
