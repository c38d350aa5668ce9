#include "measure/collective/operation.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Test data: byte K of what rank FROM sends to rank TO. Neighbouring values of any argument give
 * different bytes, so that data from a wrong rank or offset are detected. */
static unsigned char element(int from, int to, size_t k)
{
    uint32_t x =
        (uint32_t)from * 0x9e3779b1u + (uint32_t)to * 0x85ebca77u + (uint32_t)k * 0x3243f6a9u;
    return (unsigned char)((x ^ x >> 15) * 0x2c1b3c6du >> 24);
}

#define SEND c->send, c->send_count, c->send_type
#define RECV c->recv, c->recv_count, c->recv_type
/* X(our name, blocking and non-blocking MPI function; enum collective_kind, enum operation_extent
 * of send and receive buffer, whether it reduces; arguments that all forms of the call share). */
#define OPERATIONS(X)                                                                              \
    X("barrier", Barrier, Ibarrier, ALL, NONE, NONE, false, c->comm)                               \
    X("broadcast", Bcast, Ibcast, FROM_ROOT, NONE, BLOCK, false, RECV, c->root, c->comm)           \
    X("gather", Gather, Igather, TO_ROOT, BLOCK, BLOCKS, false, SEND, RECV, c->root, c->comm)      \
    X("allgather", Allgather, Iallgather, ALL, BLOCK, BLOCKS, false, SEND, RECV, c->comm)          \
    X("allreduce", Allreduce, Iallreduce, ALL, BLOCK, BLOCK, true, c->send, RECV, c->op, c->comm)  \
    X("reduce", Reduce, Ireduce, TO_ROOT, BLOCK, BLOCK, true, c->send, RECV, c->op, c->root,       \
      c->comm)                                                                                     \
    X("scatter", Scatter, Iscatter, FROM_ROOT, BLOCKS, BLOCK, false, SEND, RECV, c->root, c->comm) \
    X("alltoall", Alltoall, Ialltoall, ALL, BLOCKS, BLOCKS, false, SEND, RECV, c->comm)            \
    X("reduce-scatter", Reduce_scatter_block, Ireduce_scatter_block, ALL, BLOCKS, BLOCK, true,     \
      c->send, RECV, c->op, c->comm)                                                               \
    X("scan", Scan, Iscan, PREFIX, BLOCK, BLOCK, true, c->send, RECV, c->op, c->comm)
#ifdef COLLPROF_SIMULATED /* SMPI aborts in MPI_Dist_graph_create_adjacent */
#define NEIGHBOR_OPERATIONS(X)
#else
#define NEIGHBOR_OPERATIONS(X)                                                                     \
    X("neighbor-allgather", Neighbor_allgather, Ineighbor_allgather, NEIGHBOURS, BLOCK, NEIGHBORS, \
      false, SEND, RECV, c->topology)                                                              \
    X("neighbor-alltoall", Neighbor_alltoall, Ineighbor_alltoall, NEIGHBOURS, NEIGHBORS,           \
      NEIGHBORS, false, SEND, RECV, c->topology)
#endif

#ifdef HAVE_MPI_PERSISTENT
#define DEFINE_INIT(function, ...)                                                                 \
    static int init_##function(const struct operation_call *c, MPI_Request *request)               \
    {                                                                                              \
        return PMPI_##function##_init(__VA_ARGS__, MPI_INFO_NULL, request);                        \
    }
#define INIT_OF(function) init_##function
#else
#define DEFINE_INIT(...)
#define INIT_OF(function) NULL
#endif
#define DEFINE(word, function, twin, kind, sends, receives, reduces, ...)                          \
    static int call_##function(const struct operation_call *c)                                     \
    {                                                                                              \
        return PMPI_##function(__VA_ARGS__);                                                       \
    }                                                                                              \
    static int start_##function(const struct operation_call *c, MPI_Request *request)              \
    {                                                                                              \
        return PMPI_##twin(__VA_ARGS__, request);                                                  \
    }                                                                                              \
    DEFINE_INIT(function, __VA_ARGS__)
OPERATIONS(DEFINE)
NEIGHBOR_OPERATIONS(DEFINE)

