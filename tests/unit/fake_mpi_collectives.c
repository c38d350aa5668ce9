/* Collectives, by messages to and from rank 0 or the root. */
#pragma GCC visibility push(default) /* modules are bound to what is here */
#include "fake_mpi_inside.h"

#include <stdlib.h>
#include <string.h>

static int put(const void *out, size_t n, MPI_Datatype type, int to, MPI_Comm comm)
{
    return fake_finish(fake_send(out, n, type, to, 0, comm, CONTEXT_COLLECTIVE, false),
                       MPI_STATUS_IGNORE);
}

static int get(void *in, size_t n, MPI_Datatype type, int from, MPI_Comm comm)
{
    return fake_finish(fake_receive(in, n, type, from, 0, comm, CONTEXT_COLLECTIVE),
                       MPI_STATUS_IGNORE);
}

/* What the collective call that the rank begins returns at its end. */
static int outcome(void)
{
    return ++fake_self()->collectives == fake_world.net.fails ? MPI_ERR_OTHER : MPI_SUCCESS;
}

int PMPI_Bcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    if (root >= fake_comm_at(comm)->n)
        return MPI_ERR_ROOT;
    const int error = outcome();
    enum { AUTO, BINOMIAL, RING } algorithm = fake_variable(0);
    fake_enter("MPI_Bcast", algorithm == BINOMIAL ? 10e-6 : CALL);
    if (fake_rank_in(comm) != root)
        return get(data, (size_t)n, type, root, comm) ?: error;
    const double start = fake_self()->now;
    for (int i = 0; i < fake_comm_at(comm)->n; i++)
        if (i != root) {
            put(data, (size_t)n, type, i, comm);
            if (algorithm == RING) /* sends cost nothing */
                fake_self()->now = start;
        }
    return error;
}

int PMPI_Gatherv(const void *out, int n_out, MPI_Datatype type_out, void *in, const int *n_in,
                 const int *at, MPI_Datatype type_in, int root, MPI_Comm comm)
{
    const size_t size = fake_size(type_out);
    (void)type_in;
    const int error = outcome();
    fake_enter("MPI_Gather", CALL);
    if (fake_rank_in(comm) != root)
        return put(out, (size_t)n_out, type_out, root, comm) ?: error;
    for (int i = 0; i < fake_comm_at(comm)->n; i++) {
        char *to = (char *)in + (size_t)at[i] * size;
        if (i != root)
            get(to, (size_t)n_in[i], type_out, i, comm);
        else if (out != MPI_IN_PLACE && n_out)
            memmove(to, out, (size_t)n_out * size);
    }
    return error;
}

int PMPI_Gather(const void *out, int n_out, MPI_Datatype type_out, void *in, int n_in,
                MPI_Datatype type_in, int root, MPI_Comm comm)
{
    int n[FAKE_RANKS_MAX], at[FAKE_RANKS_MAX];
    (void)n_in;
    for (int i = 0; i < fake_comm_at(comm)->n; i++) {
        n[i] = n_out;
        at[i] = i * n_out;
    }
    return PMPI_Gatherv(out, n_out, type_out, in, n, at, type_in, root, comm);
}

int PMPI_Allgather(const void *out, int n_out, MPI_Datatype type_out, void *in, int n_in,
                   MPI_Datatype type_in, MPI_Comm comm)
{
    int error = PMPI_Gather(out, n_out, type_out, in, n_in, type_in, 0, comm);
    return PMPI_Bcast(in, n_out * fake_comm_at(comm)->n, type_out, 0, comm) ?: error;
}

#define COMBINE(type)                                                                              \
    for (int i = 0; i < n; i++) {                                                                  \
        type x = ((type *)into)[i], y = ((const type *)from)[i];                                   \
        ((type *)into)[i] = op == MPI_SUM    ? x + y                                               \
                            : op == MPI_MAX  ? (x > y ? x : y)                                     \
                            : op == MPI_MIN  ? (x < y ? x : y)                                     \
                            : op == MPI_LAND ? (type)(x && y)                                      \
                                             : (type)(x || y);                                     \
    }

