/* Non-blocking collective operations, and messages among many nodes, timed on node 0. Node 0 is the
 * first to start and tells the others to: if they were there before, with their small messages
 * under way already, nothing would be left to wait for. The operation begins when the last of them
 * starts, and time and computation count from there. Where data comes to node 0 from one rank, or
 * passes through all, that is the last one. */
#include "measure/overlap/overlap_inner.h"

#include "base/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In COMM, node 0 is the last rank where the benchmark says so, otherwise the first. */
struct collective {
    struct operation_call call;
    MPI_Comm comm;
    double *latency;    /* node 0: to each of the others */
    unsigned char *all; /* room for OVERLAP_PENDING messages */
};

static bool begin(struct overlap_side *s)
{
    bool twin;
    const struct operation *operation =
        s->benchmark->post ? NULL : operation_find(s->benchmark->operation, &twin);
    struct collective *c = calloc(1, sizeof *c);
    MPI_Comm comm;
    PMPI_Comm_split(s->comm, 0, s->benchmark->comes_last ? -s->rank : s->rank, &comm);
    double *latency = overlap_latencies(s, s->size - 1);
    unsigned char *all = malloc(OVERLAP_PENDING * s->bytes);
    bool ready = c && latency && all;
    if (ready && s->benchmark->post)
        memset(all, 0xa5, OVERLAP_PENDING * s->bytes);
    else
        ready = ready && operation_prepare(&c->call, operation, comm, 0, s->bytes);
    if (!ready) {
        PMPI_Comm_free(&comm);
        free(latency);
        free(all);
        free(c);
        return false;
    }
    c->comm = comm;
    c->latency = latency;
    c->all = all;
    s->own = c;
    return true;
}

static void end(struct overlap_side *s)
{
    struct collective *c = s->own;
    if (!s->benchmark->post)
        operation_release(&c->call);
    PMPI_Comm_free(&c->comm);
    free(c->latency);
    free(c->all);
    free(c);
}

static void overlap_one(struct overlap_side *s)
{
    struct collective *c = s->own;
    MPI_Request request[OVERLAP_PENDING];
    int n = 1;
    if (s->benchmark->post)
        n = s->benchmark->post(s, request);
    else
        operation_start(&c->call, request);
    overlap_compute(s);
    PMPI_Waitall(n, request, MPI_STATUSES_IGNORE);
}

static double first(struct overlap_side *s)
{
    const struct collective *c = s->own;
    double begins = 0;
    for (int other = 1; other < s->size; other++)
        overlap_hear(s, other, OVERLAP_TAG_READY);
    double start = clock_now();
    for (int other = 1; other < s->size; other++) {
        begins = fmax(begins, overlap_elapsed(s, start) + c->latency[other - 1]);
        overlap_say(s, other, OVERLAP_TAG_READY);
    }
    s->late = fmax(0, begins - overlap_elapsed(s, start));
    overlap_one(s);
    return overlap_elapsed(s, start) - begins;
}

static void others(struct overlap_side *s)
{
    overlap_say(s, 0, OVERLAP_TAG_READY);
    overlap_hear(s, 0, OVERLAP_TAG_READY);
    overlap_one(s);
}

/* A message to either neighbour on a ring, and one from it: a tag for each way round. */
static int post_neighbours(struct overlap_side *s, MPI_Request *request)
{
    const struct collective *c = s->own;
    for (int way = 0; way < 2; way++) {
        int from = (s->rank + (way ? s->size - 1 : 1)) % s->size;
        PMPI_Irecv(c->all + (size_t)way * s->bytes, s->count, s->type, from,
                   OVERLAP_TAG_DATA + 3 * way, s->comm, &request[way]);
    }
    for (int way = 0; way < 2; way++) {
        int to = (s->rank + (way ? 1 : s->size - 1)) % s->size;
        PMPI_Isend(s->send, s->count, s->type, to, OVERLAP_TAG_DATA + 3 * way, s->comm,
                   &request[2 + way]);
    }
    return 4;
}

/* To node 0, from up to eight others; what the rest would send is left to them. */
static int post_sources(struct overlap_side *s, MPI_Request *request)
{
    const struct collective *c = s->own;
    int n = 0;
    for (int from = 1; s->rank == 0 && from < s->size && n < OVERLAP_PENDING; from++, n++)
        PMPI_Irecv(c->all + (size_t)n * s->bytes, s->count, s->type, from, OVERLAP_TAG_DATA,
                   s->comm, &request[n]);
    if (s->rank > 0 && s->rank <= OVERLAP_PENDING)
        PMPI_Isend(s->send, s->count, s->type, 0, OVERLAP_TAG_DATA, s->comm, &request[n++]);
    return n;
}

/* On all ranks, timed on node 0. */
#define TOGETHER                                                                                   \
    .base = NO_BASE, .simulable = true, .starts_late = true, .begin = begin, .end = end,           \
    .first = first, .others = others
#define COLLECTIVE(id, word, what, ...)                                                            \
    const struct overlap_benchmark overlap_i##id = {.name = "i" word,                              \
                                                    .title = "non-blocking " word,                 \
                                                    .summary = what,                               \
                                                    .least_ranks = 2,                              \
                                                    .operation = word,                             \
                                                    TOGETHER,                                      \
                                                    __VA_ARGS__}
#define BY_NAME .only_by_name = true
#define COMES_LAST .only_by_name = true, .comes_last = true

COLLECTIVE(allreduce, "allreduce", "MPI_Iallreduce, compute, wait, on all ranks", );
COLLECTIVE(alltoall, "alltoall", "MPI_Ialltoall, compute, wait; the size is that of a block", );
COLLECTIVE(barrier, "barrier", "MPI_Ibarrier; the size does not matter", BY_NAME);
COLLECTIVE(gather, "gather", "MPI_Igather to node 0; the size is that of a block", BY_NAME);
COLLECTIVE(allgather, "allgather", "MPI_Iallgather; the size is that of a block", BY_NAME);
COLLECTIVE(reduce, "reduce", "MPI_Ireduce to node 0", BY_NAME);
COLLECTIVE(reduce_scatter, "reduce-scatter", "MPI_Ireduce_scatter_block; the size of a block",
           BY_NAME);
COLLECTIVE(broadcast, "broadcast", "MPI_Ibcast from the last node, timed on node 0", COMES_LAST);
COLLECTIVE(scatter, "scatter", "MPI_Iscatter from the last node; the size of a block", COMES_LAST);
COLLECTIVE(scan, "scan", "MPI_Iscan, of which node 0 is the last", COMES_LAST);

const struct overlap_benchmark overlap_neighbours = {
    .name = "neighbours",
    .title = "both neighbours on a ring",
    .summary = "isend and irecv with both neighbours on a ring, compute, wait, on all ranks",
    .least_ranks = 3,
    .post = post_neighbours,
    TOGETHER,
};

const struct overlap_benchmark overlap_sources = {
    .name = "sources",
    .title = "several sources",
    .summary = "as receiver, from up to 8 other nodes at once, which compute, too",
    .least_ranks = 3,
    .post = post_sources,
    TOGETHER,
};
