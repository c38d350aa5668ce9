/* Collectives measured pair by pair without a common clock, against the simulator's exact one.
 *
 * usage: collective --sizes=BYTES OPERATION...
 *
 * The truth for a pair: i enters long after everybody else, exit of j minus entry of i. Protects
 * that the mirrored method finds it within 0.1 % for every pair that the operation couples. What
 * the slowest is, and all at once, on platforms that nobody chose: sweep_collective.py. */
#include "measure/collective/collective.h"
#include "base/clock.h"
#include "measure/collective/operation.h"
#include "program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LIMIT = 0.001;

struct test {
    struct bench bench;
    const struct operation *operation[16];
    int n_operations, failures;
};

static int runs, pauses;

static int run(void *arg)
{
    runs++;
    return operation_run(arg);
}

/* What is done before an operation is not in its time, however long it takes. Back to back, for the
 * gap, nothing is. */
static void be_slow(void *arg)
{
    (void)arg;
    pauses++;
    clock_hold(50e-6);
}

/* TRUTH[j] on rank 0: from LAST's entry, 1 s after the others, to j's exit. */
static void measure_truth(const struct test *t, const struct operation_call *call, int last,
                          double *truth)
{
    MPI_Comm comm = t->bench.comm;
    double stamps[2], *all = malloc(2 * (size_t)t->bench.size * sizeof *all);
    MPI_Barrier(comm);
    if (t->bench.rank == last)
        clock_hold(1);
    stamps[0] = clock_now();
    operation_run(call);
    stamps[1] = clock_now();
    clock_hold(2); /* what is sent next must not meet what LAST sends */
    MPI_Gather(stamps, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, 0, comm);
    for (int j = 0; t->bench.rank == 0 && j < t->bench.size; j++)
        truth[j] = all[2 * j + 1] - all[2 * last] - clock_cost();
    free(all);
}

/* The error of the worst pair, relative to the truth; a rank that is free to go at once (its
 * time is that of a few clock readings) has none. */
static double compare(const struct collective_mirrored *m, int from, const double *truth)
{
    double worst = 0;
    for (int j = 0; j < m->size; j++) {
        struct estimate e = m->pair[from * m->size + j].time;
        double error = fabs(e.value - truth[j]);
        if (e.value == e.value && error > 1e-7)
            worst = fmax(worst, error / fmax(truth[j], 1e-7));
    }
    return worst;
}

static void judge(struct test *t, const struct operation *o, const struct collective_mirrored *m,
                  double worst, double slowest_truth)
{
    double slowest = collective_slowest(m)->time.value;
    bool right =
        worst <= LIMIT && m->measured == m->asked && fabs(slowest / slowest_truth - 1) <= LIMIT;
    printf("%3d ranks %-10s %4d of %4d pairs  mirrored %10.2f us (%2d to %2d)  truth %10.2f us  "
           "worst pair off %.3f %%%s\n",
           m->size, o->name, m->measured, m->asked, 1e6 * slowest, m->slowest_from, m->slowest_to,
           1e6 * slowest_truth, 100 * worst, right ? "" : "  FAILED");
    t->failures += !right;
}

static void test_operation(struct test *t, const struct operation *o)
{
    int size = t->bench.size;
    struct operation_call call;
    struct collective_mirrored m;
    if (!operation_prepare(&call, o, t->bench.comm, 0, t->bench.sizes.min))
        bench_refuse(&t->bench, "no memory for %s", o->name);
    struct collective_case c = {.comm = t->bench.comm,
                                .run = run,
                                .before = be_slow,
                                .arg = &call,
                                .pattern = operation_pattern(o),
                                .plan = plan_default()};
    c.plan.repetitions = 8;
    c.plan.stop = STOP_FIXED;
    c.plan.warmup = 1;
    c.plan.budget = 0;
    if (collective_measure_mirrored(&c, &m) != MPI_SUCCESS) {
        t->failures++;
        return;
    }
    if (2 * pauses < runs || pauses > runs) {
        printf("FAILED: %s: %d times something was done before %d operations\n", o->name, pauses,
               runs);
        t->failures++;
    }
    double worst = 0, slowest = 0, *truth = calloc((size_t)size, sizeof *truth);
    for (int i = 0; i < size; i++) {
        measure_truth(t, &call, i, truth);
        if (m.size == 0)
            continue;
        worst = fmax(worst, compare(&m, i, truth));
        for (int j = 0; j < size; j++)
            if (estimate_known(m.pair[i * size + j].time))
                slowest = fmax(slowest, truth[j]);
    }
    if (m.size > 0)
        judge(t, o, &m, worst, slowest);
    free(truth);
    collective_mirrored_free(&m);
    operation_release(&call);
}

static error_t take_word(struct argp_state *state, void *options, char *word)
{
    struct test *t = options;
    bool twin;
    if (!operation_find(word, &twin) || t->n_operations == 16)
        return bench_bad_option(state, "unexpected argument '%s'", word);
    t->operation[t->n_operations++] = operation_find(word, &twin);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct bench_program program = {.word = take_word};
    struct test t = {.n_operations = 0};
    bench_begin(&t.bench, &argc, &argv, MPI_THREAD_SINGLE, &program);
    for (int k = 0; k < t.n_operations; k++)
        test_operation(&t, t.operation[k]);
    bench_finish(&t.bench, NULL, t.failures ? 3 : 0);
}
