/* The overlap benchmarks: the paper's six, a control, and some that the paper lacks. The receiver
 * is always ready first: it sends node 0 an explicit message. */
#include "base/clock.h"
#include "measure/collective/operation.h"
#include "measure/overlap/overlap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_READY, TAG_DATA, TAG_ACK };

/* Sends a message of 0 bytes. */
static void notify(const struct overlap_side *s, int to, int tag)
{
    PMPI_Send(NULL, 0, MPI_BYTE, to, tag, s->comm);
}

static void await(const struct overlap_side *s, int from, int tag)
{
    PMPI_Recv(NULL, 0, MPI_BYTE, from, tag, s->comm, MPI_STATUS_IGNORE);
}

static double elapsed(const struct overlap_side *s)
{
    return clock_now() - s->began - s->clock_cost;
}

/* For benchmarks where the paper's T_measured needs no correction. */
static struct overlap_round as_published(double measured)
{
    return (struct overlap_round){.measured = measured, .published = measured};
}

static void send_over_work(const struct overlap_side *s, int to)
{
    MPI_Request request;
    PMPI_Isend(s->send, s->count, s->type, to, TAG_DATA, s->comm, &request);
    work_do(&s->work);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* --- sender side: isend, compute, wait, acknowledgement --- */

static int receivers(const struct overlap_side *s)
{
    if (!s->benchmark->to_many)
        return 1;
    return s->size - 1 < OVERLAP_MESSAGES ? s->size - 1 : OVERLAP_MESSAGES;
}

static int parts(const struct overlap_side *s)
{
    return s->benchmark->messages ? s->benchmark->messages : 1;
}

static int part_count(const struct overlap_side *s)
{
    return s->count < parts(s) ? 1 : s->count / parts(s);
}

/* The data arrived one latency before the acknowledgement, or while node 0 still computed or
 * waited. The paper subtracts the latency in both cases, although it cost nothing in the second
 * one. */
static struct overlap_round send_first(struct overlap_side *s)
{
    MPI_Request request[OVERLAP_MESSAGES];
    int nodes = receivers(s), n = nodes * parts(s), count = part_count(s);
    for (int to = 1; to <= nodes; to++)
        await(s, to, TAG_READY);
    s->began = clock_now();
    for (int i = 0; i < n; i++)
        PMPI_Isend(s->send + (size_t)(i / nodes) * (size_t)count, count, s->type, 1 + i % nodes,
                   TAG_DATA, s->comm, &request[i]);
    work_do(&s->work);
    for (int i = 0; i < n; i++)
        PMPI_Wait(&request[i], MPI_STATUS_IGNORE);
    struct overlap_round round = {.measured = elapsed(s)};
    for (int i = 0; i < nodes; i++) /* all at once: a library may only then begin to send */
        PMPI_Irecv(NULL, 0, MPI_BYTE, 1 + i, TAG_ACK, s->comm, &request[i]);
    for (int i = 0, which; i < nodes; i++) {
        PMPI_Waitany(nodes, request, &which, MPI_STATUS_IGNORE);
        round.published = elapsed(s) - (i + 1) * s->clock_cost - s->latency[1 + which];
        round.measured = fmax(round.measured, round.published);
    }
    return round;
}

/* A wait right after the start is the paper's blocking call. */
static void receive_others(struct overlap_side *s)
{
    MPI_Request request[OVERLAP_MESSAGES];
    int n = parts(s), count = part_count(s);
    if (s->rank > receivers(s))
        return;
    for (int i = 0; i < n; i++)
        PMPI_Irecv(s->recv + (size_t)i * (size_t)count, count, s->type, 0, TAG_DATA, s->comm,
                   &request[i]);
    notify(s, 0, TAG_READY);
    for (int i = 0; i < n; i++)
        PMPI_Wait(&request[i], MPI_STATUS_IGNORE);
    notify(s, 0, TAG_ACK);
}

/* --- receiver side: clear to send, irecv, compute, wait --- */

/* The clear-to-send takes one latency; only then can the message start. */
static struct overlap_round receive_first(struct overlap_side *s)
{
    MPI_Request request;
    double latency = s->latency[1];
    await(s, 1, TAG_READY);
    s->began = clock_now();
    notify(s, 1, TAG_READY);
    double late = fmax(0, latency - elapsed(s));
    PMPI_Irecv(s->recv, s->count, s->type, 1, TAG_DATA, s->comm, &request);
    work_do(&s->work);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    struct overlap_round round = as_published(elapsed(s) - latency);
    round.late = late;
    return round;
}

static void send_others(struct overlap_side *s)
{
    notify(s, 0, TAG_READY);
    await(s, 0, TAG_READY);
    PMPI_Send(s->send, s->count, s->type, 0, TAG_DATA, s->comm);
}

/* --- both sides: a message in each direction while both nodes compute --- */

static struct overlap_round both_first(struct overlap_side *s)
{
    MPI_Request request;
    await(s, 1, TAG_READY);
    s->began = clock_now();
    send_over_work(s, 1);
    PMPI_Irecv(s->recv, s->count, s->type, 1, TAG_DATA, s->comm, &request);
    work_do(&s->work);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    return as_published(elapsed(s) / 2);
}

static void both_others(struct overlap_side *s)
{
    MPI_Request request;
    PMPI_Irecv(s->recv, s->count, s->type, 0, TAG_DATA, s->comm, &request);
    notify(s, 0, TAG_READY);
    work_do(&s->work);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    send_over_work(s, 0);
}

/* --- CPU overhead: isend, compute, wait; the processor time that a send costs its sender --- */

/* T_comm is the time of a blocking send. The acknowledgement is not timed. */
static struct overlap_round cpu_first(struct overlap_side *s)
{
    await(s, 1, TAG_READY);
    s->began = clock_now();
    if (s->work.units == 0)
        PMPI_Send(s->send, s->count, s->type, 1, TAG_DATA, s->comm);
    else
        send_over_work(s, 1);
    double time = elapsed(s);
    await(s, 1, TAG_ACK);
    return as_published(time);
}

/* --- the control: communication first, computation afterwards; it must read 1 --- */

static struct overlap_round serial_first(struct overlap_side *s)
{
    await(s, 1, TAG_READY);
    s->began = clock_now();
    PMPI_Send(s->send, s->count, s->type, 1, TAG_DATA, s->comm);
    await(s, 1, TAG_ACK);
    work_do(&s->work);
    return as_published(elapsed(s) - s->latency[1]);
}

/* --- load: a ping-pong of blocking calls while N threads compute on both nodes --- */

static bool load_begin(struct overlap_side *s)
{
    s->own = work_threads_start(s->threads);
    return s->own != NULL;
}

static void load_end(struct overlap_side *s)
{
    work_threads_stop(s->own);
}

static struct overlap_round ping_first(struct overlap_side *s)
{
    await(s, 1, TAG_READY);
    s->began = clock_now();
    PMPI_Send(s->send, s->count, s->type, 1, TAG_DATA, s->comm);
    PMPI_Recv(s->recv, s->count, s->type, 1, TAG_DATA, s->comm, MPI_STATUS_IGNORE);
    return as_published(elapsed(s) / 2);
}

static void ping_others(struct overlap_side *s)
{
    MPI_Request request;
    if (s->rank > 1)
        return;
    PMPI_Irecv(s->recv, s->count, s->type, 0, TAG_DATA, s->comm, &request);
    notify(s, 0, TAG_READY);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    PMPI_Send(s->send, s->count, s->type, 0, TAG_DATA, s->comm);
}

/* --- non-blocking collective operations: all ranks start together, node 0 is timed --- */

struct collective_call {
    struct operation_call call;
    MPI_Comm comm; /* node 0 is the last rank if the benchmark says so, otherwise the first */
};

static bool collective_begin(struct overlap_side *s)
{
    bool twin;
    struct collective_call *c = calloc(1, sizeof *c);
    MPI_Comm comm;
    PMPI_Comm_split(s->comm, 0, s->benchmark->last ? -s->rank : s->rank, &comm);
    if (!c || !operation_prepare(&c->call, operation_find(s->benchmark->operation, &twin), comm, 0,
                                 s->bytes)) {
        PMPI_Comm_free(&comm);
        free(c);
        return false;
    }
    c->comm = comm;
    s->own = c;
    return true;
}

static void collective_end(struct overlap_side *s)
{
    struct collective_call *c = s->own;
    operation_release(&c->call);
    PMPI_Comm_free(&c->comm);
    free(c);
}

static struct overlap_round collective_first(struct overlap_side *s)
{
    struct collective_call *c = s->own;
    MPI_Request request;
    harmonize(s->start);
    s->began = clock_now();
    operation_start(&c->call, &request);
    work_do(&s->work);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
    return (struct overlap_round){.measured = elapsed(s), .published = NAN};
}

static void collective_others(struct overlap_side *s)
{
    collective_first(s);
}

const struct overlap_benchmark overlap_bases[N_BASES] = {
    [BASE_CONTIGUOUS] = {.first = ping_first, .others = ping_others},
    [BASE_VECTOR] = {.vector = true, .first = ping_first, .others = ping_others},
    [BASE_CPU] = {.first = cpu_first, .others = receive_others},
};

#define TWO .least_ranks = 2, .most_ranks = 2
#define COLLECTIVE(collective, about, ...)                                                         \
    {                                                                                              \
        "i" collective, about, BASE_NONE, .least_ranks = 2, .operation = (collective),             \
                                          .begin = collective_begin, .end = collective_end,        \
                                          .first = collective_first, .others = collective_others,  \
                                          __VA_ARGS__                                              \
    }

const struct overlap_benchmark overlap_benchmarks[] = {
    {"sender", "isend, compute, wait on the sending side", BASE_CONTIGUOUS, TWO,
     .first = send_first, .others = receive_others},
    {"receiver", "irecv, compute, wait on the receiving side", BASE_CONTIGUOUS, TWO,
     .first = receive_first, .others = send_others},
    {"both", "isend, compute, wait, irecv, compute, wait; the peer reversed", BASE_CONTIGUOUS, TWO,
     .first = both_first, .others = both_others},
    {"vector", "as sender, with blocks of 32 bytes at stride 64", BASE_VECTOR, TWO, .vector = true,
     .first = send_first, .others = receive_others},
    {"cpu", "isend, compute, wait, unacknowledged: the sender's processor time", BASE_CPU, TWO,
     .first = cpu_first, .others = receive_others},
    {"load", "blocking send and receive while N threads compute: slowdown", BASE_CONTIGUOUS, TWO,
     .by_threads = true, .begin = load_begin, .end = load_end, .first = ping_first,
     .others = ping_others},
    {"serial", "control: blocking send, then compute: must read 1", BASE_CONTIGUOUS, TWO,
     .first = serial_first, .others = receive_others},
    {"pending", "as sender, in 8 messages of an eighth at once", BASE_NONE, TWO,
     .messages = OVERLAP_MESSAGES, .first = send_first, .others = receive_others},
    {"destinations", "as sender, to up to 8 other ranks at once", BASE_NONE, .least_ranks = 3,
     .to_many = true, .first = send_first, .others = receive_others},
    COLLECTIVE("allreduce", "start the collective, compute, wait, on all ranks", .last = false),
    COLLECTIVE("alltoall", "as iallreduce; the size is that of a block", .last = false),
    COLLECTIVE("barrier", "as iallreduce; the size does not matter", .only_by_name = true),
    COLLECTIVE("gather", "as iallreduce, to node 0; the size is that of a block",
               .only_by_name = true),
    COLLECTIVE("allgather", "as iallreduce; the size is that of a block", .only_by_name = true),
    COLLECTIVE("reduce", "as iallreduce, to node 0", .only_by_name = true),
    COLLECTIVE("reduce-scatter", "as iallreduce; the size is that of a block",
               .only_by_name = true),
    COLLECTIVE("broadcast", "as iallreduce; node 0, which takes the time, is its last rank",
               .last = true, .only_by_name = true),
    COLLECTIVE("scatter", "as iallreduce; node 0 is its last rank; the size is that of a block",
               .last = true, .only_by_name = true),
    COLLECTIVE("scan", "as iallreduce; node 0 is its last rank", .last = true,
               .only_by_name = true),
};
const size_t n_overlap_benchmarks = sizeof overlap_benchmarks / sizeof *overlap_benchmarks;

const struct overlap_benchmark *overlap_find(const char *name)
{
    for (size_t i = 0; i < n_overlap_benchmarks; i++)
        if (strcmp(overlap_benchmarks[i].name, name) == 0)
            return &overlap_benchmarks[i];
    return NULL;
}
