/* A replica of the application's collective: the same operation, types, counts, reduction operation
 * and send buffer, on a receive buffer of its own and on another communicator of the same members.
 * Benchmark mode measures it, so that the application's data are read, and never written. */
#ifndef COLLPROF_INJECT_REPLICA_H
#define COLLPROF_INJECT_REPLICA_H

#include <mpi.h>
#include <stdbool.h>

/* The arguments of a collective; 0 where it has none. */
struct operands {
    const void *send;
    void *receive;
    MPI_Count send_count, receive_count;  /* of a reduction: SEND_COUNT */
    MPI_Datatype send_type, receive_type; /* of a reduction: SEND_TYPE */
    MPI_Op op;
};

struct replica_kind;

/* An operation and this rank's arguments. */
struct replica {
    const struct replica_kind *kind;
    struct operands on;
    MPI_Comm comm;
    int rank, size, root;
    void *held; /* to be freed */
};

/* NULL if there is no replica of OPERATION (a number of record/operations.h): not where members may
 * give different amounts of data, as to MPI_Gatherv. */
const struct replica_kind *replica_find(unsigned operation);
/* The operation without its suffix: ranks may call MPI_Allreduce and MPI_Allreduce_c together. */
unsigned replica_plain(unsigned operation);

/* The receive buffer is at the same offset within a page as the application's. Local. ROOT: -1 if
 * there is none. False if it cannot be made: absolute addresses, data spread over more than 4 times
 * their size, no memory. The application's arguments must stay. To be freed by replica_free() in
 * any case. */
bool replica_make(struct replica *a, const struct replica_kind *kind, const struct operands *from,
                  int root, MPI_Comm comm);
void replica_free(struct replica *a);

/* Runs the operation once. ARG: a struct replica. Returns an MPI error code. */
int replica_run(void *arg);

#endif
