/* Finds which messages of a sender delay each other: with several network ports not all do. Each
 * receiver acknowledges its message, so that only the sender's clock is needed. */
#include "base/clock.h"
#include "base/try.h"
#include "measure/pairs/pairs_inner.h"
#include "trees/schedule.h"

#include <math.h>
#include <stdlib.h>

/* TRIES of each test, but 1 with more ranks than FEW_RANKS. BUSY: messages by a port in a round. */
enum { TRIES = 3, FEW_RANKS = 16, ROUNDS = 24, BUSY = 32 };

struct fan {
    struct pairs_run *m;
    int count; /* bytes */
    /* This rank's rows, in this order: PAIRS_MEDIAN, _GAP, _SEND, _ANSWERED, _PORT. */
    const double *trip, *gap, *send, *alone;
    double *port;
    int *to, *found;         /* receivers of a test; by port: a rank that it reaches */
    int *sender;             /* by rank: whose messages it receives */
    double *time;            /* by receiver: see send_all() */
    struct vertex_key *left; /* scratch for sorting ranks */
    MPI_Request *in;
};

/* Sends to N ranks, one after the other, as broadcasts do, MESSAGES times. TIME[K]: seconds until
 * the K-th of them has acknowledged its last message, if shorter than before. */
static int send_all(const struct fan *f, int n, int messages)
{
    MPI_Comm comm = f->m->comm;
    for (int k = 0; k < n; k++)
        TRY(PMPI_Irecv(NULL, 0, MPI_BYTE, f->to[k], TAG_READY, comm, &f->in[k]));
    double start = clock_now();
    for (int k = 0; k < n * messages; k++)
        TRY(PMPI_Send(f->m->buffer, f->count, MPI_BYTE, f->to[k % n],
                      k < n * (messages - 1) ? TAG_RESULT : TAG_PING, comm));
    for (int k = 0, which; k < n; k++) {
        TRY(PMPI_Waitany(n, f->in, &which, MPI_STATUS_IGNORE));
        f->time[which] = fmin(f->time[which], clock_now() - start - f->m->clock_cost);
    }
    return MPI_SUCCESS;
}

static int fan_out(const struct fan *f, int n, int messages)
{
    for (int k = 0; k < n; k++)
        f->time[k] = INFINITY;
    for (int try = 0; try < (f->m->n > FEW_RANKS ? 1 : TRIES); try++)
        TRY(send_all(f, n, messages));
    return MPI_SUCCESS;
}

/* Sends to all ranks. *SEVERAL: whether messages leave earlier, by more than noise, than a single
 * port allows, which needs K gaps to send K messages. */
static int find_several(const struct fan *f, bool *several)
{
    int n = 0;
    double busy = 0, least = INFINITY;
    for (int v = 0; v < f->m->n; v++)
        if (v != f->m->rank) {
            f->to[n++] = v;
            least = fmin(least, f->gap[v]);
        }
    TRY(fan_out(f, n, 1));
    for (int k = 0; k < n; k++) {
        int v = f->to[k];
        f->left[k] = (struct vertex_key){f->time[k] - (f->alone[v] - f->gap[v]), v};
    }
    qsort(f->left, (size_t)n, sizeof *f->left, vertex_compare);
    for (int k = 0; k < n; k++) {
        int v = f->left[k].v;
        busy += f->gap[v];
        *several |= busy - f->left[k].key > least / 4 + 1e-3 * f->alone[v];
    }
    return MPI_SUCCESS;
}

/* Seconds until V acknowledges the last of MESSAGES if only a round's send CALLS delay them. */
static double time_alone(const struct fan *f, int v, int messages, double calls)
{
    return f->alone[v] + calls + (messages - 1) * fmax(f->gap[v], calls);
}

static double sum_calls(const struct fan *f, int n)
{
    double calls = 0;
    for (int k = 0; k < n; k++)
        calls += f->send[f->to[k]];
    return calls;
}

