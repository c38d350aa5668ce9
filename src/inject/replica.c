#include "inject/replica.h"

#include "record/operations.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* How much a rank receives. */
enum shape {
    NONE,
    ONCE,  /* the count, once */
    TIMES, /* the count, once for each member */
    PARTS, /* counts and displacements for each member; without displacements one after another */
    OWN    /* of counts for each member this rank's */
};

struct replica_kind {
    unsigned operation;
    enum shape receive;
    bool at_root; /* the root alone */
    bool varies;  /* members may give different amounts */
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

#ifdef HAVE_MPI_Allreduce_c
#define BOTH(operation, ...)                                                                       \
    {OP_##operation, __VA_ARGS__},                                                                 \
    {                                                                                              \
        OP_##operation##_c, __VA_ARGS__                                                            \
    }
#else
#define BOTH(operation, ...)                                                                       \
    {                                                                                              \
        OP_##operation, __VA_ARGS__                                                                \
    }
#endif

static const struct replica_kind kinds[] = {
    {OP_Barrier, NONE, false, false, barrier},
    BOTH(Allreduce, ONCE, false, false, allreduce),
    BOTH(Reduce, ONCE, true, false, reduce),
    BOTH(Scan, ONCE, false, false, scan),
    BOTH(Exscan, ONCE, false, false, exscan),
    {OP_Reduce_scatter, OWN, false, true, reduce_scatter},
    BOTH(Reduce_scatter_block, ONCE, false, false, reduce_scatter_block),
    BOTH(Gather, TIMES, true, false, gather),
    {OP_Gatherv, PARTS, true, true, gatherv},
    BOTH(Scatter, ONCE, false, false, scatter),
    {OP_Scatterv, ONCE, false, true, scatterv},
    BOTH(Allgather, TIMES, false, false, allgather),
    {OP_Allgatherv, PARTS, false, true, allgatherv},
    BOTH(Alltoall, TIMES, false, false, alltoall),
    {OP_Alltoallv, PARTS, false, true, alltoallv},
    {OP_Alltoallw, PARTS, false, true, alltoallw},
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
    return kind->varies;
}

/* --- the buffer --- */

/* The elements that are received, part by part. */
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

/* Part I; *NEXT is the element that follows the last part. False where that is not known. */
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

/* Bytes that a buffer may have for every byte of data: a type may say that its parts are far from
 * each other, with memory between them that is not the application's. */
enum { PAGE = 4096, SPREAD_MOST = 4, SPREAD_FREE = 1 << 20 };

static bool range_of(const struct parts *p, int rank, int size, MPI_Aint *low, MPI_Aint *high)
{
    MPI_Aint next = 0, data = 0;
    bool any = false;
    *low = *high = 0;
    for (int i = 0; i < (p->shape == PARTS ? size : 1); i++) {
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

bool replica_make(struct replica *a, const struct replica_kind *kind, const struct operands *from,
                  int root, MPI_Comm comm)
{
    MPI_Aint low, high;
    *a = (struct replica){.kind = kind, .on = *from, .comm = comm, .root = root < 0 ? 0 : root};
    PMPI_Comm_rank(comm, &a->rank);
    PMPI_Comm_size(comm, &a->size);
    bool reduction = from->op != MPI_OP_NULL;
    struct parts receive = {kind->receive,        from->receive_count, from->receive_counts,
                            from->receive_displs, from->receive_type,  from->receive_types};
    if (reduction) {
        receive.type = from->send_type;
        receive.counts = from->send_counts;
        receive.count = from->send_count;
    }
    /* A reduction in place would use its result as data the next time. */
    if (reduction && from->send == MPI_IN_PLACE)
        a->on.send = from->receive;
    if (kind->receive == NONE || (kind->at_root && a->rank != root) ||
        from->receive == MPI_IN_PLACE)
        return true;
    if (!range_of(&receive, a->rank, a->size, &low, &high) || (!from->receive && high > low))
        return false;
    size_t at = ((uintptr_t)from->receive + (uintptr_t)low) % PAGE;
    if (posix_memalign(&a->held, PAGE, at + (size_t)(high - low) + 1))
        return false;
    memset(a->held, 0, at + (size_t)(high - low) + 1);
    a->on.receive = (char *)a->held + at - low;
    return true;
}

void replica_free(struct replica *a)
{
    free(a->held);
    a->held = NULL;
}

int replica_run(void *arg)
{
    const struct replica *a = arg;
    return a->kind->run(&a->on, a->root, a->comm);
}
