#include "inject/replica.h"

#include "record/operations.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* How much of a buffer a rank has. */
enum shape {
    NONE,
    ONCE,  /* the count, once */
    TIMES, /* the count, once for each member */
    PARTS, /* counts and displacements for each member; without displacements one after another */
    OWN    /* of counts for each member this rank's */
};

struct replica_kind {
    unsigned operation;
    enum shape send, receive;
    bool send_at_root, receive_at_root; /* that buffer is the root's alone */
    int (*run)(const struct operands *o, int root, MPI_Comm comm);
};

/* --- the calls --- */

#define RUN(name, call)                                                                            \
    static int name(const struct operands *o, int root, MPI_Comm comm)                             \
    {                                                                                              \
        (void)o, (void)root;                                                                       \
        return call;                                                                               \
    }
#define SEND o->send, (int)o->send_count, o->send_type
#define SENDS o->send, o->send_counts, o->send_displs, o->send_type
#define RECEIVE o->receive, (int)o->receive_count, o->receive_type
#define RECEIVES o->receive, o->receive_counts, o->receive_displs, o->receive_type
#define REDUCE o->send, o->receive, (int)o->send_count, o->send_type, o->op

RUN(barrier, PMPI_Barrier(comm))
RUN(allreduce, PMPI_Allreduce(REDUCE, comm))
RUN(reduce, PMPI_Reduce(REDUCE, root, comm))
RUN(scan, PMPI_Scan(REDUCE, comm))
RUN(exscan, PMPI_Exscan(REDUCE, comm))
RUN(reduce_scatter,
    PMPI_Reduce_scatter(o->send, o->receive, o->send_counts, o->send_type, o->op, comm))
RUN(reduce_scatter_block, PMPI_Reduce_scatter_block(REDUCE, comm))
RUN(gather, PMPI_Gather(SEND, RECEIVE, root, comm))
RUN(gatherv, PMPI_Gatherv(SEND, RECEIVES, root, comm))
RUN(scatter, PMPI_Scatter(SEND, RECEIVE, root, comm))
RUN(scatterv, PMPI_Scatterv(SENDS, RECEIVE, root, comm))
RUN(allgather, PMPI_Allgather(SEND, RECEIVE, comm))
RUN(allgatherv, PMPI_Allgatherv(SEND, RECEIVES, comm))
RUN(alltoall, PMPI_Alltoall(SEND, RECEIVE, comm))
RUN(alltoallv, PMPI_Alltoallv(SENDS, RECEIVES, comm))
RUN(alltoallw, PMPI_Alltoallw(o->send, o->send_counts, o->send_displs, o->send_types, o->receive,
                              o->receive_counts, o->receive_displs, o->receive_types, comm))

static const struct replica_kind kinds[] = {
    {OP_Barrier, NONE, NONE, false, false, barrier},
    {OP_Allreduce, ONCE, ONCE, false, false, allreduce},
    {OP_Reduce, ONCE, ONCE, false, true, reduce},
    {OP_Scan, ONCE, ONCE, false, false, scan},
    {OP_Exscan, ONCE, ONCE, false, false, exscan},
    {OP_Reduce_scatter, PARTS, OWN, false, false, reduce_scatter},
    {OP_Reduce_scatter_block, TIMES, ONCE, false, false, reduce_scatter_block},
    {OP_Gather, ONCE, TIMES, false, true, gather},
    {OP_Gatherv, ONCE, PARTS, false, true, gatherv},
    {OP_Scatter, TIMES, ONCE, true, false, scatter},
    {OP_Scatterv, PARTS, ONCE, true, false, scatterv},
    {OP_Allgather, ONCE, TIMES, false, false, allgather},
    {OP_Allgatherv, ONCE, PARTS, false, false, allgatherv},
    {OP_Alltoall, TIMES, TIMES, false, false, alltoall},
    {OP_Alltoallv, PARTS, PARTS, false, false, alltoallv},
    {OP_Alltoallw, PARTS, PARTS, false, false, alltoallw},
#ifdef HAVE_MPI_Allreduce_c
    {OP_Allreduce_c, ONCE, ONCE, false, false, allreduce},
    {OP_Reduce_c, ONCE, ONCE, false, true, reduce},
    {OP_Scan_c, ONCE, ONCE, false, false, scan},
    {OP_Exscan_c, ONCE, ONCE, false, false, exscan},
    {OP_Reduce_scatter_block_c, TIMES, ONCE, false, false, reduce_scatter_block},
    {OP_Gather_c, ONCE, TIMES, false, true, gather},
    {OP_Scatter_c, TIMES, ONCE, true, false, scatter},
    {OP_Allgather_c, ONCE, TIMES, false, false, allgather},
    {OP_Alltoall_c, TIMES, TIMES, false, false, alltoall},
#endif
};

