/* Whole broadcasts in a loop: figures 2, 3, 6, 7 and 8 of the paper. */
#include "measure/bcast/run.h"

#include <stdlib.h>

/* The root times M back-to-back broadcasts. A single value: what a time stamp between two of
 * them sees is the library's buffering, only the mean over many is the gap. */
static int batch_send_latency(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    struct bcast_run *r = arg;
    TRY(PMPI_Barrier(r->c->comm));
    double start = clock_now();
    for (int k = 0; k < b->repetitions; k++)
        TRY(run_once(r, r->c->root));
    double end = clock_now();
    if (r->roots) {
        *loop = value[0] = (end - start - r->clock_cost) / b->repetitions;
        *n = 1;
    }
    return MPI_SUCCESS;
}

int run_send_latency(struct bcast_run *r, struct bcast_result *result)
{
    struct series s;
    TRY(run_series(r, run_part(r, 1), batch_send_latency, &s));
    result_from_series(result, &s);
    return MPI_SUCCESS;
}

enum rounds_order { ROUNDS_FORWARD, ROUNDS_BACKWARD, ROUNDS_RANDOM };

struct rounds {
    struct bcast_run *run;
    enum rounds_order order;
    int *root; /* the order of one round; all begin with the case's root */
};

/* A linear congruential generator: every rank must draw the same order, whatever its library. */
static unsigned draw(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void shuffle(int *x, int n, unsigned seed)
{
    for (int i = n - 1; i > 0; i--) {
        int j = (int)(draw(&seed) % (unsigned)(i + 1)), t = x[i];
        x[i] = x[j];
        x[j] = t;
    }
}

static void rounds_lay(const struct rounds *q)
{
    const struct bcast_run *r = q->run;
    int step = q->order == ROUNDS_BACKWARD ? r->size - 1 : 1;
    for (int k = 0; k < r->size; k++)
        q->root[k] = (int)((r->c->root + (long)k * step) % r->size);
    if (q->order == ROUNDS_RANDOM)
        shuffle(q->root, r->size, r->shuffles);
}

/* One value per round: every rank receives in it, so that none runs far ahead of the others. */
static int batch_rounds(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    struct rounds *q = arg;
    struct bcast_run *r = q->run;
    r->shuffles++;
    rounds_lay(q);
    TRY(PMPI_Barrier(r->c->comm));
    /* The loop is entered as it will be left: behind the last root's broadcast. */
    TRY(run_once(r, q->root[r->size - 1]));
    double start = clock_now(), last = start;
    for (int k = 0; k < b->repetitions; k++) {
        for (int j = 0; j < r->size; j++)
            TRY(run_once(r, q->root[j]));
        if (r->roots) {
            double now = clock_now();
            value[k] = (now - last - r->clock_cost) / r->size;
            last = now;
        }
    }
    if (r->roots) {
        *loop = ((last - start) / b->repetitions - r->clock_cost) / r->size;
        *n = b->repetitions;
    }
    return MPI_SUCCESS;
}

static int run_rounds(struct bcast_run *r, struct bcast_result *result, enum rounds_order order)
{
    struct series s;
    struct rounds q = {.run = r, .order = order, .root = malloc((size_t)r->size * sizeof *q.root)};
    int have = q.root != NULL, all;
    int error = PMPI_Allreduce(&have, &all, 1, MPI_INT, MPI_MIN, r->c->comm);
    if (error == MPI_SUCCESS)
        error = all ? series_measure(r->c->comm, r->c->root, &r->c->plan, run_part(r, 1), 0,
                                     batch_rounds, &q, &s)
                    : MPI_ERR_NO_MEM;
    free(q.root);
    TRY(error);
    result_from_series(result, &s);
    return MPI_SUCCESS;
}

int run_rounds_forward(struct bcast_run *r, struct bcast_result *result)
{
    return run_rounds(r, result, ROUNDS_FORWARD);
}

int run_rounds_backward(struct bcast_run *r, struct bcast_result *result)
{
    return run_rounds(r, result, ROUNDS_BACKWARD);
}

int run_rounds_random(struct bcast_run *r, struct bcast_result *result)
{
    return run_rounds(r, result, ROUNDS_RANDOM);
}

/* M operations, each timed from the end of the one before; the first is not timed. */
static int timed_loop(struct bcast_run *r, const struct batch *b,
                      int (*operation)(struct bcast_run *), double *value, int *n, double *loop)
{
    TRY(PMPI_Barrier(r->c->comm));
    TRY(operation(r));
    double last = run_refresh(r, clock_now()), sum = 0;
    for (int k = 0; k < b->repetitions; k++) {
        TRY(operation(r));
        if (r->roots) {
            double now = clock_now();
            value[k] = now - last - r->clock_cost;
            sum += value[k];
            last = run_refresh(r, now);
        }
    }
    if (r->roots) {
        *loop = sum / b->repetitions;
        *n = b->repetitions;
    }
    return MPI_SUCCESS;
}

static int bcast_then_barrier(struct bcast_run *r)
{
    TRY(run_once(r, r->c->root));
    return PMPI_Barrier(r->c->comm);
}

static int batch_barrier(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    return timed_loop(arg, b, bcast_then_barrier, value, n, loop);
}

int run_barrier(struct bcast_run *r, struct bcast_result *result)
{
    struct series s;
    TRY(run_series(r, run_part(r, 1), batch_barrier, &s));
    result_from_series(result, &s);
    return MPI_SUCCESS;
}

static int ring_pass(const struct bcast_run *r, bool receive, bool send)
{
    int before = (r->rank + r->size - 1) % r->size, after = (r->rank + 1) % r->size;
    MPI_Comm comm = r->c->comm;
    if (receive)
        TRY(PMPI_Recv(NULL, 0, MPI_BYTE, before, TAG_RING, comm, MPI_STATUS_IGNORE));
    if (send)
        TRY(PMPI_Send(NULL, 0, MPI_BYTE, after, TAG_RING, comm));
    return MPI_SUCCESS;
}

/* The paper's figure 5: communication starts at task 0, travels twice around the ring and ends
 * when it reaches task P-2 for the second time. */
static int ring_barrier(const struct bcast_run *r)
{
    TRY(ring_pass(r, r->rank > 0, true));
    bool second = r->rank <= r->size - 2;
    return ring_pass(r, second, second && r->rank < r->size - 2);
}

static int bcast_then_ring(struct bcast_run *r)
{
    TRY(run_once(r, r->c->root));
    return ring_barrier(r);
}

static int batch_ring_barrier(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    return timed_loop(arg, b, bcast_then_ring, value, n, loop);
}

int run_ring_barrier(struct bcast_run *r, struct bcast_result *result)
{
    struct series s;
    TRY(run_series(r, run_part(r, 1), batch_ring_barrier, &s));
    result_from_series(result, &s);
    return MPI_SUCCESS;
}

/* The paper's loop runs to P acknowledgements; P-1 is meant. */
static int bcast_then_acks(struct bcast_run *r)
{
    double ack = 0;
    MPI_Comm comm = r->c->comm;
    TRY(run_once(r, r->c->root));
    if (!r->roots)
        return PMPI_Send(&ack, 1, MPI_DOUBLE, r->c->root, TAG_ACK, comm);
    for (int k = 1; k < r->size; k++)
        TRY(PMPI_Recv(&ack, 1, MPI_DOUBLE, MPI_ANY_SOURCE, TAG_ACK, comm, MPI_STATUS_IGNORE));
    return MPI_SUCCESS;
}

static int batch_acknowledge(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    return timed_loop(arg, b, bcast_then_acks, value, n, loop);
}

int run_acknowledge(struct bcast_run *r, struct bcast_result *result)
{
    struct series s;
    TRY(run_series(r, run_part(r, 1), batch_acknowledge, &s));
    result_from_series(result, &s);
    return MPI_SUCCESS;
}
