#include "trees/schedule_run.h"

#include "base/try.h"

#include <string.h>

enum { TAG = 0x6773, IN_FLIGHT = 8 };

/* Packs a schedule into integers: root, segment, first (n + 1), parent (n), child (n). */
static void pack(const struct schedule *s, int *numbers)
{
    size_t n = (size_t)s->n;
    numbers[0] = s->root;
    numbers[1] = (int)s->segment;
    memcpy(numbers + 2, s->first, (n + 1) * sizeof *numbers);
    memcpy(numbers + 3 + n, s->parent, n * sizeof *numbers);
    memcpy(numbers + 3 + 2 * n, s->child, n * sizeof *numbers);
}

static void take_part(const int *numbers, int rank, int size, struct schedule_part *part)
{
    const int *first = numbers + 2, *parent = first + size + 1, *child = parent + size;
    const size_t bytes = (size_t)(first[rank + 1] - first[rank]) * sizeof *child;
    *part = (struct schedule_part){.root = numbers[0],
                                   .parent = parent[rank],
                                   .n_children = first[rank + 1] - first[rank],
                                   .child = memcpy(part + 1, child + first[rank], bytes),
                                   .segment = (size_t)numbers[1],
                                   .in_flight = IN_FLIGHT};
}

int schedule_distribute(const struct schedule *s, MPI_Comm comm, struct schedule_part **result)
{
    int rank, size;
    *result = NULL;
    TRY(PMPI_Comm_rank(comm, &rank));
    TRY(PMPI_Comm_size(comm, &size));
    int n = 3 * size + 3;
    FREED int *numbers = malloc((size_t)n * sizeof *numbers);
    FREED struct schedule_part *part = malloc(sizeof *part + (size_t)size * sizeof *part->child);
    int good = numbers && part && (rank > 0 || s->n == size), all = 0;
    TRY(PMPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, comm));
    if (!all)
        return MPI_ERR_NO_MEM;
    if (rank == 0)
        pack(s, numbers);
    TRY(PMPI_Bcast(numbers, n, MPI_INT, 0, comm));
    take_part(numbers, rank, size, part);
    *result = part;
    part = NULL;
    return MPI_SUCCESS;
}

struct message {
    char *buffer;
    int count, each, n; /* elements of the message; elements per segment; number of segments */
    MPI_Aint step;      /* bytes from one segment to the next in BUFFER */
    MPI_Datatype type;
    MPI_Comm comm;
};

static int message_cut(struct message *m, void *buffer, int count, MPI_Datatype type, size_t bytes,
                       MPI_Comm comm)
{
    MPI_Aint low, extent;
    MPI_Count size;
    *m = (struct message){
        .buffer = buffer, .count = count, .each = count, .n = 1, .type = type, .comm = comm};
    TRY(PMPI_Type_size_x(type, &size));
    if (bytes == 0 || size == 0 || (size_t)size * (size_t)count <= bytes)
        return MPI_SUCCESS;
    TRY(PMPI_Type_get_extent(type, &low, &extent));
    m->each = (size_t)size < bytes ? (int)(bytes / (size_t)size) : 1;
    m->n = (int)(((long)count + m->each - 1) / m->each);
    m->step = extent * m->each;
    return MPI_SUCCESS;
}

static int run_whole(const struct schedule_part *part, const struct message *m)
{
    if (part->parent >= 0)
        TRY(PMPI_Recv(m->buffer, m->count, m->type, part->parent, TAG, m->comm, MPI_STATUS_IGNORE));
    for (int i = 0; i < part->n_children; i++)
        TRY(PMPI_Send(m->buffer, m->count, m->type, part->child[i], TAG, m->comm));
    return MPI_SUCCESS;
}

static int segment_count(const struct message *m, int k)
{
    return k + 1 < m->n ? m->each : m->count - k * m->each;
}

static int wait_all(int n, MPI_Request *request)
{
    for (int i = 0; i < n; i++)
        TRY(PMPI_Wait(&request[i], MPI_STATUS_IGNORE));
    return MPI_SUCCESS;
}

/* REQUEST has part->in_flight null requests for receives, then as many for sends to each child. */
static int run_segments(const struct schedule_part *part, const struct message *m,
                        MPI_Request *request)
{
    const int in_flight = part->in_flight;
    int children = part->n_children, parent = part->parent >= 0 ? part->parent : MPI_PROC_NULL;
    MPI_Request *out = request + in_flight;
    for (int k = 0, next = 0; k < m->n; k++) {
        for (; next < m->n && next < k + in_flight; next++)
            TRY(PMPI_Irecv(m->buffer + next * m->step, segment_count(m, next), m->type, parent, TAG,
                           m->comm, &request[next % in_flight]));
        MPI_Request *mine = out + k % in_flight * children;
        TRY(PMPI_Wait(&request[k % in_flight], MPI_STATUS_IGNORE));
        TRY(wait_all(children, mine));
        for (int i = 0; i < children; i++)
            TRY(PMPI_Isend(m->buffer + k * m->step, segment_count(m, k), m->type, part->child[i],
                           TAG, m->comm, &mine[i]));
    }
    return wait_all(in_flight * children, out);
}

static int run(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, const void *arg)
{
    const struct schedule_part *part = arg;
    struct message m;
    if (root != part->root)
        return MPI_ERR_ROOT;
    TRY(message_cut(&m, buffer, count, type, part->segment, comm));
    if (m.n == 1)
        return run_whole(part, &m);
    size_t requests = (size_t)part->in_flight * (1 + (size_t)part->n_children);
    FREED MPI_Request *request = malloc(requests * sizeof *request);
    if (!request)
        return MPI_ERR_NO_MEM;
    for (size_t i = 0; i < requests; i++)
        request[i] = MPI_REQUEST_NULL;
    return run_segments(part, &m, request);
}

struct bcast bcast_from_schedule(const struct schedule_part *part)
{
    return (struct bcast){.name = "grid", .run = run, .arg = part};
}