/* Whether bursts by ports FROM to TO - 1 delay a burst to left[K] by more than their send calls,
 * and as much as by its own port. A link behind its port may be slower and leave the port idle: so
 * bursts to receivers as fast as the port keep it busy half as long again. */
static int find_delay(const struct fan *f, int from, int to, int k, bool *delayed)
{
    int n = 0, v = f->left[k].v;
    double least = INFINITY, mine = f->gap[v];
    for (int port = from; port < to; port++) {
        const double gap = f->gap[f->found[port]], more = fmin(BUSY, ceil(1.5 * mine / gap));
        for (int i = 0, u, last = n + (int)more; n < last; i = (i + 1) % k)
            if ((u = f->left[i].v) != f->m->rank && (int)f->port[u] == port &&
                (u == f->found[port] || f->gap[u] <= PAIRS_SHARED * gap))
                f->to[n++] = u;
        least = fmin(least, fmax((more + 1) * gap - mine, mine / 2));
    }
    f->to[n] = v;
    TRY(fan_out(f, n + 1, PAIR_BURST));
    double alone = time_alone(f, v, PAIR_BURST, sum_calls(f, n + 1));
    *delayed = n > 0 && f->time[n] > alone + 0.9 * PAIR_BURST * least;
    return MPI_SUCCESS;
}

/* Assigns receivers to ports by bisection, one after the other, the fastest first. */
static int divide(const struct fan *f)
{
    int n = 0;
    for (int v = 0; v < f->m->n; v++)
        f->left[v] = (struct vertex_key){f->gap[v], v};
    qsort(f->left, (size_t)f->m->n, sizeof *f->left, vertex_compare);
    for (int k = 0; k < f->m->n; k++) {
        bool delayed;
        int v = f->left[k].v, from = 0, to = n;
        if (v == f->m->rank)
            continue;
        TRY(find_delay(f, from, to, k, &delayed));
        while (delayed && to - from > 1) {
            int middle = (from + to) / 2;
            bool lower;
            TRY(find_delay(f, from, middle, k, &lower));
            *(lower ? &to : &from) = middle;
        }
        if (delayed && n > 1) /* several together may delay V as much as its own does */
            TRY(find_delay(f, from, to, k, &delayed));
        if (!delayed)
            f->found[from = n++] = v;
        f->port[v] = from;
    }
    return MPI_SUCCESS;
}

static int acknowledge(const struct fan *f, int sender)
{
    MPI_Status status = {.MPI_TAG = TAG_PING};
    while (status.MPI_TAG != TAG_END) {
        TRY(PMPI_Recv(f->m->buffer, f->count, MPI_BYTE, sender, MPI_ANY_TAG, f->m->comm, &status));
        if (status.MPI_TAG == TAG_PING)
            TRY(PMPI_Send(NULL, 0, MPI_BYTE, sender, TAG_READY, f->m->comm));
    }
    return MPI_SUCCESS;
}

static int find_ports(const struct fan *f, int sender)
{
    bool several = false;
    if (f->m->rank != sender)
        return acknowledge(f, sender);
    int error = find_several(f, &several);
    if (error == MPI_SUCCESS && several)
        error = divide(f);
    for (int v = 0; v < f->m->n; v++)
        if (v != sender) /* also after an error: V waits for it */
            PMPI_Send(NULL, 0, MPI_BYTE, v, TAG_END, f->m->comm);
    return error;
}

/* Draws each rank's sender, alike on all ranks. Ranks that send (half of them, for a FAN fewer) are
 * their own senders: no rank sends and receives at the same time, as in a broadcast. */
static void draw_senders(const struct fan *f, int round, bool fan)
{
    unsigned short drawn[3] = {0, 0, (unsigned short)round};
    int n = f->m->n, senders = fan ? 1 + round / 2 % (n / 2) : n / 2;
    for (int v = 0; v < n; v++)
        f->left[v] = (struct vertex_key){erand48(drawn), v};
    qsort(f->left, (size_t)n, sizeof *f->left, vertex_compare);
    for (int i = 0; i < n; i++)
        f->sender[f->left[i].v] = f->left[i % senders].v;
}

