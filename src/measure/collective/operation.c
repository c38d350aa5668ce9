#include "measure/collective/operation_inner.h"
#include "measure/crew.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The data: byte K of what rank FROM sends to rank TO. Neighbours differ in all three. */
static unsigned char element(int from, int to, size_t k)
{
    uint32_t x =
        (uint32_t)from * 0x9e3779b1u + (uint32_t)to * 0x85ebca77u + (uint32_t)k * 0x3243f6a9u;
    return (unsigned char)((x ^ x >> 15) * 0x2c1b3c6du >> 24);
}

/* What each operation must have brought. A send buffer of one block is addressed to rank 0. */
static unsigned char from_root(const struct operation_call *c, int block, size_t k)
{
    (void)block;
    return element(c->root, 0, k);
}

static unsigned char from_each(const struct operation_call *c, int block, size_t k)
{
    (void)c;
    return element(block, 0, k);
}

static unsigned char from_root_to_me(const struct operation_call *c, int block, size_t k)
{
    (void)block;
    return element(c->root, c->rank, k);
}

static unsigned char from_each_to_me(const struct operation_call *c, int block, size_t k)
{
    return element(block, c->rank, k);
}

/* A call and its twin differ in the function's name and the request alone. */
#define CALLS(name, function, twin, ...)                                                           \
    static int call_##name(const struct operation_call *c)                                         \
    {                                                                                              \
        return function(__VA_ARGS__ c->comm);                                                      \
    }                                                                                              \
    static int start_##name(const struct operation_call *c, MPI_Request *request)                  \
    {                                                                                              \
        return twin(__VA_ARGS__ c->comm, request);                                                 \
    }
#define SEND c->send, c->count, c->type
#define RECV c->recv, c->count, c->type

CALLS(barrier, PMPI_Barrier, PMPI_Ibarrier, )
CALLS(broadcast, PMPI_Bcast, PMPI_Ibcast, RECV, c->root, )
CALLS(gather, PMPI_Gather, PMPI_Igather, SEND, RECV, c->root, )
CALLS(allgather, PMPI_Allgather, PMPI_Iallgather, SEND, RECV, )
CALLS(allreduce, PMPI_Allreduce, PMPI_Iallreduce, c->send, RECV, c->op, )
CALLS(reduce, PMPI_Reduce, PMPI_Ireduce, c->send, RECV, c->op, c->root, )
CALLS(scatter, PMPI_Scatter, PMPI_Iscatter, SEND, RECV, c->root, )
CALLS(alltoall, PMPI_Alltoall, PMPI_Ialltoall, SEND, RECV, )
CALLS(reduce_scatter, PMPI_Reduce_scatter_block, PMPI_Ireduce_scatter_block, c->send, RECV, c->op, )
CALLS(scan, PMPI_Scan, PMPI_Iscan, c->send, RECV, c->op, )

#define NAMED(id, word, what, function, twin)                                                      \
    .name = word, .title = what, .mpi_name = function, .mpi_twin = twin, .call = call_##id,        \
    .start = start_##id

const struct operation operations[] = {
    {NAMED(barrier, "barrier", "Barrier", "MPI_Barrier", "MPI_Ibarrier")},
    {NAMED(broadcast, "broadcast", "Broadcast", "MPI_Bcast", "MPI_Ibcast"), .rooted = true,
     .recv = EXTENT_BLOCK, .expected = from_root},
    {NAMED(gather, "gather", "Gather", "MPI_Gather", "MPI_Igather"), .rooted = true,
     .send = EXTENT_BLOCK, .recv = EXTENT_BLOCKS, .recv_at_root = true, .expected = from_each},
    {NAMED(allgather, "allgather", "Allgather", "MPI_Allgather", "MPI_Iallgather"),
     .send = EXTENT_BLOCK, .recv = EXTENT_BLOCKS, .expected = from_each},
    {NAMED(allreduce, "allreduce", "Allreduce", "MPI_Allreduce", "MPI_Iallreduce"),
     .send = EXTENT_BLOCK, .recv = EXTENT_BLOCK, .reduces = true},
    {NAMED(reduce, "reduce", "Reduce", "MPI_Reduce", "MPI_Ireduce"), .rooted = true,
     .send = EXTENT_BLOCK, .recv = EXTENT_BLOCK, .recv_at_root = true, .reduces = true},
    {NAMED(scatter, "scatter", "Scatter", "MPI_Scatter", "MPI_Iscatter"), .rooted = true,
     .send = EXTENT_BLOCKS, .send_at_root = true, .recv = EXTENT_BLOCK,
     .expected = from_root_to_me},
    {NAMED(alltoall, "alltoall", "Alltoall", "MPI_Alltoall", "MPI_Ialltoall"),
     .send = EXTENT_BLOCKS, .recv = EXTENT_BLOCKS, .expected = from_each_to_me},
    {NAMED(reduce_scatter, "reduce-scatter", "Reduce-scatter", "MPI_Reduce_scatter_block",
           "MPI_Ireduce_scatter_block"),
     .send = EXTENT_BLOCKS, .recv = EXTENT_BLOCK, .reduces = true},
    {NAMED(scan, "scan", "Scan", "MPI_Scan", "MPI_Iscan"), .prefix = true, .send = EXTENT_BLOCK,
     .recv = EXTENT_BLOCK, .reduces = true},
};
const size_t n_operations = sizeof operations / sizeof *operations;

