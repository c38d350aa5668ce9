#include "inject/replica.h"

#include "record/operations.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Size of the receive buffer: the count once, or once for each member. */
enum shape { NONE, ONCE, TIMES };

struct replica_kind {
    unsigned operation;
    enum shape receive;
    bool at_root; /* only the root has it */
    int (*run)(const struct operands *o, int root, MPI_Comm comm);
};

#define RUN(name, call)                                                                            \
    static int name(const struct operands *o, int root, MPI_Comm comm)                             \
    {                                                                                              \
        (void)o, (void)root;                                                                       \
        return call;                                                                               \
    }
#define SEND o->send, (int)o->send_count, o->send_type
#define RECEIVE o->receive, (int)o->receive_count, o->receive_type
#define REDUCE o->send, o->receive, (int)o->send_count, o->send_type, o->op

RUN(barrier, PMPI_Barrier(comm))
RUN(allreduce, PMPI_Allreduce(REDUCE, comm))
RUN(reduce, PMPI_Reduce(REDUCE, root, comm))
RUN(scan, PMPI_Scan(REDUCE, comm))
RUN(exscan, PMPI_Exscan(REDUCE, comm))
RUN(reduce_scatter_block, PMPI_Reduce_scatter_block(REDUCE, comm))
RUN(gather, PMPI_Gather(SEND, RECEIVE, root, comm))
RUN(scatter, PMPI_Scatter(SEND, RECEIVE, root, comm))
RUN(allgather, PMPI_Allgather(SEND, RECEIVE, comm))
RUN(alltoall, PMPI_Alltoall(SEND, RECEIVE, comm))

static const struct replica_kind kinds[] = {
    {OP_Barrier, NONE, false, barrier},
    {OP_Allreduce, ONCE, false, allreduce},
    {OP_Reduce, ONCE, true, reduce},
    {OP_Scan, ONCE, false, scan},
    {OP_Exscan, ONCE, false, exscan},
    {OP_Reduce_scatter_block, ONCE, false, reduce_scatter_block},
    {OP_Gather, TIMES, true, gather},
    {OP_Scatter, ONCE, false, scatter},
    {OP_Allgather, TIMES, false, allgather},
    {OP_Alltoall, TIMES, false, alltoall},
};

/* Whether OPERATION is PLAIN or its form with the suffix _c. */
static bool is_form_of(unsigned operation, unsigned plain)
{
    const char *name = mpi_functions[operation].name, *short_name = mpi_functions[plain].name;
    size_t n = strlen(short_name);
    return strncmp(name, short_name, n) == 0 && (!name[n] || strcmp(name + n, "_c") == 0);
}

const struct replica_kind *replica_find(unsigned operation)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (is_form_of(operation, kinds[i].operation))
            return &kinds[i];
    return NULL;
}

unsigned replica_plain(unsigned operation)
{
    const struct replica_kind *kind = replica_find(operation);
    return kind ? kind->operation : is_form_of(operation, OP_Bcast) ? OP_Bcast : operation;
}

/* A type may place its parts far apart, with memory between them that does not belong to the
 * application. SPREAD_MOST: most bytes of a buffer for each byte of data, except for small
 * buffers. */
enum { PAGE = 4096, SPREAD_MOST = 4, SPREAD_FREE = 1 << 20 };

/* The range of COUNT elements of TYPE, in bytes from the buffer's address. False if too large. */
static bool range_of(MPI_Count count, MPI_Datatype type, MPI_Aint *low, MPI_Aint *high)
{
    MPI_Aint bound, extent, span;
    MPI_Count bytes;
    *low = *high = 0;
    if (count == 0)
        return true;
    if (count < 0 || count > INT_MAX || type == MPI_DATATYPE_NULL ||
        PMPI_Type_get_extent(type, &bound, &extent) ||
        PMPI_Type_get_true_extent(type, low, &span) || PMPI_Type_size_x(type, &bytes) || extent < 0)
        return false;
    *high = *low + span + (MPI_Aint)(count - 1) * extent;
    return *high - *low <= SPREAD_MOST * (MPI_Aint)(bytes * count) + SPREAD_FREE;
}

bool type_is_plain(MPI_Datatype type)
{
    int integers, addresses, types, combiner;
    MPI_Count size, bound, extent;
    return !PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) &&
           !PMPI_Type_size_x(type, &size) && !PMPI_Type_get_extent_x(type, &bound, &extent) &&
           combiner == MPI_COMBINER_NAMED && size == extent;
}

bool replica_make(struct replica *a, const struct replica_kind *kind, const struct operands *from,
                  int root, MPI_Comm comm)
{
    MPI_Aint low, high;
    *a = (struct replica){.kind = kind, .on = *from, .comm = comm, .root = root < 0 ? 0 : root};
    PMPI_Comm_rank(comm, &a->rank);
    PMPI_Comm_size(comm, &a->size);
    bool reduction = from->op != MPI_OP_NULL;
    MPI_Count count = reduction ? from->send_count : from->receive_count;
    /* A reduction in place would use its own result as input the next time. */
    if (reduction && from->send == MPI_IN_PLACE)
        a->on.send = from->receive;
    if (kind->receive == NONE || (kind->at_root && a->rank != root) ||
        from->receive == MPI_IN_PLACE)
        return true;
    if (!range_of(kind->receive == TIMES ? count * a->size : count,
                  reduction ? from->send_type : from->receive_type, &low, &high) ||
        (!from->receive && high > low))
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

static int run(void *arg, int root)
{
    const struct replica *a = arg;
    (void)root; /* that of the replica */
    return a->kind->run(&a->on, a->root, a->comm);
}

struct latency_case replica_case(struct replica *a)
{
    return (struct latency_case){.comm = a->comm,
                                 .run = run,
                                 .arg = a,
                                 .kind = collective_kind(mpi_functions[a->kind->operation].name),
                                 .root = a->root,
                                 .together = true};
}
