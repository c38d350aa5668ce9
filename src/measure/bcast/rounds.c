/* A broadcast from every root in turn. Figure 6 of the paper, with the orders that it names. */
#include "measure/bcast/bcast_inner.h"

#include <stdlib.h>

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

void run_shuffle(int *x, int n, unsigned seed)
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
        run_shuffle(q->root, r->size, r->shuffles);
}

/* One value per round: every rank receives in it, so that none runs far ahead of the others. */
static int batch_rounds(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    struct rounds *q = arg;
    struct bcast_run *r = q->run;
    r->shuffles++;
    rounds_lay(q);
    TRY(PMPI_Barrier(r->c->comm));
    /* In the loop every round follows a broadcast from the last root: so does the first one. */
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

/* The first round shows how long one takes, and counts for nothing: where two would overdraw the
 * budget, and by much, there is none. */
static bool has_time(const struct bcast_run *r)
{
    double broadcast = r->scout.exit ? run_costs(r, run_slowest_scouted(r)) : 0;
    return r->budget <= 0 || 2 * r->size * broadcast < fmax(r->left, r->budget / 4);
}

static int run_rounds(struct bcast_run *r, struct bcast_result *result, enum rounds_order order)
{
    int go = !r->roots || has_time(r);
    TRY(PMPI_Bcast(&go, 1, MPI_INT, r->c->root, r->c->comm));
    result->over_budget = !go;
    if (!go)
        return MPI_SUCCESS;
    struct rounds q = {.run = r, .order = order, .root = malloc((size_t)r->size * sizeof *q.root)};
    int error = crew_agree(r->c->comm, q.root != NULL);
    if (error == MPI_SUCCESS)
        error = run_one_series(r, batch_rounds, &q, result);
    free(q.root);
    return error;
}

static int run_forward(struct bcast_run *r, struct bcast_result *result)
{
    return run_rounds(r, result, ROUNDS_FORWARD);
}

static int run_backward(struct bcast_run *r, struct bcast_result *result)
{
    return run_rounds(r, result, ROUNDS_BACKWARD);
}

static int run_random(struct bcast_run *r, struct bcast_result *result)
{
    return run_rounds(r, result, ROUNDS_RANDOM);
}

#define ROUNDS(ORDER, SUMMARY, RUN)                                                                \
    {                                                                                              \
        .name = ORDER, .summary = SUMMARY,                                                         \
        .reality =                                                                                 \
            "a lower bound on the mean latency (OL) over all roots; depends on their order",       \
        .value = "a round / P", .meaning = BCAST_LOWER_BOUND, .weight = 1, .run = RUN              \
    }

const struct bcast_method bcast_rounds = ROUNDS(
    "rounds", "M rounds of one broadcast from every root, in the order of ranks", run_forward);
const struct bcast_method bcast_rounds_backward =
    ROUNDS("rounds-backward", "the same, in the opposite order", run_backward);
const struct bcast_method bcast_rounds_random = ROUNDS(
    "rounds-random", "the same, in a random order that changes from batch to batch", run_random);
