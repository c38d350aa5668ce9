#include "trees/schedule_run.h"

#include "base/try.h"

#include <stdlib.h>
#include <string.h>

enum { TAG = 0x6773 };

/* One rank's part as numbers: parent, window, children. */
static void pack_parts(const struct schedule *s, int *numbers, int *counts, int *starts)
{
    int at = 0;
    for (int u = 0; u < s->n; u++) {
        starts[u] = at;
        numbers[at++] = s->parent[u];
        numbers[at++] = s->window[u];
        for (int i = s->first[u]; i < s->first[u + 1]; i++)
            numbers[at++] = s->child[i];
        counts[u] = at - starts[u];
    }
}

/* Rank 0's allocation may fail: then all ranks hear of it instead of waiting. */
static int scatter(const struct schedule *s, MPI_Comm comm, int *buffer, size_t n,
                   struct schedule_part *part)
{
    int *numbers = buffer, *counts = buffer + 3 * n, *starts = buffer + 4 * n;
    if (s)
        pack_parts(s, numbers, counts, starts);
    int *mine = malloc((size_t)(part->n_children + 2) * sizeof *mine);
    int error = PMPI_Scatterv(numbers, counts, starts, MPI_INT, mine, part->n_children + 2, MPI_INT,
                              0, comm);
    if (error == MPI_SUCCESS && mine) {
        part->parent = mine[0];
        part->window = mine[1];
        memcpy(part->child, mine + 2, (size_t)part->n_children * sizeof *mine);
    }
    free(mine);
    return error;
}

int schedule_distribute(const struct schedule *s, MPI_Comm comm, struct schedule_part **result)
{
    int rank, size, *buffer = NULL, *sizes = NULL, mine = 0;
    long header[3] = {0}; /* whether there is memory, root, segment */
    *result = NULL;
    TRY(PMPI_Comm_rank(comm, &rank));
    TRY(PMPI_Comm_size(comm, &size));
    size_t n = (size_t)size;
    if (rank == 0) {
        buffer = malloc(6 * n * sizeof *buffer);
        header[0] = buffer != NULL && s->n == size;
        header[1] = s->root;
        header[2] = (long)s->segment;
        sizes = buffer + 5 * n;
        for (int u = 0; header[0] && u < size; u++)
            sizes[u] = s->first[u + 1] - s->first[u];
    }
    int error = PMPI_Bcast(header, 3, MPI_LONG, 0, comm);
    if (error == MPI_SUCCESS && !header[0])
        error = MPI_ERR_NO_MEM;
    if (error == MPI_SUCCESS)
        error = PMPI_Scatter(sizes, 1, MPI_INT, &mine, 1, MPI_INT, 0, comm);
    struct schedule_part *part = NULL;
    if (error == MPI_SUCCESS) {
        part = malloc(sizeof *part + (size_t)mine * sizeof *part->child);
        if (!part)
            error = MPI_ERR_NO_MEM;
    }
    if (error == MPI_SUCCESS) {
        part->root = (int)header[1];
        part->segment = (size_t)header[2];
        part->sends = 0;
        part->n_children = mine;
        error = scatter(rank == 0 ? s : NULL, comm, buffer, n, part);
    }
    free(buffer);
    *result = part;
    return error;
}

struct message {
    char *buffer;
    int count, each, n; /* elements in all, in one segment; segments */
    MPI_Aint step;      /* bytes in memory from one segment to the next */
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

/* How many segments may be on their way between two ranks: over a long distance all of a message
 * has to be, and a library that waits for the receiver needs the receives posted. */
enum { IN_FLIGHT = 1024 };

/* REQUEST has room for WINDOW receives, then SENDS sends to every child; all are null. Where their
 * number is not limited only what the receiver expects is sent: all of it would be on its way at
 * once, and where that is shared the first segment would arrive as late as the last. */
static int run_segments(const struct schedule_part *part, const struct message *m,
                        MPI_Request *request, int window, int sends)
{
    int children = part->n_children, parent = part->parent >= 0 ? part->parent : MPI_PROC_NULL;
    MPI_Request *in = request, *out = request + window;
    int (*start)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *) =
        part->sends > 0 ? PMPI_Isend : PMPI_Issend;
    for (int k = 0; k < window; k++)
        TRY(PMPI_Irecv(m->buffer + k * m->step, segment_count(m, k), m->type, parent, TAG, m->comm,
                       &in[k]));
    for (int k = 0; k < m->n; k++) {
        int slot = k % window;
        MPI_Request *mine = out + k % sends * children;
        TRY(PMPI_Wait(&in[slot], MPI_STATUS_IGNORE));
        TRY(wait_all(children, mine));
        for (int i = 0; i < children; i++)
            TRY(start(m->buffer + k * m->step, segment_count(m, k), m->type, part->child[i], TAG,
                      m->comm, &mine[i]));
        if (k + window < m->n)
            TRY(PMPI_Irecv(m->buffer + (k + window) * m->step, segment_count(m, k + window),
                           m->type, parent, TAG, m->comm, &in[slot]));
    }
    return wait_all(sends * children, out);
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
    int most = m.n < IN_FLIGHT ? m.n : IN_FLIGHT;
    int window = part->window > 0 && part->window < most ? part->window : most;
    int sends = part->sends > 0 && part->sends < most ? part->sends : most;
    size_t requests = (size_t)window + (size_t)sends * (size_t)part->n_children;
    MPI_Request *request = malloc(requests * sizeof *request);
    if (!request)
        return MPI_ERR_NO_MEM;
    for (size_t i = 0; i < requests; i++)
        request[i] = MPI_REQUEST_NULL;
    int error = run_segments(part, &m, request, window, sends);
    free(request);
    return error;
}

struct bcast schedule_bcast(const struct schedule_part *part)
{
    return (struct bcast){.name = "grid",
                          .summary = "a tree from measured latencies (Mateescu and Taylor)",
                          .run = run,
                          .arg = part};
}