#define OPERATION(word, function, of_twin, of_kind, sends, receives, sums, ...)                    \
    {                                                                                              \
        .name = word, .twin = "i" word, .persistent_name = OPERATION_PERSISTENT word,              \
        .mpi_name = "MPI_" #function, .kind = COLLECTIVE_##of_kind, .send = EXTENT_##sends,        \
        .recv = EXTENT_##receives, .reduces = sums, .call = call_##function,                       \
        .start = start_##function, .init = INIT_OF(function)                                       \
    }
#define ROW(...) OPERATION(__VA_ARGS__),
const struct operation operations[] = {OPERATIONS(ROW) NEIGHBOR_OPERATIONS(ROW)};
const size_t n_operations = sizeof operations / sizeof *operations;

static bool is_called(const struct operation *o, const char *name)
{
    return !strcasecmp(name, o->name) || !strcasecmp(name, o->mpi_name + strlen("MPI_"));
}

const struct operation *operation_find(const char *name, bool *twin)
{
    const char *bare = strncasecmp(name, "MPI_", 4) ? name : name + 4;
    for (const struct operation *o = operations; o < operations + n_operations; o++) {
        const bool is_twin = (*bare == 'i' || *bare == 'I') && is_called(o, bare + 1);
        if (twin)
            *twin = is_twin;
        if (is_twin || is_called(o, bare))
            return o;
    }
    return NULL;
}

static bool has_several(enum operation_extent extent)
{
    return extent == EXTENT_BLOCKS || extent == EXTENT_NEIGHBORS;
}

/* Bytes of a buffer on this rank. In operations of kind AT_ROOT only the root has it. */
static size_t extent_bytes(const struct operation_call *c, enum operation_extent extent,
                           enum collective_kind at_root)
{
    const size_t blocks[] = {[EXTENT_NONE] = 0,
                             [EXTENT_BLOCK] = 1,
                             [EXTENT_BLOCKS] = (size_t)c->size,
                             [EXTENT_NEIGHBORS] = NEIGHBORS};
    return c->operation->kind == at_root && c->rank != c->root ? 0 : c->bytes * blocks[extent];
}

/* The rank to which this rank sends block BLOCK, or from which it receives this block. */
static int partner(const struct operation_call *c, enum operation_extent extent, int block)
{
    int row = (int)lround(sqrt(c->size));
    const int distance[NEIGHBORS] = {c->size - 1, 1, c->size - row, row};
    return extent == EXTENT_NEIGHBORS ? (c->rank + distance[block]) % c->size : block;
}

static void fill_block(const struct operation_call *c, unsigned char *buffer, int from, int to)
{
    for (size_t k = 0; k < c->bytes; k++)
        buffer[k] = element(from, to, k);
}

void operation_fill_buffers(const struct operation_call *c)
{
    for (int j = 0; c->bytes && (size_t)j * c->bytes < c->send_bytes; j++)
        fill_block(c, c->send + (size_t)j * c->bytes, c->rank, partner(c, c->operation->send, j));
    /* Not 0, which may be the correct result: a byte that was not delivered must be detected. */
    if (c->recv_bytes)
        memset(c->recv, 0xa5, c->recv_bytes);
    /* A broadcast has one buffer, RECV, which the root sends. */
    if (c->operation->send == EXTENT_NONE && c->rank == c->root && c->recv_bytes)
        fill_block(c, c->recv, c->root, 0);
}

static bool join_neighbors(struct operation_call *c)
{
    int partners[NEIGHBORS], weights[NEIGHBORS];
    for (int k = 0; k < NEIGHBORS; k++) {
        partners[k] = partner(c, EXTENT_NEIGHBORS, k);
        weights[k] = 1;
    }
    return PMPI_Dist_graph_create_adjacent(c->comm, NEIGHBORS, partners, weights, NEIGHBORS,
                                           partners, weights, MPI_INFO_NULL, 0,
                                           &c->topology) == MPI_SUCCESS;
}

