/* Collectives measured pair by pair without a common clock, against the simulator's exact one.
 *
 * usage: collective --sizes=BYTES [OPERATION]...
 *
 * The truth for a pair: i enters long after everybody else, exit of j minus entry of i. Protects
 * that the mirrored method finds it within 0.1 % for every pair that the operation couples. What
 * the slowest is, and all at once, on platforms that nobody chose: sweep_collective.py. Without
 * operations: barriers that some are late for. */
#include "base/clock.h"
#include "bench.h"
#include "measure/collective/operation.h"
#include "measure/latency/latency.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double LIMIT = 0.001;

struct test {
    struct bench bench;
    const struct operation *operation[16];
    int n_operations, failures;
    const struct lateness *late;
};

static int runs, pauses;

static int run(void *arg, int root)
{
    (void)root;
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

/* The error of a pair, relative to the truth; a rank that is free to go at once (its time is that
 * of a few clock readings) has none. */
static double error_of(const struct latency_figure *f, double truth)
{
    double error = fabs(f->value.value - truth);
    return error > 1e-7 ? error / fmax(truth, 1e-7) : 0;
}

static void judge(struct test *t, const struct operation *o, const struct latency_result *m,
                  double worst, double slowest_truth)
{
    bool right = worst <= LIMIT && m->measured == m->asked &&
                 fabs(m->value.value / slowest_truth - 1) <= LIMIT;
    printf("%3d ranks %-10s %4d of %4d pairs  held %10.2f us (%2d to %2d)  truth %10.2f us  "
           "worst pair off %.3f %%%s\n",
           t->bench.size, o->name, m->measured, m->asked, 1e6 * m->value.value,
           m->figure[m->slowest].from, m->figure[m->slowest].to, 1e6 * slowest_truth, 100 * worst,
           right ? "" : "  FAILED");
    t->failures += !right;
}

/* All pairs, those of each source after its truth was measured. */
static void compare(struct test *t, const struct operation_call *call,
                    const struct latency_outcome *out)
{
    double worst = 0, slowest = 0, *truth = calloc((size_t)t->bench.size, sizeof *truth);
    const struct latency_result *m = out->result;
    for (int i = 0; i < t->bench.size; i++) {
        measure_truth(t, call, i, truth);
        for (int k = 0; out->size > 0 && k < m->n_figures; k++) {
            const struct latency_figure *f = &m->figure[k];
            if (f->from != i || !estimate_known(f->value))
                continue;
            worst = fmax(worst, error_of(f, truth[f->to]));
            slowest = fmax(slowest, truth[f->to]);
        }
    }
    if (out->size > 0)
        judge(t, call->operation, m, worst, slowest);
    free(truth);
}

static void test_operation(struct test *t, const struct operation *o)
{
    struct operation_call call;
    struct latency_outcome out;
    const struct latency_method *held = latency_method_find("held");
    if (!operation_prepare(&call, o, t->bench.comm, 0, t->bench.sizes.min))
        bench_refuse(&t->bench, "no memory for %s", o->name);
    struct latency_case c = {.comm = t->bench.comm,
                             .run = run,
                             .before = be_slow,
                             .arg = &call,
                             .kind = operation_kind(o),
                             .together = true,
                             .plan = plan_default()};
    c.plan.repetitions = 8;
    c.plan.stop = STOP_FIXED;
    c.plan.warmup = 1;
    c.plan.budget = 0;
    if (latency_measure(&c, &held, 1, &out) != MPI_SUCCESS) {
        t->failures++;
        return;
    }
    if (2 * pauses < runs || pauses > runs) {
        printf("FAILED: %s: %d times something was done before %d operations\n", o->name, pauses,
               runs);
        t->failures++;
    }
    compare(t, &call, &out);
    latency_outcome_free(&out);
    operation_release(&call);
}

/* Ranks that are late for operations, from the fourth on: times in a thousand, microseconds. */
struct lateness {
    const char *often, *us;
    int least, most; /* operations that are left out, of 40 */
};

static int run_barrier(void *arg, int root)
{
    const struct test *t = arg;
    (void)root;
    if (++runs > 3)
        setenv("SIM_NOISE", t->late->often, 1);
    return PMPI_Barrier(t->bench.comm);
}

/* What somebody is late for is left out, and all others are as without. */
static void test_together(struct test *t)
{
    struct latency_outcome out;
    struct latency_case c = {.comm = t->bench.comm,
                             .run = run_barrier,
                             .arg = t,
                             .together = true,
                             .plan = plan_default()};
    c.plan.repetitions = 40;
    c.plan.repeats_max = 2;
    c.plan.stop = STOP_FIXED;
    runs = 0;
    setenv("SIM_NOISE_US", t->late->us, 1);
    int error = latency_measure_direct(&c, &out);
    unsetenv("SIM_NOISE");
    bool right = error == MPI_SUCCESS;
    if (out.size > 0) {
        const struct latency_result *r = out.result;
        size_t n = r->series.samples.n;
        struct summary took = stats_summarize(r->series.samples.value, n);
        right = right && n + (size_t)r->dropped == 40 && r->dropped >= t->late->least &&
                r->dropped <= t->late->most && took.n == n && took.max < 1.001 * took.min &&
                r->entry_spread < 0.01 * took.min && fabs(r->loop_mean / took.mean - 1) < 1e-6;
        printf(
            "%3d ranks together: %zu barriers of %.2f to %.2f us, loops %.2f us, %d left out%s\n",
            out.size, n, 1e6 * took.min, 1e6 * took.max, 1e6 * r->loop_mean, r->dropped,
            right ? "" : "  FAILED");
    }
    t->failures += !right;
    latency_outcome_free(&out);
}

static error_t take_word(struct option_parser *parser, void *options, char *word)
{
    struct test *t = options;
    bool twin;
    if (!operation_find(word, &twin) || t->n_operations == 16)
        return option_refuse(parser, "unexpected argument '%s'", word);
    t->operation[t->n_operations++] = operation_find(word, &twin);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct option_program program = {.word = take_word};
    struct test t = {.n_operations = 0};
    bench_begin(&t.bench, &argc, &argv, MPI_THREAD_SINGLE, &program);
    for (int k = 0; k < t.n_operations; k++)
        test_operation(&t, t.operation[k]);
    static const struct lateness late[] = {
        {"0", "0", 0, 0}, {"20", "2000", 1, 10}, {"1000", "200", 1, 8}};
    for (int k = 0; k < 3 && !t.n_operations; k++) {
        t.late = &late[k];
        test_together(&t);
    }
    bench_finish(&t.bench, NULL, t.failures ? 3 : 0);
}