/* Fills TO with this rank's receivers, for a FAN with one by each port. Returns their number. */
static int choose_receivers(const struct fan *f, bool fan)
{
    int n = 0;
    for (int v = 0; v < f->m->n; v++) {
        bool chosen = v != f->m->rank && f->sender[v] == f->m->rank;
        for (int k = 0; k < n; k++)
            chosen = chosen && fan && fabs(f->port[f->to[k]] - f->port[v]) > 0; /* not NaN */
        f->time[n] = INFINITY;
        if (chosen)
            f->to[n++] = v;
    }
    return n;
}

/* Sends MESSAGES to each of N receivers, when an empty message has shown that they are ready. */
static int send_drawn(const struct fan *f, int n, int messages)
{
    struct fan empty = *f;
    empty.count = 0;
    empty.time += f->m->n;
    TRY(send_all(&empty, n, 1));
    TRY(send_all(f, n, messages));
    for (int v = 0; v < f->m->n; v++)
        if (v != f->m->rank && f->sender[v] == f->m->rank)
            TRY(PMPI_Send(NULL, 0, MPI_BYTE, v, TAG_END, f->m->comm));
    return MPI_SUCCESS;
}

/* The largest ratio of a message's time to its time if ports shared only the send calls. */
static double find_factor(const struct fan *f, int n, int messages)
{
    double worst = 1, calls = sum_calls(f, n);
    for (int k = 0; k < n; k++) {
        int v = f->to[k];
        double late = f->time[k] - time_alone(f, v, messages, calls);
        worst = fmax(worst, 1 + late / messages / (f->trip[v] / 2));
    }
    return worst;
}

/* Several ranks send at the same time: in even rounds bursts to one receiver each, long enough to
 * overlap; in odd rounds one message by each port, as in a broadcast. */
static int test_round(const struct fan *f, int round, double *shared)
{
    bool fan = round % 2;
    int messages = fan ? 1 : PAIR_BURST;
    draw_senders(f, round, fan);
    int n = choose_receivers(f, fan), sender = f->sender[f->m->rank];
    for (int try = 0; try < TRIES; try++) {
        TRY(PMPI_Barrier(f->m->comm));
        TRY(sender == f->m->rank ? send_drawn(f, n, messages) : acknowledge(f, sender));
    }
    *shared = fmax(*shared, find_factor(f, n, messages));
    return MPI_SUCCESS;
}

static int search(const struct fan *f, double *shared)
{
    for (int sender = 0; sender < f->m->n; sender++) {
        TRY(pair_barrier(f->m));
        TRY(find_ports(f, sender));
    }
    for (int round = 0; f->m->n > 2 && round < ROUNDS; round++) {
        TRY(pair_barrier(f->m));
        TRY(test_round(f, round, shared));
    }
    return MPI_SUCCESS;
}

int ports_search(struct pairs_run *m, int size, double *shared)
{
    size_t n = (size_t)m->n, most = (BUSY + 1) * n;
    FREED int *ranks = malloc((most + 2 * n) * sizeof *ranks);
    FREED double *time = malloc(most * sizeof *time);
    FREED struct vertex_key *left = malloc(n * sizeof *left);
    FREED MPI_Request *in = malloc(most * sizeof *in);
    struct fan f = {.m = m,
                    .count = (int)m->plan->sizes[size],
                    .trip = pair_row(m, m->row, size, PAIRS_MEDIAN),
                    .gap = pair_row(m, m->row, size, PAIRS_GAP),
                    .send = pair_row(m, m->row, size, PAIRS_SEND),
                    .alone = pair_row(m, m->row, size, PAIRS_ANSWERED),
                    .port = pair_row(m, m->row, size, PAIRS_PORT),
                    .found = ranks,
                    .sender = ranks + n,
                    .to = ranks + 2 * n,
                    .time = time,
                    .left = left,
                    .in = in};
    *shared = 1;
    return sync_all_have(m->comm, ranks && time && left && in) ?: search(&f, shared);
}
