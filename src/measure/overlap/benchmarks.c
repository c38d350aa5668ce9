/* The overlap benchmarks: the paper's six, a control ("serial", without overlap) and some more.
 * Each has a list of steps for node 0 (rank 0) and another list for the other ranks. The receiver
 * posts its receive, then sends 0 bytes as a notice, for which the sender waits. */
#include "base/clock.h"
#include "measure/overlap/overlap.h"

#include <math.h>

enum { TAG_NOTICE, TAG_DATA };

/* The steps of a round. Node 0's peers are all receivers; the other ranks' peer is node 0. */
enum {
    STEPS_END,
    NOTIFY, /* send a notice of 0 bytes to the peer */
    AWAIT,  /* receive a notice from each peer */
    BEGIN,  /* start the clock: T_measured begins */
    CLEAR,  /* node 0: NOTIFY, and find how much of the notice's latency is left */
    ISEND,  /* start to send the data to each peer */
    IRECV,  /* start to receive the data from one peer */
    WORK,   /* the computation */
    WAIT,   /* complete all requests */
    SEND,   /* blocking send of the data to one peer */
    RECV,
    TIME,              /* stop the clock: T_measured ends */
    TIME_LESS_LATENCY, /* TIME, but minus the latency of the notice that the time contains */
    TIME_HALF,         /* half of TIME, since the round has two messages in turn */
    ACKNOWLEDGED       /* node 0: AWAIT notices, and find from them when the data arrived */
};

static double elapsed(const struct overlap_side *s)
{
    return clock_now() - s->began - s->clock_cost;
}

static int peer_of(const struct overlap_side *s, int i)
{
    return s->stage->rank == 0 ? s->first + i : 0;
}

static void notify(const struct overlap_side *s)
{
    PMPI_Send(NULL, 0, MPI_BYTE, peer_of(s, 0), TAG_NOTICE, s->stage->comm);
}

/* Starts PARTS messages that share the data: to each peer in turn, or (not SENDS) from one peer. */
static void start_messages(struct overlap_side *s, bool sends)
{
    int peers = s->stage->rank == 0 && sends ? s->peers : 1;
    int count = s->count < s->parts ? 1 : s->count / s->parts;
    for (int i = 0; i < peers * s->parts; i++) {
        MPI_Request *request = &s->request[s->pending++];
        size_t at = (size_t)(i / peers) * (size_t)count;
        if (sends)
            PMPI_Isend(s->stage->send + at, count, s->type, peer_of(s, i % peers), TAG_DATA,
                       s->stage->comm, request);
        else
            PMPI_Irecv(s->stage->recv + at, count, s->type, peer_of(s, 0), TAG_DATA, s->stage->comm,
                       request);
    }
}

/* T_measured ends when the data arrive, one latency before their acknowledgement, or when node 0
 * has computed and waited, if that is later. PUBLISHED: as in the paper, which always subtracts the
 * latency, even if the acknowledgement came while node 0 still computed. Receives are posted for
 * all peers at once, since a library may send to some peers only while node 0 is in a call. */
static void take_acknowledgements(struct overlap_side *s)
{
    struct overlap_round *round = &s->round;
    for (int i = 0; i < s->peers; i++)
        PMPI_Irecv(NULL, 0, MPI_BYTE, peer_of(s, i), TAG_NOTICE, s->stage->comm, &s->request[i]);
    for (int i = 0, which; i < s->peers; i++) {
        PMPI_Waitany(s->peers, s->request, &which, MPI_STATUS_IGNORE);
        round->published =
            elapsed(s) - (i + 1) * s->clock_cost - s->stage->latency[peer_of(s, which)];
        round->measured = fmax(round->measured, round->published);
    }
}

/* --- the steps --- */

