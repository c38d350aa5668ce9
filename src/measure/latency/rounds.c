/* A broadcast from every root in turn. Figure 6 of the paper, with the orders that it names. */
#include "measure/latency/run.h"

#include <stdlib.h>

enum rounds_order { ROUNDS_FORWARD, ROUNDS_BACKWARD, ROUNDS_RANDOM };

struct rounds {
    struct latency_run *run;
    enum rounds_order order;
    int *root; /* the order of one round; all begin with the case's root */
    unsigned drawn;
};

/* A linear congruential generator: every rank must draw the same order, whatever its library. */
static unsigned draw(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void lay_out(struct rounds *q)
{
    const struct latency_run *r = q->run;
    int step = q->order == ROUNDS_BACKWARD ? r->size - 1 : 1;
    for (int k = 0; k < r->size; k++)
        q->root[k] = (int)((r->c->root + (long)k * step) % r->size);
    for (int i = r->size - 1; q->order == ROUNDS_RANDOM && i > 0; i--) {
        int j = (int)(draw(&q->drawn) % (unsigned)(i + 1)), t = q->root[i];
        q->root[i] = q->root[j];
        q->root[j] = t;
    }
}

/* One value per round: every rank receives in it, so that none runs far ahead of the others. */
static int batch_rounds(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    struct rounds *q = arg;
    struct latency_run *r = q->run;
    const struct latency_case *c = r->c;
    lay_out(q);
    TRY(PMPI_Barrier(c->comm));
    /* In the loop every round follows a broadcast from the last root: so does the first one. */
    TRY(run_once(r, q->root[r->size - 1]));
    double last = clock_now();
    for (int k = 0; k < b->repetitions; k++) {
        for (int j = 0; j < r->size; j++)
            TRY(run_once(r, q->root[j]));
        double now = clock_now();
        r->scratch[k] = (now - last - r->clock_cost) / r->size;
        last = now;
    }
    *n = b->repetitions;
    return values_to_keeper(c->comm, c->root, c->collector, r->scratch, value, *n, loop);
}

/* The first round shows how long one takes, and counts for nothing: where two would overdraw the
 * budget by a quarter, there is none. */
static bool has_time(const struct latency_run *r)
{
    double one = r->pilot.time ? pilot_time(&r->pilot, pilot_slowest(&r->pilot)) : r->one;
    return r->budget <= 0 || 2 * r->size * one < fmax(r->left, r->budget / 4);
}

static int run_order(struct latency_run *r, struct latency_result *result, enum rounds_order order)
{
    int go = !r->keeps || has_time(r);
    TRY(PMPI_Bcast(&go, 1, MPI_INT, r->c->collector, r->c->comm));
    result->over_budget = !go;
    if (!go)
        return MPI_SUCCESS;
    struct rounds q = {.run = r, .order = order, .root = malloc((size_t)r->size * sizeof *q.root)};
    int error = crew_agree(r->c->comm, q.root != NULL);
    if (error == MPI_SUCCESS)
        error = run_series(r, batch_rounds, &q, result);
    free(q.root);
    return error;
}

#define ROUNDS(SYMBOL, NAME, ORDER, SUMMARY)                                                       \
    static int run_##SYMBOL(struct latency_run *r, struct latency_result *result)                  \
    {                                                                                              \
        return run_order(r, result, ORDER);                                                        \
    }                                                                                              \
    const struct latency_method latency_##SYMBOL = {                                               \
        .name = NAME,                                                                              \
        .summary = SUMMARY,                                                                        \
        .reality =                                                                                 \
            "a lower bound on the mean latency (OL) over all roots; depends on their order",       \
        .value = "a round / P",                                                                    \
        .meaning = MEANS_LOWER_BOUND,                                                              \
        .weight = 1,                                                                               \
        .run = run_##SYMBOL}

ROUNDS(rounds, "rounds", ROUNDS_FORWARD,
       "M rounds of one broadcast from every root, in the order of ranks");
ROUNDS(rounds_backward, "rounds-backward", ROUNDS_BACKWARD, "the same, in the opposite order");
ROUNDS(rounds_random, "rounds-random", ROUNDS_RANDOM,
       "the same, in a random order that changes from batch to batch");