const struct replica_kind *replica_find(unsigned operation)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].operation == operation)
            return &kinds[i];
    return NULL;
}

unsigned replica_plain(unsigned operation)
{
    const struct replica_kind *kind = replica_find(operation), *plain = kinds;
#ifdef HAVE_MPI_Bcast_c
    if (operation == OP_Bcast_c)
        return OP_Bcast;
#endif
    while (kind && plain->run != kind->run)
        plain++;
    return kind ? plain->operation : operation;
}

bool replica_varies(const struct replica_kind *kind)
{
    return kind->send == PARTS || kind->receive == PARTS;
}

/* --- the copies --- */

/* The elements of a buffer, part by part. */
struct parts {
    enum shape shape;
    MPI_Count count;
    const int *counts, *displs;
    MPI_Datatype type;
    const MPI_Datatype *types; /* then displacements are in bytes */
};

struct part {
    int count;
    MPI_Datatype type;
    MPI_Aint offset, low, high; /* bytes from the buffer's address; LOW and HIGH of what it holds */
};

static int parts_of(const struct parts *p, int size)
{
    return p->shape == NONE ? 0 : p->shape == PARTS ? size : 1;
}

/* Part I; *NEXT is the element that follows the last part. False where it cannot be told. */
static bool part_of(const struct parts *p, int i, int rank, int size, MPI_Aint *next,
                    struct part *part)
{
    MPI_Aint bound, extent, first, span;
    MPI_Count count = p->shape == TIMES   ? p->count * size
                      : p->shape == PARTS ? p->counts[i]
                      : p->shape == OWN   ? p->counts[rank]
                                          : p->count;
    *part = (struct part){.count = (int)count, .type = p->types ? p->types[i] : p->type};
    if (count < 0 || count > INT_MAX)
        return false;
    if (count == 0)
        return true;
    if (part->type == MPI_DATATYPE_NULL || PMPI_Type_get_extent(part->type, &bound, &extent) ||
        PMPI_Type_get_true_extent(part->type, &first, &span) || extent < 0)
        return false;
    part->offset = !p->displs ? *next * extent : p->types ? p->displs[i] : p->displs[i] * extent;
    part->low = part->offset + first;
    part->high = part->low + span + (MPI_Aint)(count - 1) * extent;
    *next += (MPI_Aint)count;
    return true;
}

/* Bytes that a copy may have for every byte of data: a type may say that its parts are far from
 * each other, with memory between them that is not the application's. */
enum { PAGE = 4096, SPREAD_MOST = 4, SPREAD_FREE = 1 << 20 };

static bool range_of(const struct parts *p, int rank, int size, MPI_Aint *low, MPI_Aint *high)
{
    MPI_Aint next = 0, data = 0;
    bool any = false;
    *low = *high = 0;
    for (int i = 0; i < parts_of(p, size); i++) {
        struct part part;
        MPI_Count bytes;
        if (!part_of(p, i, rank, size, &next, &part))
            return false;
        if (part.count == 0)
            continue;
        PMPI_Type_size_x(part.type, &bytes);
        data += (MPI_Aint)bytes * part.count;
        *low = !any || part.low < *low ? part.low : *low;
        *high = !any || part.high > *high ? part.high : *high;
        any = true;
    }
    return *high - *low <= SPREAD_MOST * data + SPREAD_FREE;
}