static void combine(void *into, const void *from, int n, MPI_Datatype type, MPI_Op op)
{
    struct {
        double value;
        int at;
    } *a = into;
    const __typeof__(*a) *b = from;
    if (type == MPI_DOUBLE) {
        COMBINE(double)
    } else if (type == MPI_DOUBLE_INT) {
        for (int i = 0; i < n; i++)
            if ((op == MPI_MAXLOC ? b[i].value > a[i].value : b[i].value < a[i].value) ||
                (b[i].value == a[i].value && b[i].at < a[i].at))
                a[i] = b[i];
    } else if (type == MPI_INT) {
        COMBINE(int)
    } else if (type == MPI_BYTE) { /* MPI_BXOR */
        for (int i = 0; i < n; i++)
            ((char *)into)[i] ^= ((const char *)from)[i];
    } else {
        COMBINE(uint64_t)
    }
}

int PMPI_Reduce(const void *out, void *in, int n, MPI_Datatype type, MPI_Op op, int root,
                MPI_Comm comm)
{
    size_t bytes = (size_t)n * fake_size(type);
    const int error = outcome();
    fake_enter("MPI_Reduce", CALL);
    if (fake_rank_in(comm) != root)
        return put(out, (size_t)n, type, root, comm) ?: error;
    char *other = fake_alloc(bytes);
    if (out != MPI_IN_PLACE && bytes)
        memcpy(in, out, bytes);
    for (int i = 0; i < fake_comm_at(comm)->n; i++)
        if (i != root) {
            get(other, (size_t)n, type, i, comm);
            combine(in, other, n, type, op);
        }
    free(other);
    return error;
}

int PMPI_Allreduce(const void *out, void *in, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    const void *mine = out == MPI_IN_PLACE && fake_rank_in(comm) != 0 ? in : out;
    int error = PMPI_Reduce(mine, in, n, type, op, 0, comm);
    return PMPI_Bcast(in, n, type, 0, comm) ?: error;
}

int PMPI_Scatter(const void *out, int n_out, MPI_Datatype type_out, void *in, int n_in,
                 MPI_Datatype type_in, int root, MPI_Comm comm)
{
    size_t bytes = (size_t)n_in * fake_size(type_in);
    (void)n_out, (void)type_out;
    const int error = outcome();
    fake_enter("MPI_Scatter", CALL);
    if (fake_rank_in(comm) != root)
        return get(in, (size_t)n_in, type_in, root, comm) ?: error;
    for (int i = 0; i < fake_comm_at(comm)->n; i++) {
        const char *from = (const char *)out + (size_t)i * bytes;
        if (i != root)
            put(from, (size_t)n_in, type_in, i, comm);
        else
            memmove(in, from, bytes);
    }
    return error;
}

int PMPI_Alltoall(const void *out, int n_out, MPI_Datatype type_out, void *in, int n_in,
                  MPI_Datatype type_in, MPI_Comm comm)
{
    size_t bytes = (size_t)n_out * fake_size(type_out);
    int error = MPI_SUCCESS;
    for (int root = 0; root < fake_comm_at(comm)->n; root++)
        error = PMPI_Scatter(out, n_out, type_out, (char *)in + (size_t)root * bytes, n_in, type_in,
                             root, comm)
                    ?: error;
    return error;
}

int PMPI_Reduce_scatter_block(const void *out, void *in, int n, MPI_Datatype type, MPI_Op op,
                              MPI_Comm comm)
{
    char all[FAKE_RANKS_MAX * 64];
    int error = PMPI_Reduce(out, all, n * fake_comm_at(comm)->n, type, op, 0, comm);
    return PMPI_Scatter(all, n, type, in, n, type, 0, comm) ?: error;
}

int PMPI_Scan(const void *out, void *in, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    char before[64];
    size_t bytes = (size_t)n * fake_size(type);
    int rank = fake_rank_in(comm);
    const int error = outcome();
    fake_enter("MPI_Scan", CALL);
    memcpy(in, out, bytes);
    if (rank > 0) {
        get(before, (size_t)n, type, rank - 1, comm);
        combine(in, before, n, type, op);
    }
    return rank + 1 < fake_comm_at(comm)->n ? put(in, (size_t)n, type, rank + 1, comm) ?: error
                                            : error;
}

int PMPI_Barrier(MPI_Comm comm)
{
    int one = 0, all;
    return PMPI_Allreduce(&one, &all, 1, MPI_INT, MPI_MAX, comm);
}

