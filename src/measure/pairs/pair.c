#include "measure/pairs/pairs_inner.h"

#include "base/clock.h"
#include "base/stats.h"
#include "base/try.h"
#include "measure/work.h"

#include <math.h>

enum { REPEATS_MIN = 3, REPEATS_WARM = 2, REPEATS_COLD = 24, BURSTS = 3, LATE = 7, PARTITIONS = 4 };
static const double WARM_SECONDS = 0.05;

/* In the paper's order each PEER has its own samples; otherwise all peers share one buffer. */
struct pair_times pair_samples(const struct pairs_run *m, int peer)
{
    size_t repeats = (size_t)m->plan->repeats,
           row = m->plan->order == PAIRS_PAPER ? (size_t)peer : 0;
    double *t = m->times + 4 * repeats * row;
    return (struct pair_times){t, t + repeats, t + 2 * repeats};
}

#ifdef HAVE_MPI_PERSISTENT
const bool pairs_partitioned = true;
#else
const bool pairs_partitioned = false;
#define PMPI_Psend_init(...) MPI_ERR_OTHER
#define PMPI_Precv_init(...) MPI_ERR_OTHER
#define PMPI_Pready(...) MPI_ERR_OTHER
#endif

/* Where an exchange receives a message of COUNT bytes: not over the data that it sends, as in a
 * repeated broadcast; otherwise each message would come from the other processor's cache. Bursts of
 * one or many messages do overwrite these data, which does not affect their difference. */
static char *inbox(const struct pairs_run *m, int count)
{
    return m->buffer + count;
}

/* Creates persistent or partitioned requests to and from PEER; none for standard messages. */
static int make_messages(struct pairs_run *m, int peer, int count)
{
    int parts = count % PARTITIONS ? 1 : PARTITIONS;
    m->partitions = 0;
    if (m->plan->messages == PAIRS_STANDARD)
        return MPI_SUCCESS;
    if (m->plan->messages == PAIRS_PERSISTENT) {
        TRY(PMPI_Send_init(m->buffer, count, MPI_BYTE, peer, TAG_PING, m->comm, &m->out));
        return PMPI_Recv_init(inbox(m, count), count, MPI_BYTE, peer, TAG_PING, m->comm, &m->in);
    }
    m->partitions = parts;
    TRY(PMPI_Psend_init(m->buffer, parts, count / parts, MPI_BYTE, peer, TAG_PING, m->comm,
                        MPI_INFO_NULL, &m->out));
    return PMPI_Precv_init(inbox(m, count), parts, count / parts, MPI_BYTE, peer, TAG_PING, m->comm,
                           MPI_INFO_NULL, &m->in);
}

static int free_messages(struct pairs_run *m)
{
    if (m->plan->messages == PAIRS_STANDARD)
        return MPI_SUCCESS;
    TRY(PMPI_Request_free(&m->out));
    return PMPI_Request_free(&m->in);
}

