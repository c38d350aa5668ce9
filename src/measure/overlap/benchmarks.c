/* The benchmarks: the paper's six and a control. The receiver is always ready first, by an explicit
 * message to node 0. */
#include "base/clock.h"
#include "measure/overlap/overlap.h"

#include <math.h>
#include <string.h>

enum { TAG_READY, TAG_DATA, TAG_ACK };

/* Messages of 0 bytes between the two nodes. */
static void send_signal(const struct overlap_side *s, int tag)
{
    PMPI_Send(NULL, 0, MPI_BYTE, 1 - s->rank, tag, s->comm);
}

static void await_signal(const struct overlap_side *s, int tag)
{
    PMPI_Recv(NULL, 0, MPI_BYTE, 1 - s->rank, tag, s->comm, MPI_STATUS_IGNORE);
}

static void send_data(const struct overlap_side *s)
{
    PMPI_Send(s->send, s->count, s->type, 1 - s->rank, TAG_DATA, s->comm);
}

static void send_over_work(const struct overlap_side *s)
{
    MPI_Request request;
    PMPI_Isend(s->send, s->count, s->type, 1 - s->rank, TAG_DATA, s->comm, &request);
    work_do(&s->work);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* With SIGNAL the peer gets a signal as soon as the receive is posted. */
static void receive_over_work(const struct overlap_side *s, const struct work *work, bool signal)
{
    MPI_Request request;
    PMPI_Irecv(s->recv, s->count, s->type, 1 - s->rank, TAG_DATA, s->comm, &request);
    if (signal)
        send_signal(s, TAG_READY);
    if (work)
        work_do(work);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void begin_timing(struct overlap_side *s)
{
    await_signal(s, TAG_READY);
    s->began = clock_now();
}

static double elapsed(const struct overlap_side *s)
{
    return clock_now() - s->began - s->clock_cost;
}

/* The paper's T_measured is the corrected one, too. */
static struct overlap_round as_published(double measured)
{
    return (struct overlap_round){.measured = measured, .published = measured};
}

/* --- sender side: isend, compute, wait, acknowledgement --- */

/* The data was there a latency before the acknowledgement, or while node 0 still computed or
 * waited. The paper takes off the latency in either case, though it cost nothing in the latter. */
static struct overlap_round send_first(struct overlap_side *s)
{
    begin_timing(s);
    send_over_work(s);
    struct overlap_round round = {.measured = elapsed(s)};
    await_signal(s, TAG_ACK);
    round.published = elapsed(s) - s->clock_cost - s->latency;
    round.measured = fmax(round.measured, round.published);
    return round;
}

/* Waiting at once makes it the paper's blocking call. */
static void receive_others(struct overlap_side *s)
{
    receive_over_work(s, NULL, true);
    send_signal(s, TAG_ACK);
}

/* --- receiver side: clear to send, irecv, compute, wait --- */

/* The clear to send travels for a latency, and only then can the message start. */
static struct overlap_round receive_first(struct overlap_side *s)
{
    begin_timing(s);
    send_signal(s, TAG_READY);
    double late = fmax(0, s->latency - elapsed(s));
    receive_over_work(s, &s->work, false);
    struct overlap_round round = as_published(elapsed(s) - s->latency);
    round.late = late;
    return round;
}

static void send_others(struct overlap_side *s)
{
    send_signal(s, TAG_READY);
    await_signal(s, TAG_READY);
    send_data(s);
}

/* --- both sides: there and back, both nodes computing all the while --- */

static struct overlap_round both_first(struct overlap_side *s)
{
    begin_timing(s);
    send_over_work(s);
    receive_over_work(s, &s->work, false);
    return as_published(elapsed(s) / 2);
}

static void both_others(struct overlap_side *s)
{
    receive_over_work(s, &s->work, true);
    send_over_work(s);
}

/* --- CPU overhead: isend, compute, wait; what of a send the sender's processor pays for --- */

/* T_comm is the time of a blocking send. The acknowledgement is not timed. */
static struct overlap_round cpu_first(struct overlap_side *s)
{
    begin_timing(s);
    if (s->work.units == 0)
        send_data(s);
    else
        send_over_work(s);
    double time = elapsed(s);
    await_signal(s, TAG_ACK);
    return as_published(time);
}

/* --- the control: communication first, computation afterwards; it must read 1 --- */

static struct overlap_round serial_first(struct overlap_side *s)
{
    begin_timing(s);
    send_data(s);
    await_signal(s, TAG_ACK);
    work_do(&s->work);
    return as_published(elapsed(s) - s->latency);
}

/* --- N threads load: a ping-pong of blocking calls while N threads compute on both nodes --- */

static struct overlap_round ping_first(struct overlap_side *s)
{
    begin_timing(s);
    send_data(s);
    PMPI_Recv(s->recv, s->count, s->type, 1, TAG_DATA, s->comm, MPI_STATUS_IGNORE);
    return as_published(elapsed(s) / 2);
}

static void ping_others(struct overlap_side *s)
{
    receive_over_work(s, NULL, true);
    send_data(s);
}

/* --- all of them --- */

const struct overlap_benchmark overlap_bases[N_BASES] = {
    [BASE_CONTIGUOUS] = {.first = ping_first, .others = ping_others},
    [BASE_VECTOR] = {.vector = true, .first = ping_first, .others = ping_others},
    [BASE_CPU] = {.first = cpu_first, .others = receive_others},
};

const struct overlap_benchmark overlap_benchmarks[] = {
    {"sender", "isend, compute, wait on the sending side", BASE_CONTIGUOUS, .first = send_first,
     .others = receive_others},
    {"receiver", "irecv, compute, wait on the receiving side", BASE_CONTIGUOUS,
     .first = receive_first, .others = send_others},
    {"both", "isend, compute, wait, irecv, compute, wait; the peer reversed", BASE_CONTIGUOUS,
     .first = both_first, .others = both_others},
    {"vector", "as sender, with blocks of 32 bytes at stride 64", BASE_VECTOR, .vector = true,
     .first = send_first, .others = receive_others},
    {"cpu", "isend, compute, wait, unacknowledged: the sender's processor time", BASE_CPU,
     .first = cpu_first, .others = receive_others},
    {"load", "blocking send and receive while N threads compute: slowdown", BASE_CONTIGUOUS,
     .by_threads = true, .first = ping_first, .others = ping_others},
    {"serial", "control: blocking send, then compute: must read 1", BASE_CONTIGUOUS,
     .first = serial_first, .others = receive_others},
};
const size_t n_overlap_benchmarks = sizeof overlap_benchmarks / sizeof *overlap_benchmarks;
