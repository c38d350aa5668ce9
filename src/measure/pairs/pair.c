#include "measure/pairs/pair.h"

#include "base/clock.h"
#include "base/stats.h"
#include "base/try.h"
#include "measure/work.h"

#include <math.h>

enum { REPEATS_MIN = 3, REPEATS_WARM = 2, REPEATS_COLD = 24, BURSTS = 3, LATE = 7 };
static const double WARM_SECONDS = 0.05;

/* With PEER in the paper's order; otherwise all pairs in turn use the same. */
struct times pair_times(const struct measuring *m, int peer)
{
    size_t repeats = (size_t)m->plan->repeats,
           row = m->plan->order == PAIRS_PAPER ? (size_t)peer : 0;
    double *t = m->times + 4 * repeats * row;
    return (struct times){t, t + repeats, t + 2 * repeats};
}

int pair_exchange(const struct measuring *m, int peer, size_t bytes, struct times t, int k)
{
    int count = (int)bytes;
    bool first = m->rank < peer;
    if (!first)
        TRY(PMPI_Recv(m->buffer, count, MPI_BYTE, peer, TAG_PING, m->comm, MPI_STATUS_IGNORE));
    double start = clock_now();
    TRY(PMPI_Send(m->buffer, count, MPI_BYTE, peer, TAG_PING, m->comm));
    double sent = clock_now();
    if (first)
        TRY(PMPI_Recv(m->buffer, count, MPI_BYTE, peer, TAG_PING, m->comm, MPI_STATUS_IGNORE));
    double end = clock_now();
    t.send[k] = fmax(0, sent - start - m->clock_cost);
    t.trip[k] = fmax(0, end - start - (first ? 2 : 1) * m->clock_cost);
    t.begin[k] = m->plan->clock ? sync_global(m->plan->clock, start) : start;
    return MPI_SUCCESS;
}

/* How messages in a row are sent: begun; as segments of a broadcast are, which wait for the
 * receiver; and one by a call that blocks. */
enum how { BEGUN, EXPECTED, BLOCKING, HOWS };

static int send_burst(const struct measuring *m, int peer, int count, int n, enum how how,
                      double *post)
{
    MPI_Request out[PAIR_BURST] = {MPI_REQUEST_NULL};
    int (*begin)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *) =
        how == BEGUN ? PMPI_Isend : PMPI_Issend;
    TRY(PMPI_Recv(NULL, 0, MPI_BYTE, peer, TAG_READY, m->comm, MPI_STATUS_IGNORE));
    if (how == BLOCKING)
        TRY(PMPI_Send(m->buffer, count, MPI_BYTE, peer, TAG_PING, m->comm));
    double start = clock_now();
    for (int k = 0; k < n && how != BLOCKING; k++)
        TRY(begin(m->buffer, count, MPI_BYTE, peer, TAG_PING, m->comm, &out[k]));
    if (how != BLOCKING)
        *post = fmin(*post, (clock_now() - start - m->clock_cost) / n);
    for (int k = 0; k < n; k++)
        TRY(PMPI_Wait(&out[k], MPI_STATUS_IGNORE));
    /* They may still be under way: the other direction's time begins when they are not. */
    return PMPI_Recv(NULL, 0, MPI_BYTE, peer, TAG_READY, m->comm, MPI_STATUS_IGNORE);
}

/* From telling the other side to begin, all receives posted, until N messages are there. */
static int receive_burst(const struct measuring *m, int peer, int count, int n, double *least)
{
    MPI_Request in[PAIR_BURST];
    for (int k = 0; k < n; k++)
        TRY(PMPI_Irecv(m->buffer + (size_t)k * (size_t)count, count, MPI_BYTE, peer, TAG_PING,
                       m->comm, &in[k]));
    double start = clock_now();
    TRY(PMPI_Send(NULL, 0, MPI_BYTE, peer, TAG_READY, m->comm));
    for (int k = 0; k < n; k++)
        TRY(PMPI_Wait(&in[k], MPI_STATUS_IGNORE));
    *least = fmin(*least, clock_now() - start);
    return PMPI_Send(NULL, 0, MPI_BYTE, peer, TAG_READY, m->comm);
}

/* The least that one message takes, and PAIR_BURST of them, each way; each side gets that of what
 * it received, and what its own calls took. */
static int burst_both_ways(const struct measuring *m, int peer, size_t bytes, enum how how,
                           double *one, double *all, double *post)
{
    *one = *all = *post = INFINITY;
    for (int k = 0; k < BURSTS; k++) {
        for (int way = 0; way < (how == BLOCKING ? 2 : 4); way++) {
            int n = way < 2 ? 1 : PAIR_BURST;
            if ((m->rank < peer) == (way % 2 == 0))
                TRY(send_burst(m, peer, (int)bytes, n, how, post));
            else
                TRY(receive_burst(m, peer, (int)bytes, n, way < 2 ? one : all));
        }
    }
    return MPI_SUCCESS;
}

