/* The collective operations, as values: what the scenarios and the direct methods measure.
 *
 * Each has a blocking and a non-blocking call with the same buffers. operation_prepare() makes
 * calls of bytes (Gracia et al., 4.1), reductions by MPI_BXOR; only for these are there data whose
 * result is known, and a check of it, so that nothing is timed that did not do its work. BYTES is
 * one block: the whole message of a broadcast, reduce, allreduce or scan; what each rank
 * contributes to a gather or allgather; what goes to each rank in a scatter, alltoall or
 * reduce-scatter; what goes to each neighbour; a barrier has none. */
#pragma once

#include "base/names.h"
#include "measure/latency/latency.h"
#include "trees/bcast.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

struct operation_call;

/* The one function of a shared object with a collective operation of one's own, "collective". It
 * does what the library's blocking operation does with COUNT elements of one block (see above);
 * arguments that the operation does not have are NULL or 0. It returns an MPI error code. */
typedef int collective_run(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op,
                           int root, MPI_Comm comm);

/* BLOCKS: one for each rank. */
enum operation_extent { EXTENT_NONE, EXTENT_BLOCK, EXTENT_BLOCKS, EXTENT_NEIGHBORS };

/* The neighbours of a rank are those at these distances, modulo the number of ranks: 1 and a row of
 * a square in both directions, as for a five-point stencil on a torus. */
enum { NEIGHBORS = 4 };

#define OPERATION_PERSISTENT "persistent-"

struct operation {
    const char *name;                   /* as in --operation=NAME: "broadcast" */
    const char *twin, *persistent_name; /* "ibroadcast", "persistent-broadcast" */
    const char *mpi_name;               /* "MPI_Bcast"; its twin is "MPI_Ibcast" */
    enum collective_kind kind;
    /* What each buffer holds. That of the ranks' many blocks, or of a reduction's result, is the
     * root's alone if the kind has a root. */
    enum operation_extent send, recv;
    bool reduces;
    int (*call)(const struct operation_call *c);
    int (*start)(const struct operation_call *c, MPI_Request *request);
    int (*init)(const struct operation_call *c,
                MPI_Request *request); /* of the persistent form; NULL if the library lacks it */
};

/* barrier, broadcast, gather, allgather, allreduce (the paper's), then reduce, scatter,
 * alltoall, reduce-scatter, scan, neighbor-allgather, neighbor-alltoall. */
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
    MPI_Comm comm, topology; /* TOPOLOGY: of the same ranks; only for neighbours */
    int rank, size, root;
    size_t bytes;
    unsigned char *send, *recv;
    size_t send_bytes, recv_bytes;
    int send_count, recv_count; /* as in MPI; reductions: only RECV_COUNT, RECV_TYPE and OP */
    MPI_Datatype send_type, recv_type;
    MPI_Op op;
    const struct bcast *by; /* the tree of a broadcast; NULL for the library's own */
    collective_run *own;    /* another implementation, which gets BYTES bytes and MPI_BXOR, not the
                               counts and types above; NULL for the library's own */
    bool persistent;        /* operation_run() starts REQUEST and waits for it */
    MPI_Request request;
};

/* Allocates, touches and fills the buffers. Local, but collective over COMM if the operation has
 * neighbours. False if BYTES exceeds a count of MPI, memory is short or the library has no
 * topologies. In any case call operation_release(). */
bool operation_prepare(struct operation_call *c, const struct operation *o, MPI_Comm comm, int root,
                       size_t bytes);
void operation_release(struct operation_call *c);

/* Collective: makes C persistent (MPI_Bcast_init; then each run is MPI_Start and MPI_Wait). Returns
 * an MPI error code. The operation must have init(). */
int operation_persist(struct operation_call *c);

/* Puts known data into the send buffer and clears the receive buffer. This and the check are for
 * calls of operation_prepare(). */
void operation_fill_buffers(const struct operation_call *c);

/* Whether the receive buffer holds what the operation must have delivered. Costs at most size *
 * bytes steps, so call it outside of the timed part. */
bool operation_check(const struct operation_call *c);

/* The latency_case for C, which must outlive it; the caller sets clock, plan, together, after,
 * ring_bytes and every. FRESH: the root rewrites its data before every operation, so that they are
 * in its own cache as freshly computed data are; unchanged data may already be in caches of other
 * ranks. */
struct latency_case operation_case(struct operation_call *c, bool fresh);

/* Returns an MPI error code. */
static inline int operation_run(const struct operation_call *c)
{
    MPI_Request request = c->request; /* the same again when it is complete */
    if (c->persistent)
        return PMPI_Start(&request) ?: PMPI_Wait(&request, MPI_STATUS_IGNORE);
    if (c->own)
        return c->own(c->send, c->recv, (int)c->bytes, MPI_BYTE, MPI_BXOR, c->root, c->comm);
    return c->by ? c->by->run(c->recv, (int)c->bytes, MPI_BYTE, c->root, c->comm, c->by->arg)
                 : c->operation->call(c);
}
