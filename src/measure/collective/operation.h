/* The collective operations of MPI as a table, for everything that measures them by name.
 *
 * Each has a blocking and a non-blocking call with the same buffers. operation_prepare() makes
 * calls with MPI_BYTE (Gracia et al., 4.1), reductions by MPI_BXOR, and fills the buffers so that
 * the correct result is known: operation_check() finds an operation that did not do its work. The
 * argument BYTES is the size of one block: the whole message of a broadcast, reduce, allreduce or
 * scan; what each rank contributes to a gather or allgather; what goes to each rank in a scatter,
 * alltoall or reduce-scatter; what goes to each neighbour; a barrier has none. */
#pragma once

#include "base/names.h"
#include "measure/latency/latency.h"
#include "trees/bcast.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

struct operation_call;

/* A user's own implementation of an operation: the function "collective" of a shared object. It
 * does what the library's blocking operation does with blocks of COUNT elements; arguments that the
 * operation does not have are NULL or 0. It returns an MPI error code. */
typedef int collective_run(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                           int root, MPI_Comm comm);

/* What a buffer holds: nothing, one block, a block for each rank, or one for each neighbour. */
enum operation_extent { EXTENT_NONE, EXTENT_BLOCK, EXTENT_BLOCKS, EXTENT_NEIGHBORS };

/* Each rank has four neighbours, as for a five-point stencil on a torus: the ranks at distance 1
 * and at distance sqrt(P), rounded, in both directions, modulo the number P of ranks. */
enum { NEIGHBORS = 4 };

#define OPERATION_PERSISTENT "persistent-"

struct operation {
    const char *name;                   /* as in --operation=NAME: "broadcast" */
    const char *twin, *persistent_name; /* "ibroadcast", "persistent-broadcast" */
    const char *mpi_name;               /* the blocking function: "MPI_Bcast" */
    enum collective_kind kind;
    /* What each buffer holds. In an operation from the root only the root has a send buffer; in one
     * to the root, a receive buffer. */
    enum operation_extent send, recv;
    bool reduces;
    int (*call)(const struct operation_call *c);
    int (*start)(const struct operation_call *c, MPI_Request *request);
    int (*init)(const struct operation_call *c,
                MPI_Request *request); /* makes a persistent request; NULL: not in this library */
};

/* The operations of Gracia et al., barrier, broadcast, gather, allgather, allreduce, then reduce,
 * scatter, alltoall, reduce-scatter, scan, neighbor-allgather, neighbor-alltoall. */
extern const struct operation operations[];
extern const size_t n_operations;

/* Finds an operation by our name or MPI's ("bcast", "MPI_Allreduce"); NULL if there is none. *TWIN
 * (may be NULL) is set to whether the name was that of the non-blocking form ("ibroadcast"). */
const struct operation *operation_find(const char *name, bool *twin);

static inline bool operation_is_rooted(const struct operation *o)
{
    return o->kind == COLLECTIVE_FROM_ROOT || o->kind == COLLECTIVE_TO_ROOT;
}

/* One operation with its buffers on this rank. A non-blocking one must be complete before the
 * same call is started again. */
struct operation_call {
    const struct operation *operation;
    MPI_Comm comm, topology; /* TOPOLOGY: the graph of neighbours */
    int rank, size, root;
    size_t bytes; /* of one block */
    unsigned char *send, *recv;
    size_t send_bytes, recv_bytes; /* sizes of this rank's buffers */
    int send_count, recv_count;    /* of MPI's call; reductions: only RECV_COUNT, RECV_TYPE, OP */
    MPI_Datatype send_type, recv_type;
    MPI_Op op;
    const struct bcast *by; /* for a broadcast by collprof's algorithm; NULL: the library's */
    collective_run *own; /* a user's implementation, called with BYTES, MPI_BYTE and MPI_BXOR, not
                            the counts and types above; NULL for the library's own */
    bool persistent;     /* operation_run() starts REQUEST and waits for it */
    MPI_Request request;
};

/* Fills C, and allocates and fills its buffers. Local, but collective over COMM if the operation
 * has neighbours. False if BYTES exceeds INT_MAX, memory is short or the library has no topologies.
 * In any case call operation_release(). */
bool operation_prepare(struct operation_call *c, const struct operation *o, MPI_Comm comm, int root,
                       size_t bytes);
void operation_release(struct operation_call *c);

/* Collective: makes C persistent (MPI_Bcast_init; then each run is MPI_Start and MPI_Wait). Returns
 * an MPI error code. The operation's INIT must not be NULL. */
int operation_persist(struct operation_call *c);

/* Puts known data into the send buffer, and bytes that are no result into the receive buffer. */
void operation_fill_buffers(const struct operation_call *c);

/* Whether the receive buffer holds the operation's correct result. Call it outside of the timed
 * part: it compares every byte. */
bool operation_check(const struct operation_call *c);

/* The latency_case for C, which must outlive it; the caller sets clock, plan, together, after,
 * ring_bytes and every. FRESH: the root rewrites its data before every operation. Then the data are
 * only in its own cache, like newly computed data; otherwise other ranks' caches may have them. */
struct latency_case operation_case(struct operation_call *c, bool fresh);

/* Makes the operation. Returns an MPI error code. */
static inline int operation_run(const struct operation_call *c)
{
    MPI_Request request = c->request; /* a copy suffices: MPI_Wait keeps a persistent request */
    if (c->persistent)
        return PMPI_Start(&request) ?: PMPI_Wait(&request, MPI_STATUS_IGNORE);
    if (c->own)
        return c->own(c->send, c->recv, (int)c->bytes, MPI_BYTE, MPI_BXOR, c->root, c->comm);
    return c->by ? c->by->run(c->recv, (int)c->bytes, MPI_BYTE, c->root, c->comm, c->by->arg)
                 : c->operation->call(c);
}