/* The data go by messages to oneself, since a type may have holes that are not to be read. */
static bool fill(char *to, const char *from, const struct parts *p, const struct replica *a)
{
    MPI_Aint next = 0;
    for (int i = 0; i < parts_of(p, a->size); i++) {
        struct part part;
        if (!part_of(p, i, a->rank, a->size, &next, &part))
            return false;
        if (part.count &&
            PMPI_Sendrecv(from + part.offset, part.count, part.type, a->rank, 0, to + part.offset,
                          part.count, part.type, a->rank, 0, a->comm, MPI_STATUS_IGNORE))
            return false;
    }
    return true;
}

/* A buffer like FROM, for the elements of ROOM, with those of DATA (NULL: none) in it. *COPY is
 * the address to be given to MPI. */
static bool copy(void **copy, void **held, const void *from, const struct parts *room,
                 const struct parts *data, const struct replica *a)
{
    MPI_Aint low, high;
    if (parts_of(room, a->size) == 0) {
        *copy = NULL;
        return true;
    }
    if (!range_of(room, a->rank, a->size, &low, &high) || (!from && high > low))
        return false;
    size_t at = ((uintptr_t)from + (uintptr_t)low) % PAGE;
    if (posix_memalign(held, PAGE, at + (size_t)(high - low) + 1))
        return false;
    memset(*held, 0, at + (size_t)(high - low) + 1);
    *copy = (char *)*held + at - low;
    return !data || fill(*copy, from, data, a);
}

bool replica_make(struct replica *a, const struct replica_kind *kind, const struct operands *from,
                  int root, MPI_Comm comm)
{
    *a = (struct replica){.kind = kind, .on = *from, .comm = comm, .root = root < 0 ? 0 : root};
    PMPI_Comm_rank(comm, &a->rank);
    PMPI_Comm_size(comm, &a->size);
    bool reduction = from->op != MPI_OP_NULL;
    struct parts send = {kind->send,        from->send_count, from->send_counts,
                         from->send_displs, from->send_type,  from->send_types},
                 receive = {kind->receive,        from->receive_count, from->receive_counts,
                            from->receive_displs, from->receive_type,  from->receive_types};
    if (reduction) {
        receive.type = send.type;
        receive.counts = send.counts;
        receive.count = send.count;
    }
    if (kind->send_at_root && a->rank != root)
        send.shape = NONE;
    if (kind->receive_at_root && a->rank != root)
        receive.shape = NONE;
    const void *in = from->send;
    bool in_place = in == MPI_IN_PLACE;
    /* A reduction in place would use its result as data the next time: it gets two buffers. */
    if (in_place && reduction)
        in = from->receive;
    if (in_place && !reduction)
        send.shape = NONE;
    if (from->receive == MPI_IN_PLACE)
        receive.shape = NONE;
    void *copied;
    if (!copy(&copied, &a->held[0], in, &send, &send, a))
        return false;
    if (!in_place || reduction)
        a->on.send = copied;
    bool holds = in_place && !reduction;
    if (!copy(&copied, &a->held[1], from->receive, &receive, holds ? &receive : NULL, a))
        return false;
    if (from->receive != MPI_IN_PLACE)
        a->on.receive = copied;
    return true;
}

void replica_free(struct replica *a)
{
    free(a->held[0]);
    free(a->held[1]);
    a->held[0] = a->held[1] = NULL;
}

int replica_run(void *arg)
{
    const struct replica *a = arg;
    return a->kind->run(&a->on, a->root, a->comm);
}