static void take_step(struct overlap_side *s, int step)
{
    switch (step) {
    case NOTIFY:
        notify(s);
        break;
    case AWAIT:
        for (int i = 0; i < (s->stage->rank == 0 ? s->peers : 1); i++)
            PMPI_Recv(NULL, 0, MPI_BYTE, peer_of(s, i), TAG_NOTICE, s->stage->comm,
                      MPI_STATUS_IGNORE);
        break;
    case BEGIN:
        s->began = clock_now();
        break;
    case CLEAR:
        notify(s); /* the message cannot start before this notice arrives */
        s->round.late = fmax(0, s->stage->latency[1] - elapsed(s));
        break;
    case ISEND:
    case IRECV:
        start_messages(s, step == ISEND);
        break;
    case WORK:
        if (s->work)
            work_do(s->work);
        break;
    case WAIT:
        for (int i = 0; i < s->pending; i++)
            PMPI_Wait(&s->request[i], MPI_STATUS_IGNORE);
        s->pending = 0;
        break;
    case SEND:
        PMPI_Send(s->stage->send, s->count, s->type, peer_of(s, 0), TAG_DATA, s->stage->comm);
        break;
    case RECV:
        PMPI_Recv(s->stage->recv, s->count, s->type, peer_of(s, 0), TAG_DATA, s->stage->comm,
                  MPI_STATUS_IGNORE);
        break;
    case ACKNOWLEDGED:
        take_acknowledgements(s);
        break;
    default:
        s->round.measured = elapsed(s);
        if (step == TIME_HALF)
            s->round.measured /= 2;
        else if (step == TIME_LESS_LATENCY)
            s->round.measured -= s->stage->latency[1];
        s->round.published = s->round.measured;
    }
}

struct overlap_round overlap_play(struct overlap_side *s, const struct work *work)
{
    const struct overlap_benchmark *b = s->benchmark;
    const int rank = s->stage->rank;
    s->round = (struct overlap_round){0};
    s->work = work;
    s->parts = b->messages ? b->messages : 1;
    s->peers = !b->to_many                             ? 1
               : s->stage->size - 1 < OVERLAP_MESSAGES ? s->stage->size - 1
                                                       : OVERLAP_MESSAGES;
    if (rank > 0 && (rank < s->first || rank >= s->first + s->peers))
        return s->round;
    const int *step = rank > 0 ? b->others : !work && b->without_work ? b->without_work : b->first;
    for (; *step != STEPS_END; step++)
        take_step(s, *step);
    return s->round;
}

#define STEPS(...) ((const int[]){__VA_ARGS__, STEPS_END})
#define RECEIVES STEPS(IRECV, NOTIFY, WAIT, NOTIFY)
#define SENDS STEPS(AWAIT, BEGIN, ISEND, WORK, WAIT, TIME, ACKNOWLEDGED)
#define PING_PONG                                                                                  \
    .first = STEPS(AWAIT, BEGIN, SEND, RECV, TIME_HALF), .others = STEPS(IRECV, NOTIFY, WAIT, SEND)
/* Benchmark "cpu": T_comm is the time of a blocking send; the acknowledgement is not timed. */
#define CPU                                                                                        \
    .first = STEPS(AWAIT, BEGIN, ISEND, WORK, WAIT, TIME, AWAIT),                                  \
    .without_work = STEPS(AWAIT, BEGIN, SEND, TIME, AWAIT), .others = RECEIVES

const struct overlap_benchmark overlap_bases[N_BASES] = {
    [BASE_CONTIGUOUS] = {PING_PONG},
    [BASE_VECTOR] = {.vector = true, PING_PONG},
    [BASE_CPU] = {CPU},
};

const struct overlap_benchmark overlap_benchmarks[] = {
    {"sender", BASE_CONTIGUOUS, .first = SENDS, .others = RECEIVES},
    {"receiver", BASE_CONTIGUOUS,
     .first = STEPS(AWAIT, BEGIN, CLEAR, IRECV, WORK, WAIT, TIME_LESS_LATENCY),
     .others = STEPS(NOTIFY, AWAIT, SEND)},
    {"both", BASE_CONTIGUOUS,
     .first = STEPS(AWAIT, BEGIN, ISEND, WORK, WAIT, IRECV, WORK, WAIT, TIME_HALF),
     .others = STEPS(IRECV, NOTIFY, WORK, WAIT, ISEND, WORK, WAIT)},
    {"vector", BASE_VECTOR, .vector = true, .first = SENDS, .others = RECEIVES},
    {"cpu", BASE_CPU, CPU},
    {"load", BASE_CONTIGUOUS, .by_threads = true, PING_PONG},
    {"serial", BASE_CONTIGUOUS, .first = STEPS(AWAIT, BEGIN, SEND, AWAIT, WORK, TIME_LESS_LATENCY),
     .others = RECEIVES},
    {"pending", BASE_NONE, .messages = OVERLAP_MESSAGES, .first = SENDS, .others = RECEIVES},
    {"destinations", BASE_NONE, .to_many = true, .first = SENDS, .others = RECEIVES},
};
const size_t n_overlap_benchmarks = sizeof overlap_benchmarks / sizeof *overlap_benchmarks;