bool operation_prepare(struct operation_call *c, const struct operation *o, MPI_Comm comm, int root,
                       size_t bytes)
{
    *c = (struct operation_call){.operation = o,
                                 .comm = comm,
                                 .topology = MPI_COMM_NULL,
                                 .root = root,
                                 .bytes = bytes,
                                 .send_count = (int)bytes,
                                 .recv_count = (int)bytes,
                                 .send_type = MPI_BYTE,
                                 .recv_type = MPI_BYTE,
                                 .op = MPI_BXOR};
    PMPI_Comm_rank(comm, &c->rank);
    PMPI_Comm_size(comm, &c->size);
    if (bytes > INT_MAX || (o->kind == COLLECTIVE_NEIGHBOURS && !join_neighbors(c)))
        return false;
    c->send_bytes = extent_bytes(c, o->send, COLLECTIVE_FROM_ROOT);
    c->recv_bytes = extent_bytes(c, o->recv, COLLECTIVE_TO_ROOT);
    c->send = c->send_bytes ? malloc(c->send_bytes) : NULL;
    c->recv = c->recv_bytes ? malloc(c->recv_bytes) : NULL;
    if ((c->send_bytes && !c->send) || (c->recv_bytes && !c->recv))
        return false;
    operation_fill_buffers(c);
    return true;
}

int operation_persist(struct operation_call *c)
{
    int error = c->operation->init(c, &c->request);
    c->persistent = error == MPI_SUCCESS;
    return error;
}

void operation_release(struct operation_call *c)
{
    if (c->persistent)
        PMPI_Request_free(&c->request);
    if (c->topology != MPI_COMM_NULL)
        PMPI_Comm_free(&c->topology);
    free(c->send);
    free(c->recv);
    c->send = c->recv = NULL;
    c->send_bytes = c->recv_bytes = 0;
}

/* Byte K of block BLOCK that this rank must have received. Where a rank sends the same block to all
 * ranks, the block has the test data for rank 0. */
static unsigned char expected(const struct operation_call *c, int block, size_t k)
{
    const struct operation *o = c->operation;
    const int to = has_several(o->send) ? c->rank : 0;
    unsigned char all = 0;
    if (!o->reduces)
        return element(has_several(o->recv) ? partner(c, o->recv, block) : c->root, to, k);
    for (int r = 0; r < (o->kind == COLLECTIVE_PREFIX ? c->rank + 1 : c->size); r++)
        all ^= element(r, to, k);
    return all;
}

bool operation_check(const struct operation_call *c)
{
    for (size_t j = 0; j < c->recv_bytes; j++)
        if (c->recv[j] != expected(c, (int)(j / c->bytes), j % c->bytes))
            return false;
    return true;
}

/* --- the operation as a latency_case --- */

/* Makes the operation with root ROOT: the methods "rounds" and "imb" use each rank in turn. */
static int run(void *arg, int root)
{
    struct operation_call c = *(const struct operation_call *)arg;
    c.root = root;
    return operation_run(&c);
}

/* The root writes to every cache line of its data, which removes the line from other caches. */
static void rewrite(void *arg)
{
    enum { LINE = 64 };
    const struct operation_call *c = arg;
    volatile unsigned char *data = c->recv;
    const size_t n = c->rank == c->root ? c->recv_bytes : 0;
    for (size_t i = 0; i < n; i += LINE)
        data[i] = data[i];
    if (n > 0)
        data[n - 1] = data[n - 1];
    /* Completes all stores now: otherwise the timed operation would wait for them. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static int check(void *arg, int *wrong)
{
    const struct operation_call *c = arg;
    operation_fill_buffers(c);
    int mine = operation_run(c) != MPI_SUCCESS || !operation_check(c);
    return PMPI_Allreduce(&mine, wrong, 1, MPI_INT, MPI_SUM, c->comm);
}

struct latency_case operation_case(struct operation_call *c, bool fresh)
{
    return (struct latency_case){.comm = c->comm,
                                 .run = run,
                                 .before = fresh ? rewrite : NULL,
                                 .check = check,
                                 .arg = c,
                                 .kind = c->operation->kind,
                                 .root = operation_is_rooted(c->operation) ? c->root : 0};
}