static int send(const struct pairs_run *m, int peer, int count)
{
    MPI_Request request = m->out;
    if (m->plan->messages == PAIRS_STANDARD)
        return PMPI_Send(m->buffer, count, MPI_BYTE, peer, TAG_PING, m->comm);
    TRY(PMPI_Start(&request));
    for (int k = 0; k < m->partitions; k++)
        TRY(PMPI_Pready(k, request));
    return PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

static int receive(const struct pairs_run *m, int peer, int count)
{
    MPI_Request request = m->in;
    if (m->plan->messages == PAIRS_STANDARD)
        return PMPI_Recv(inbox(m, count), count, MPI_BYTE, peer, TAG_PING, m->comm,
                         MPI_STATUS_IGNORE);
    TRY(PMPI_Start(&request));
    return PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

int pair_exchange(const struct pairs_run *m, int peer, size_t bytes, struct pair_times t, int k)
{
    int count = (int)bytes;
    bool first = m->rank < peer;
    if (!first)
        TRY(receive(m, peer, count));
    double start = clock_now();
    TRY(send(m, peer, count));
    double sent = clock_now();
    if (first)
        TRY(receive(m, peer, count));
    double end = clock_now();
    t.send[k] = fmax(0, sent - start - m->clock_cost);
    t.trip[k] = fmax(0, end - start - (first ? 2 : 1) * m->clock_cost);
    t.begin[k] = m->plan->clock ? sync_global(m->plan->clock, start) : start;
    return MPI_SUCCESS;
}

static int send_burst(const struct pairs_run *m, int peer, int count, int n)
{
    MPI_Request out[PAIR_BURST];
    TRY(PMPI_Recv(NULL, 0, MPI_BYTE, peer, TAG_READY, m->comm, MPI_STATUS_IGNORE));
    for (int k = 0; k < n; k++)
        TRY(PMPI_Isend(m->buffer, count, MPI_BYTE, peer, TAG_PING, m->comm, &out[k]));
    for (int k = 0; k < n; k++)
        TRY(PMPI_Wait(&out[k], MPI_STATUS_IGNORE));
    /* Wait until all have been received, before the other direction is timed. */
    return PMPI_Recv(NULL, 0, MPI_BYTE, peer, TAG_READY, m->comm, MPI_STATUS_IGNORE);
}

static int receive_burst(const struct pairs_run *m, int peer, int count, int n, double *time)
{
    MPI_Request in[PAIR_BURST];
    for (int k = 0; k < n; k++)
        TRY(PMPI_Irecv(m->buffer + (size_t)k * (size_t)count, count, MPI_BYTE, peer, TAG_PING,
                       m->comm, &in[k]));
    double start = clock_now();
    TRY(PMPI_Send(NULL, 0, MPI_BYTE, peer, TAG_READY, m->comm));
    for (int k = 0; k < n; k++)
        TRY(PMPI_Wait(&in[k], MPI_STATUS_IGNORE));
    *time = clock_now() - start;
    return PMPI_Send(NULL, 0, MPI_BYTE, peer, TAG_READY, m->comm);
}

/* GAP: time between messages of a burst from PEER. ANSWERED: time from sending PEER an empty
 * message until its reply of BYTES arrives. Both follow from median times of bursts of 1 and
 * PAIR_BURST messages. The first and last arrival do not show the gap: on a network that shares its
 * bandwidth among concurrent messages, all arrive at the end. */
static int measure_gap(const struct pairs_run *m, int peer, size_t bytes, double *answered,
                       double *gap)
{
    double one[BURSTS], all[BURSTS];
    for (int k = 0; k < BURSTS; k++) {
        for (int turn = 0; turn < 4; turn++) {
            int n = turn < 2 ? 1 : PAIR_BURST;
            if ((m->rank < peer) == (turn % 2 == 0))
                TRY(send_burst(m, peer, (int)bytes, n));
            else
                TRY(receive_burst(m, peer, (int)bytes, n, turn < 2 ? &one[k] : &all[k]));
        }
    }
    *answered = stats_median(one, BURSTS);
    *gap = fmax(0, stats_median(all, BURSTS) - *answered) / (PAIR_BURST - 1);
    return MPI_SUCCESS;
}

/* Makes the receiver late, in both directions. *RECEIVE: time of a receive call whose message has
 * arrived; *WAITS: 1 if a send waits for the receiver, so lasts longer than a round trip. */
static int receive_late(const struct pairs_run *m, int peer, int count, double trip, int n,
                        double *receive, double *waits)
{
    double times[2][LATE];
    for (int k = 0; k < 2 * n; k++) {
        bool receives = (m->rank < peer) == (k % 2 == 0);
        if (receives) {
            TRY(PMPI_Send(NULL, 0, MPI_BYTE, peer, TAG_READY, m->comm));
            clock_hold(2 * trip);
        } else {
            TRY(PMPI_Recv(NULL, 0, MPI_BYTE, peer, TAG_READY, m->comm, MPI_STATUS_IGNORE));
        }
        double start = clock_now();
        TRY(receives ? PMPI_Recv(inbox(m, count), count, MPI_BYTE, peer, TAG_PING, m->comm,
                                 MPI_STATUS_IGNORE)
                     : PMPI_Send(m->buffer, count, MPI_BYTE, peer, TAG_PING, m->comm));
        times[receives][k / 2] = clock_now() - start - m->clock_cost;
    }
    *receive = fmax(0, stats_median(times[1], (size_t)n));
    *waits = stats_median(times[0], (size_t)n) > trip;
    return MPI_SUCCESS;
}

/* One side's measurements: its calls, the gap of messages that it received, and its clock. */
struct side {
    double send, gap, answered, receive, waits, clock, bound;
};

/* The lower rank's measurements: round trips, and one-way latencies there and back. */
struct trip {
    double mean, sd, median, min, there, back;
};
enum { SIDE = sizeof(struct side) / sizeof(double), TRIP = sizeof(struct trip) / sizeof(double) };

/* Evaluates REPEATS round trips; reorders T. ANSWERED: when PEER began each reply. */
static struct trip find_trip(const struct pairs_run *m, struct pair_times t, double *answered,
                             int repeats)
{
    const double least = 1e-9; /* a coarse clock may read 0 for one exchange, which is impossible */
    struct summary s = stats_summarize(t.trip, (size_t)repeats);
    struct trip trip = {fmax(least, s.mean), s.sd, fmax(least, s.median), fmax(least, s.min), 0, 0};
    for (int k = 0; k < repeats; k++) {
        answered[k] -= t.begin[k] + m->clock_cost;
        t.trip[k] -= answered[k];
    }
    trip.there = stats_median(answered, (size_t)repeats);
    trip.back = stats_median(t.trip, (size_t)repeats);
    return trip;
}

/* Fills PEER's element of this rank's rows; directed quantities are for messages to PEER. Ranks
 * that share a clock have no clock error. */
static void fill_row(const struct pairs_run *m, int peer, int size, const struct trip *trip,
                     const struct side *mine, const struct side *theirs)
{
    const double cell[PAIRS_QUANTITIES] = {
        [PAIRS_MEAN] = trip->mean,
        [PAIRS_SD] = trip->sd,
        [PAIRS_MEDIAN] = trip->median,
        [PAIRS_MIN] = trip->min,
        [PAIRS_BOUND] = mine->clock == theirs->clock ? 0 : mine->bound + theirs->bound,
        [PAIRS_SEND] = mine->send,
        [PAIRS_RECEIVE] = theirs->receive,
        [PAIRS_GAP] = theirs->gap,
        [PAIRS_ANSWERED] = theirs->answered,
        [PAIRS_PORT] = NAN,
        [PAIRS_ONE_WAY] = m->rank < peer ? trip->there : trip->back,
        [PAIRS_RENDEZVOUS] = mine->waits,
    };
    for (enum pairs_quantity what = 0; what < PAIRS_QUANTITIES; what++)
        pair_row(m, m->row, size, what)[peer] = cell[what];
}

int pair_conclude(const struct pairs_run *m, int peer, int size, struct pair_times t, int repeats)
{
    const struct sync_clock *clock = m->plan->clock;
    size_t bytes = m->plan->sizes[size];
    double *answered = t.begin + m->plan->repeats;
    struct trip trip;
    struct side theirs, mine = {.send = stats_median(t.send, (size_t)repeats),
                                .receive = NAN,
                                .waits = NAN,
                                .clock = clock ? clock->leader : 0,
                                .bound = clock ? sync_bound(clock, clock_now()) : 0};
    TRY(measure_gap(m, peer, bytes, &mine.answered, &mine.gap));
    if (m->rank > peer) {
        TRY(PMPI_Send(t.begin, repeats, MPI_DOUBLE, peer, TAG_RESULT, m->comm));
        TRY(PMPI_Recv(&trip, TRIP, MPI_DOUBLE, peer, TAG_RESULT, m->comm, MPI_STATUS_IGNORE));
    } else {
        TRY(PMPI_Recv(answered, repeats, MPI_DOUBLE, peer, TAG_RESULT, m->comm, MPI_STATUS_IGNORE));
        trip = find_trip(m, t, answered, repeats);
        TRY(PMPI_Send(&trip, TRIP, MPI_DOUBLE, peer, TAG_RESULT, m->comm));
    }
    if (m->plan->receives)
        TRY(receive_late(m, peer, (int)bytes, trip.median, repeats < LATE ? repeats : LATE,
                         &mine.receive, &mine.waits));
    TRY(PMPI_Sendrecv(&mine, SIDE, MPI_DOUBLE, peer, TAG_RESULT, &theirs, SIDE, MPI_DOUBLE, peer,
                      TAG_RESULT, m->comm, MPI_STATUS_IGNORE));
    fill_row(m, peer, size, &trip, &mine, &theirs);
    return MPI_SUCCESS;
}

/* The lower rank decides from the warm-up how many repeats fit into the budget, and returns only
 * when the other rank is ready for its first message. */
static int agree_on_repeats(const struct pairs_run *m, int peer, double trip, int *repeats)
{
    *repeats = m->plan->repeats;
    if (m->plan->budget <= 0)
        return MPI_SUCCESS;
    if (m->rank > peer) {
        TRY(PMPI_Recv(repeats, 1, MPI_INT, peer, TAG_RESULT, m->comm, MPI_STATUS_IGNORE));
        return PMPI_Send(NULL, 0, MPI_BYTE, peer, TAG_READY, m->comm);
    }
    if (trip * *repeats > m->plan->budget)
        *repeats = (int)fmin(*repeats, fmax(REPEATS_MIN, m->plan->budget / trip));
    TRY(PMPI_Send(repeats, 1, MPI_INT, peer, TAG_RESULT, m->comm));
    return PMPI_Recv(NULL, 0, MPI_BYTE, peer, TAG_READY, m->comm, MPI_STATUS_IGNORE);
}

/* Exchanges messages until they cause no more page faults on either side, since the first messages
 * through a new page take several times longer. *LEAST: the shortest round trip. */
static int warm_up(const struct pairs_run *m, int peer, size_t bytes, struct pair_times t,
                   double *least)
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

int pair_measure(struct pairs_run *m, int peer)
{
    for (int s = 0; s < m->plan->n_sizes; s++) {
        size_t bytes = m->plan->sizes[s];
        int repeats;
        double least = INFINITY;
        struct pair_times t = pair_samples(m, peer);
        TRY(make_messages(m, peer, (int)bytes));
        TRY(warm_up(m, peer, bytes, t, &least));
        TRY(agree_on_repeats(m, peer, least, &repeats));
        for (int k = 0; k < repeats; k++)
            TRY(pair_exchange(m, peer, bytes, t, k));
        TRY(free_messages(m));
        TRY(pair_conclude(m, peer, s, t, repeats));
    }
    return MPI_SUCCESS;
}