/* Not from the first arrival to the last: on a network that shares its bandwidth between messages
 * under way they all arrive at the end. */
static double gap_of(double one, double all)
{
    return fmax(0, all - one) / (PAIR_BURST - 1);
}

/* Receivers that come late, each way. What each side's call takes of a message that is there, and
 * whether its own send is still under way long after the message might have been. */
static int receive_late(const struct measuring *m, int peer, int count, double trip, int n,
                        double *receive, double *waits)
{
    double times[2][LATE];
    TRY(m->rank < peer
            ? PMPI_Send(&trip, 1, MPI_DOUBLE, peer, TAG_RESULT, m->comm)
            : PMPI_Recv(&trip, 1, MPI_DOUBLE, peer, TAG_RESULT, m->comm, MPI_STATUS_IGNORE));
    for (int k = 0; k < 2 * n; k++) {
        bool receives = (m->rank < peer) == (k % 2 == 0);
        if (receives) {
            TRY(PMPI_Send(NULL, 0, MPI_BYTE, peer, TAG_READY, m->comm));
            clock_hold(2 * trip);
        } else {
            TRY(PMPI_Recv(NULL, 0, MPI_BYTE, peer, TAG_READY, m->comm, MPI_STATUS_IGNORE));
        }
        double start = clock_now();
        TRY(receives
                ? PMPI_Recv(m->buffer, count, MPI_BYTE, peer, TAG_PING, m->comm, MPI_STATUS_IGNORE)
                : PMPI_Send(m->buffer, count, MPI_BYTE, peer, TAG_PING, m->comm));
        times[receives][k / 2] = clock_now() - start - m->clock_cost;
    }
    *receive = fmax(0, stats_median(times[1], (size_t)n));
    *waits = stats_median(times[0], (size_t)n) > trip;
    return MPI_SUCCESS;
}

static double count_outliers(const double *trip, int n, double median)
{
    int found = 0;
    for (int k = 0; k < n; k++)
        found += trip[k] > 5 * median;
    return found;
}

/* What else a side tells of a pair: its calls, its gap, and its clock. */
enum {
    TOLD_SEND,
    TOLD_POST,
    TOLD_GAP,
    TOLD_PACE,
    TOLD_SOONER,
    TOLD_CLOCK,
    TOLD_DOUBT,
    TOLD_RECEIVE,
    TOLD_WAITS,
    TOLD
};

/* What came from PEER in a row, and what this side's calls took. */
static int tell_bursts(const struct measuring *m, int peer, size_t bytes, double *told)
{
    double one[HOWS], all[HOWS], post[HOWS] = {NAN, NAN};
    for (enum how how = BEGUN; how < (m->plan->segments ? HOWS : EXPECTED); how++)
        TRY(burst_both_ways(m, peer, bytes, how, &one[how], &all[how], &post[how]));
    told[TOLD_GAP] = gap_of(one[BEGUN], all[BEGUN]);
    told[TOLD_POST] = told[TOLD_PACE] = told[TOLD_SOONER] = NAN;
    if (m->plan->segments) {
        told[TOLD_POST] = fmax(0, post[EXPECTED]);
        told[TOLD_PACE] = gap_of(one[EXPECTED], all[EXPECTED]);
        told[TOLD_SOONER] = one[BLOCKING] - one[EXPECTED];
    }
    return MPI_SUCCESS;
}

/* The shortest ways there and back, from the moments at which both sides began to send. */
static void tell_apart(const struct measuring *m, struct times t, const double *answered,
                       int repeats, struct outcome *o)
{
    o->way = o->way_back = INFINITY;
    for (int k = 0; k < repeats; k++) {
        double there = answered[k] - t.begin[k] - m->clock_cost;
        o->way = fmin(o->way, there);
        o->way_back = fmin(o->way_back, t.trip[k] - there);
    }
}

