/* Which messages of a sender delay each other: on a host with several ports not all do. It sends to
 * several ranks, and each acknowledges its message, so that one clock is enough. */
#include "base/clock.h"
#include "base/try.h"
#include "measure/pairs/pairs_inner.h"
#include "trees/schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One try for many ranks, since each has many. */
enum { TRIES = 3, FEW_RANKS = 16 };

struct fan {
    const struct pairs_run *m;
    int count;                        /* bytes */
    const double *gap, *send, *alone; /* this rank's rows: PAIRS_GAP, _SEND, _ANSWERED */
    int *to, *found;                  /* receivers; for each port one that it reaches */
    double *time;                     /* of fan_out() */
    struct vertex_key *left;          /* by receiver: when its message had left */
    MPI_Request *in;
};

/* Sends to N ranks, one after the other, as broadcasts do, MESSAGES times. TIME: the shortest time
 * until each has acknowledged the last. */
static int fan_out(const struct fan *f, int n, int messages)
{
    MPI_Comm comm = f->m->comm;
    for (int k = 0; k < n; k++)
        f->time[k] = INFINITY;
    for (int try = 0; try < (f->m->n > FEW_RANKS ? 1 : TRIES); try++) {
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
    }
    return MPI_SUCCESS;
}

/* Sends to all ranks. Whether they have their messages earlier than a single port allows, from
 * which the K-th cannot leave before as many gaps. The difference counts if it is more than noise.
 */
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

/* Whether bursts by the ports FROM to TO delay one to V, which takes ALONE otherwise, by more than
 * their send calls. Single messages of different latencies may not meet. */
static int find_delay(const struct fan *f, int from, int to, int v, double alone, bool *delayed)
{
    double calls = 0, gap = f->gap[v];
    int n = to - from;
    for (int k = 0; k < n; k++) {
        f->to[k] = f->found[from + k];
        calls += f->send[f->to[k]];
        gap = fmin(gap, f->gap[f->to[k]]);
    }
    f->to[n] = v;
    TRY(fan_out(f, n + 1, PAIR_BURST));
    *delayed = f->time[n] > alone + PAIR_BURST * (calls + gap / 2);
    return MPI_SUCCESS;
}

/* Finds the ports by halving, one receiver after the other. */
static int divide(const struct fan *f, double *port)
{
    int n = 0;
    for (int v = 0; v < f->m->n; v++) {
        bool delayed = false; /* nothing delays the first */
        int from = 0, to = n;
        if (v == f->m->rank)
            continue;
        f->to[0] = v;
        TRY(fan_out(f, 1, PAIR_BURST));
        double alone = f->time[0];
        if (n > 0)
            TRY(find_delay(f, from, to, v, alone, &delayed));
        if (!delayed)
            f->found[from = n++] = v;
        while (delayed && to - from > 1) {
            int middle = (from + to) / 2;
            bool lower;
            TRY(find_delay(f, from, middle, v, alone, &lower));
            *(lower ? &to : &from) = middle;
        }
        port[v] = from;
    }
    return MPI_SUCCESS;
}

/* Receives from SENDER until it ends, and acknowledges as it demands. */
static int acknowledge(const struct pairs_run *m, int sender, int count)
{
    MPI_Status status = {.MPI_TAG = TAG_PING};
    while (status.MPI_TAG != TAG_END) {
        TRY(PMPI_Recv(m->buffer, count, MPI_BYTE, sender, MPI_ANY_TAG, m->comm, &status));
        if (status.MPI_TAG == TAG_PING)
            TRY(PMPI_Send(NULL, 0, MPI_BYTE, sender, TAG_READY, m->comm));
    }
    return MPI_SUCCESS;
}

int ports_find(struct pairs_run *m, int sender, int size)
{
    size_t n = (size_t)m->n;
    bool several = false;
    if (m->rank != sender)
        return acknowledge(m, sender, (int)m->plan->sizes[size]);
    struct fan f = {.m = m,
                    .count = (int)m->plan->sizes[size],
                    .gap = pair_row(m, m->row, size, PAIRS_GAP),
                    .send = pair_row(m, m->row, size, PAIRS_SEND),
                    .alone = pair_row(m, m->row, size, PAIRS_ANSWERED),
                    .to = malloc(2 * n * sizeof *f.to),
                    .time = malloc(n * sizeof *f.time),
                    .left = malloc(n * sizeof *f.left),
                    .in = malloc(n * sizeof *f.in)};
    f.found = f.to + n;
    int error = f.to && f.time && f.left && f.in ? find_several(&f, &several) : MPI_SUCCESS;
    if (error == MPI_SUCCESS && several)
        error = divide(&f, pair_row(m, m->row, size, PAIRS_PORT));
    for (int v = 0; v < m->n; v++)
        if (v != sender) /* also after an error: the others wait for it */
            PMPI_Send(NULL, 0, MPI_BYTE, v, TAG_END, m->comm);
    free(f.to);
    free(f.time);
    free(f.left);
    free(f.in);
    return error;
}