int PMPI_Ibcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request *request)
{
    struct fake_request *last = NULL;
    const int error = outcome();
    fake_enter("MPI_Ibcast", CALL);
    if (fake_rank_in(comm) != root)
        return fake_start(request,
                          fake_receive(data, (size_t)n, type, root, 0, comm, CONTEXT_COLLECTIVE))
                   ?: error;
    for (int i = 0; i < fake_comm_at(comm)->n; i++)
        if (i != root) {
            if (last)
                last->kind = FREE; /* eager: it is done */
            last = fake_send(data, (size_t)n, type, i, 0, comm, CONTEXT_COLLECTIVE, false);
        }
    *request = MPI_REQUEST_NULL;
    return last ? fake_start(request, last) ?: error : error;
}

/* --- non-blocking collectives: done when all have begun them --- */

static int gather_all(MPI_Comm comm, const void *out, void *in, int n, MPI_Datatype type, MPI_Op op,
                      MPI_Request *request)
{
    struct fake_comm *c = fake_comm_at(comm);
    uint64_t number = c->numbers[fake_me]++;
    struct gathering *g = fake_world.gatherings;
    while (g && (g->comm != fake_comm_number(comm) || g->number != number))
        g = g->next;
    if (!g) {
        g = memset(fake_alloc(sizeof *g), 0, sizeof *g);
        g->comm = fake_comm_number(comm);
        g->number = number;
        g->bytes = (size_t)n * fake_size(type);
        g->next = fake_world.gatherings;
        fake_world.gatherings = g;
        memcpy(g->data, out ? out : g->data, g->bytes);
    } else if (g->bytes) {
        combine(g->data, out, n, type, op);
    }
    struct fake_request *r = fake_request_new(COLLECTIVE);
    g->request[g->arrived] = r;
    g->result[g->arrived++] = in;
    g->last = g->last > fake_self()->now ? g->last : fake_self()->now;
    for (int i = 0; g->arrived == c->n && i < g->arrived; i++) {
        if (g->bytes)
            memcpy(g->result[i], g->data, g->bytes);
        g->request[i]->matched = true;
        g->request[i]->done = g->last + fake_way(fake_me, g->request[i]->owner, g->bytes);
        fake_wake(g->request[i]->owner);
    }
    return fake_start(request, r);
}

int PMPI_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
    const int error = outcome();
    fake_enter("MPI_Ibarrier", CALL);
    return gather_all(comm, NULL, NULL, 0, MPI_BYTE, MPI_MAX, request) ?: error;
}

int PMPI_Iallreduce(const void *out, void *in, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                    MPI_Request *request)
{
    const int error = outcome();
    fake_enter("MPI_Iallreduce", CALL);
    return gather_all(comm, out == MPI_IN_PLACE ? in : out, in, n, type, op, request) ?: error;
}

/* What programs call. */
ALSO(Bcast);
ALSO(Gather);
ALSO(Allreduce);
ALSO(Reduce);
ALSO(Barrier);

/* The neighbours of a rank's last topology, which must be symmetric. */
static _Thread_local int neighbor[8], neighbors;

int PMPI_Dist_graph_create_adjacent(MPI_Comm comm, int n_in, const int *in, const int *weight_in,
                                    int n_out, const int *out, const int *weight_out, MPI_Info info,
                                    int reorder, MPI_Comm *made)
{
    (void)in, (void)weight_in, (void)weight_out, (void)info, (void)reorder;
    neighbors = n_in == n_out ? n_in : 0;
    memcpy(neighbor, out, (size_t)neighbors * sizeof *out);
    return PMPI_Comm_dup(comm, made);
}

int PMPI_Neighbor_alltoall(const void *out, int n, MPI_Datatype type, void *in, int n_in,
                           MPI_Datatype type_in, MPI_Comm comm)
{
    const size_t bytes = (size_t)n * fake_size(type);
    const int error = outcome();
    (void)n_in, (void)type_in;
    fake_enter("MPI_Neighbor_alltoall", CALL);
    for (int k = 0; k < neighbors; k++)
        put((const char *)out + (size_t)k * bytes, (size_t)n, type, neighbor[k], comm);
    for (int k = 0; k < neighbors; k++)
        get((char *)in + (size_t)k * bytes, (size_t)n, type, neighbor[k], comm);
    return error;
}

int PMPI_Neighbor_allgather(const void *out, int n, MPI_Datatype type, void *in, int n_in,
                            MPI_Datatype type_in, MPI_Comm comm)
{
    char all[FAKE_RANKS_MAX * 64];
    const size_t bytes = (size_t)n * fake_size(type);
    for (int k = 0; k < neighbors; k++)
        memcpy(all + (size_t)k * bytes, out, bytes);
    return PMPI_Neighbor_alltoall(all, n, type, in, n_in, type_in, comm);
}