const struct operation *operation_find(const char *name, bool *twin)
{
    for (size_t i = 0; i < n_operations; i++) {
        bool is = strcmp(name, operations[i].name) == 0;
        bool is_twin = name[0] == 'i' && strcmp(name + 1, operations[i].name) == 0;
        if (is || is_twin) {
            *twin = is_twin;
            return &operations[i];
        }
    }
    return NULL;
}

enum collective_kind operation_pattern(const struct operation *o)
{
    if (!o->rooted)
        return o->prefix ? COLLECTIVE_PREFIX : COLLECTIVE_ALL;
    return o->recv_at_root ? COLLECTIVE_TO_ROOT : COLLECTIVE_FROM_ROOT;
}

static size_t extent_bytes(enum operation_extent extent, bool at_root, size_t bytes, int rank,
                           int size, int root)
{
    if (extent == EXTENT_NONE || (at_root && rank != root))
        return 0;
    return extent == EXTENT_BLOCKS ? bytes * (size_t)size : bytes;
}

static void fill_block(const struct operation_call *c, unsigned char *buffer, int from, int to)
{
    for (size_t k = 0; k < c->bytes / operation_width(c); k++)
        operation_put(c, buffer, k, element(from, to, k));
}

void operation_fill(const struct operation_call *c)
{
    size_t block = operation_laid(c, c->bytes);
    for (int j = 0; block && (size_t)j * c->bytes < c->send_bytes; j++)
        fill_block(c, c->send + (size_t)j * block, c->rank, j);
    /* Not zero: an operation that brings nothing must not pass for one that brings zeros. */
    if (c->recv_bytes)
        memset(c->recv, 0xa5, operation_laid(c, c->recv_bytes));
    /* A broadcast has one buffer, which is the root's to fill. */
    if (c->operation->send == EXTENT_NONE && c->rank == c->root && c->recv_bytes)
        fill_block(c, c->recv, c->root, 0);
}

void operation_refresh(const struct operation_call *c)
{
    bool sends = c->operation->send != EXTENT_NONE;
    if (sends)
        crew_write_anew(c->send, operation_laid(c, c->send_bytes));
    else if (c->rank == c->root)
        crew_write_anew(c->recv, operation_laid(c, c->recv_bytes));
}

static unsigned char *room_for(const struct operation_call *c, size_t bytes)
{
    return bytes ? calloc(operation_laid(c, bytes), 1) : NULL;
}

bool operation_prepare_as(struct operation_call *c, const struct operation *o, MPI_Comm comm,
                          int root, size_t bytes, const struct operation_data *data)
{
    *c = (struct operation_call){.operation = o, .comm = comm, .root = root, .data = *data};
    PMPI_Comm_rank(comm, &c->rank);
    PMPI_Comm_size(comm, &c->size);
    if (bytes > INT_MAX || bytes % operation_element(data->type) ||
        !operation_make_type(data->type, &c->type) || !operation_take_op(c))
        return false;
    c->bytes = bytes;
    c->count = (int)(bytes / operation_element(data->type));
    c->send_bytes = extent_bytes(o->send, o->send_at_root, bytes, c->rank, c->size, root);
    c->recv_bytes = extent_bytes(o->recv, o->recv_at_root, bytes, c->rank, c->size, root);
    c->send = room_for(c, c->send_bytes);
    c->recv = room_for(c, c->recv_bytes);
    if ((c->send_bytes && !c->send) || (c->recv_bytes && !c->recv)) {
        operation_release(c);
        return false;
    }
    operation_fill(c);
    return true;
}

bool operation_prepare(struct operation_call *c, const struct operation *o, MPI_Comm comm, int root,
                       size_t bytes)
{
    return operation_prepare_as(c, o, comm, root, bytes, &(struct operation_data){0});
}

void operation_release(struct operation_call *c)
{
    if (c->data.type == TYPE_STRIDED)
        PMPI_Type_free(&c->type);
    if (c->data.op == OP_USER)
        PMPI_Op_free(&c->op);
    free(c->send);
    free(c->recv);
    free(c->room);
    c->send = c->recv = c->room = NULL;
    c->send_bytes = c->recv_bytes = 0;
}

/* What a reduction must have brought, one contribution after the other. */
static bool reduced(const struct operation_call *c, unsigned char *all, unsigned char *one)
{
    int until = c->operation->prefix ? c->rank + 1 : c->size;
    int to = c->operation->send == EXTENT_BLOCKS ? c->rank : 0;
    double cost = operation_set_cost(0);
    bool good = true;
    fill_block(c, all, until - 1, to);
    for (int r = until - 2; r >= 0; r--) {
        fill_block(c, one, r, to);
        good = PMPI_Reduce_local(one, all, c->count, c->type, c->op) == MPI_SUCCESS && good;
    }
    operation_set_cost(cost);
    return good;
}

bool operation_check(const struct operation_call *c)
{
    size_t w = operation_width(c), in_block = c->bytes / w;
    if (c->recv_bytes == 0)
        return true;
    unsigned char *all = room_for(c, c->bytes), *one = room_for(c, c->bytes);
    bool good = all && one && (!c->operation->reduces || reduced(c, all, one));
    for (size_t j = 0; good && j < c->recv_bytes / w; j++) {
        size_t k = j % in_block;
        if (!c->operation->reduces)
            operation_put(c, all, k, c->operation->expected(c, (int)(j / in_block), k));
        good = memcmp(c->recv + operation_laid(c, j * w), all + operation_laid(c, k * w), w) == 0;
    }
    free(all);
    free(one);
    return good;
}
