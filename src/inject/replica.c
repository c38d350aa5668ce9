#include "inject/replica.h"

#include "record/operations.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const struct operation *find(unsigned operation)
{
    const char *name = mpi_functions[operation].name;
    for (size_t i = 0; i < n_operations; i++) {
        const size_t n = strlen(operations[i].mpi_name);
        if (operations[i].kind != COLLECTIVE_NEIGHBOURS &&
            !strncmp(name, operations[i].mpi_name, n) && (!name[n] || !strcmp(name + n, "_c")))
            return &operations[i];
    }
    return NULL;
}

/* Keeps what find() returned: comparing names would cost more than a short collective takes. */
const struct operation *replica_find(unsigned operation)
{
    static const struct operation *known[N_OPERATIONS];
    const struct operation *o = __atomic_load_n(&known[operation], __ATOMIC_RELAXED);
    if (!o)
        __atomic_store_n(&known[operation], o = find(operation), __ATOMIC_RELAXED);
    return o;
}

/* A type with large gaps would need a large buffer: allowed are SPREAD_MOST bytes of buffer per
 * byte of data and, in addition, SPREAD_FREE bytes. */
enum { PAGE = 4096, SPREAD_MOST = 4, SPREAD_FREE = 1 << 20 };

/* *LOW and *HIGH become the offsets, from the buffer's address, of the first byte of COUNT elements
 * of TYPE and of the byte after the last one. False if this range is unknown or too large. */
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

bool replica_make(struct replica *a, const struct operation *o, const struct operands *from,
                  int root, MPI_Comm comm)
{
    MPI_Aint low, high;
    const MPI_Count count = o->reduces ? from->send_count : from->receive_count;
    *a = (struct replica){
        .call = {
            .operation = o,
            .comm = comm,
            .root = root < 0 ? 0 : root,
            /* Not in place: a repeated reduction would take its own result as input. */
            .send = (void *)(o->reduces && from->send == MPI_IN_PLACE ? from->receive : from->send),
            .recv = from->receive,
            .send_count = (int)from->send_count,
            .recv_count = (int)count,
            .send_type = from->send_type,
            .recv_type = o->reduces ? from->send_type : from->receive_type,
            .op = from->op}};
    PMPI_Comm_rank(comm, &a->call.rank);
    PMPI_Comm_size(comm, &a->call.size);
    if (o->recv == EXTENT_NONE || (o->kind == COLLECTIVE_TO_ROOT && a->call.rank != root) ||
        from->receive == MPI_IN_PLACE)
        return true;
    if (!range_of(o->recv == EXTENT_BLOCKS ? count * a->call.size : count, a->call.recv_type, &low,
                  &high) ||
        (!from->receive && high > low))
        return false;
    size_t at = ((uintptr_t)from->receive + (uintptr_t)low) % PAGE;
    if (posix_memalign(&a->held, PAGE, at + (size_t)(high - low) + 1))
        return false;
    memset(a->held, 0, at + (size_t)(high - low) + 1);
    a->call.recv = (unsigned char *)a->held + at - low;
    return true;
}

void replica_free(struct replica *a)
{
    free(a->held);
    a->held = NULL;
}