int pair_conclude(const struct measuring *m, int peer, int size, struct times t, int repeats)
{
    const struct sync_clock *clock = m->plan->clock;
    double mine[TOLD] = {stats_median(t.send, (size_t)repeats)}, theirs[TOLD];
    TRY(tell_bursts(m, peer, m->plan->sizes[size], mine));
    mine[TOLD_RECEIVE] = mine[TOLD_WAITS] = NAN;
    struct summary s = stats_summarize(t.trip, (size_t)repeats);
    if (m->plan->receives)
        TRY(receive_late(m, peer, (int)m->plan->sizes[size], s.median,
                         repeats < LATE ? repeats : LATE, &mine[TOLD_RECEIVE], &mine[TOLD_WAITS]));
    mine[TOLD_CLOCK] = clock ? clock->line.offset : 0;
    mine[TOLD_DOUBT] = clock ? sync_bound(clock, clock_now()) : 0;
    if (m->rank > peer) {
        TRY(PMPI_Send(mine, TOLD, MPI_DOUBLE, peer, TAG_RESULT, m->comm));
        return PMPI_Send(t.begin, repeats, MPI_DOUBLE, peer, TAG_RESULT, m->comm);
    }
    struct outcome *o = &m->outcome[(size_t)size * (size_t)m->n + (size_t)peer];
    double *answered = t.begin + m->plan->repeats;
    TRY(PMPI_Recv(theirs, TOLD, MPI_DOUBLE, peer, TAG_RESULT, m->comm, MPI_STATUS_IGNORE));
    TRY(PMPI_Recv(answered, repeats, MPI_DOUBLE, peer, TAG_RESULT, m->comm, MPI_STATUS_IGNORE));
    *o = (struct outcome){.mean = s.mean,
                          .sd = s.sd,
                          .median = s.median,
                          .min = s.min,
                          .outliers = count_outliers(t.trip, repeats, s.median),
                          .send = mine[TOLD_SEND],
                          .send_back = theirs[TOLD_SEND],
                          .post = mine[TOLD_POST],
                          .post_back = theirs[TOLD_POST],
                          .gap = theirs[TOLD_GAP], /* each has that of what came to it */
                          .gap_back = mine[TOLD_GAP],
                          .pace = theirs[TOLD_PACE],
                          .pace_back = mine[TOLD_PACE],
                          .sooner = theirs[TOLD_SOONER],
                          .sooner_back = mine[TOLD_SOONER],
                          .receive = theirs[TOLD_RECEIVE],
                          .receive_back = mine[TOLD_RECEIVE],
                          .waits = mine[TOLD_WAITS],
                          .waits_back = theirs[TOLD_WAITS]};
    tell_apart(m, t, answered, repeats, o);
    /* Those who follow one leader's clock, to the bit, read the same one. */
    if (mine[TOLD_CLOCK] != theirs[TOLD_CLOCK])
        o->doubt = mine[TOLD_DOUBT] + theirs[TOLD_DOUBT];
    return MPI_SUCCESS;
}

bool pair_is_over(const struct measuring *m)
{
    return m->plan->until > 0 && clock_now() > m->plan->until;
}

/* The lower rank sees from the warm-up how many repeats fit into the budget. It goes on when the
 * other one waits for its first message, not before. */
static int agree_on_repeats(const struct measuring *m, int peer, double trip, int *repeats)
{
    *repeats = m->plan->repeats;
    if (m->plan->budget <= 0)
        return MPI_SUCCESS;
    if (m->rank > peer) {
        TRY(PMPI_Recv(repeats, 1, MPI_INT, peer, TAG_RESULT, m->comm, MPI_STATUS_IGNORE));
        return PMPI_Send(NULL, 0, MPI_BYTE, peer, TAG_READY, m->comm);
    }
    if (pair_is_over(m))
        *repeats = 0;
    else if (trip * *repeats > m->plan->budget)
        *repeats = (int)fmin(*repeats, fmax(REPEATS_MIN, m->plan->budget / trip));
    TRY(PMPI_Send(repeats, 1, MPI_INT, peer, TAG_RESULT, m->comm));
    return PMPI_Recv(NULL, 0, MPI_BYTE, peer, TAG_READY, m->comm, MPI_STATUS_IGNORE);
}

/* Messages that are the first to reach a page of what they go through take several times as long as
 * those behind them: for as long as they do, of either side. *LEAST: the shortest round trip. */
static int warm_up(const struct measuring *m, int peer, size_t bytes, struct times t, double *least)
{
    double until = clock_now() + WARM_SECONDS;
    int n = REPEATS_WARM;
    for (bool cold = true; cold; n = REPEATS_COLD) {
        long before = work_page_faults();
        for (int k = 0; k < n; k++) {
            TRY(pair_exchange(m, peer, bytes, t, 0));
            *least = fmin(*least, t.trip[0]);
        }
        int mine[2] = {work_page_faults() > before, clock_now() > until}, theirs[2];
        TRY(PMPI_Sendrecv(mine, 2, MPI_INT, peer, TAG_READY, theirs, 2, MPI_INT, peer, TAG_READY,
                          m->comm, MPI_STATUS_IGNORE));
        cold = (mine[0] || theirs[0]) && !mine[1] && !theirs[1];
    }
    return MPI_SUCCESS;
}

int pair_measure(struct measuring *m, int peer)
{
    for (int s = 0; s < m->plan->n_sizes; s++) {
        size_t bytes = m->plan->sizes[s];
        int repeats;
        double least = INFINITY;
        struct times t = pair_times(m, peer);
        TRY(warm_up(m, peer, bytes, t, &least));
        TRY(agree_on_repeats(m, peer, least, &repeats));
        m->over = repeats == 0;
        if (m->over)
            break;
        for (int k = 0; k < repeats; k++)
            TRY(pair_exchange(m, peer, bytes, t, k));
        TRY(pair_conclude(m, peer, s, t, repeats));
    }
    return MPI_SUCCESS;
}
