/* The collective operations, as values: what the scenarios and the direct methods measure.
 *
 * Each has a blocking and a non-blocking call with the same buffers, data whose result is known,
 * and a check of it, so that nothing is ever timed that did not do its work. If nothing else is
 * said the data type is the byte (Gracia et al., 4.1), reductions are MPI_BXOR. BYTES is one block:
 * the whole message of a broadcast, reduce, allreduce or scan; what each rank contributes to a
 * gather or allgather; what goes to each rank in a scatter, alltoall or reduce-scatter; a barrier
 * has none.
 */
#ifndef COLLPROF_MEASURE_COLLECTIVE_OPERATION_H
#define COLLPROF_MEASURE_COLLECTIVE_OPERATION_H

#include "measure/collective/collective.h"
#include "trees/bcast.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

struct operation_call;
struct own_form; /* own.c */

enum operation_extent { EXTENT_NONE, EXTENT_BLOCK, EXTENT_BLOCKS /* one block per rank */ };

struct operation {
    const char *name;           /* as in --operation=NAME: "broadcast"; its twin is "ibroadcast" */
    const char *title;          /* as the paper prints it: "Broadcast" */
    const char *mpi_name;       /* "MPI_Bcast" */
    const char *mpi_twin;       /* "MPI_Ibcast" */
    bool rooted;                /* has a root */
    bool prefix;                /* a rank waits for those before it alone */
    enum operation_extent send; /* buffer needs, in blocks of BYTES */
    enum operation_extent recv;
    bool send_at_root, recv_at_root; /* that buffer is the root's alone */
    bool reduces;                    /* by an operation that combines two elements */
    int (*call)(const struct operation_call *c);
    int (*start)(const struct operation_call *c, MPI_Request *request);
    /* Element K of block BLOCK of this rank's receive buffer, as it must be; of others than
     * reductions. */
    unsigned char (*expected)(const struct operation_call *c, int block, size_t k);
};

/* barrier, broadcast, gather, allgather, allreduce (the paper's), then reduce, scatter,
 * alltoall, reduce-scatter, scan. */
extern const struct operation operations[];
extern const size_t n_operations;

/* NULL if there is none of that name. "ibroadcast" finds broadcast and sets *TWIN. */
const struct operation *operation_find(const char *name, bool *twin);

/* Whose exit needs whose entry. */
enum collective_kind operation_pattern(const struct operation *o);

/* What an element is: a number, or 32 bytes of every 64. How two are combined: by an operation of
 * MPI, or by one of ours that is not commutative and takes so long. */
enum operation_type { TYPE_BYTE, TYPE_INT, TYPE_DOUBLE, TYPE_STRIDED };
enum operation_op { OP_BXOR, OP_SUM, OP_MAX, OP_USER };
struct operation_data {
    int type, op; /* these */
    double cost;  /* of OP_USER: seconds a byte */
};
extern const char *const operation_types[], *const operation_ops[]; /* their names, then NULL */

/* The datatype of such an element: one of MPI's, or of TYPE_STRIDED one to be freed. False if MPI
 * has no room for it. A buffer of so many bytes takes operation_span() times as many in memory. */
bool operation_make_type(int type, MPI_Datatype *made);
static inline size_t operation_span(int type)
{
    return type == TYPE_STRIDED ? 2 : 1;
}

/* Bytes of data in one element: what a block's have to be a multiple of. */
size_t operation_element(int type);
/* Whether OP is for elements of that TYPE. */
bool operation_combines(int type, int op);

/* One operation with its buffers on this rank. A non-blocking one must be complete before the
 * same call is started again. */
struct operation_call {
    const struct operation *operation;
    MPI_Comm comm;
    int rank, size, root;
    struct operation_data data;
    MPI_Datatype type;
    MPI_Op op;
    size_t bytes;
    int count; /* the same, of TYPE */
    unsigned char *send, *recv;
    size_t send_bytes, recv_bytes; /* of data */
    const struct own_form *own;    /* NULL: the library's */
    const struct bcast *by;
    unsigned char *room;
};

/* Allocates, touches and fills the buffers. Local; false if BYTES does not fit a count of MPI or
 * memory is short: then nothing is held. Release what was prepared. */
bool operation_prepare(struct operation_call *c, const struct operation *o, MPI_Comm comm, int root,
                       size_t bytes);
/* The same with other data; false also if BYTES are no multiple of the element. There is one user's
 * operation at a time: all calls with OP_USER cost the same. */
bool operation_prepare_as(struct operation_call *c, const struct operation *o, MPI_Comm comm,
                          int root, size_t bytes, const struct operation_data *data);
void operation_release(struct operation_call *c);

/* Whether O has a form of our own over that tree: broadcast, and with those that fan in reduce,
 * allreduce and barrier (to rank 0 and back). There are no non-blocking ones. */
bool operation_has_own(const struct operation *o, const struct bcast *by);

/* From now on the prepared call is that form. False if memory is short, or the data is strided:
 * such a form copies so many bytes. */
bool operation_use_own(struct operation_call *c, const struct bcast *by);

/* Writes what this rank sends anew: as data that was just computed it is in no other cache. */
void operation_refresh(const struct operation_call *c);

/* Puts known data into the send buffer and clears the receive buffer. */
void operation_fill(const struct operation_call *c);

/* Whether the receive buffer holds what the operation must have brought. Takes size * bytes
 * steps at most; call it outside of what is timed. */
bool operation_check(const struct operation_call *c);

/* Both return an MPI error code. */
int operation_run_own(const struct operation_call *c);

static inline int operation_run(const struct operation_call *c)
{
    return c->own ? operation_run_own(c) : c->operation->call(c);
}

static inline int operation_start(const struct operation_call *c, MPI_Request *request)
{
    return c->operation->start(c, request);
}

#endif
