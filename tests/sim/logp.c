/* g_j and o_i of de Supinski and Karonis, section 2, against what the simulated machine has.
 *
 * usage: logp OS OR    seconds that one send and one receive take a processor
 *
 * A task receives once, unless it is the root, and sends to each child: that is its o_i. The
 * interval between broadcasts at j is the largest o_i of j and those above it. Protects both, for
 * every rank. */
#include "bench.h"
#include "measure/latency/broadcast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct test {
    struct bench bench;
    double costs[2]; /* send, receive */
    int n_costs, failures;
};

static int parent_of(const char *algorithm, int i, int size)
{
    if (strcmp(algorithm, "binomial") == 0)
        return i & (i - 1);
    if (strcmp(algorithm, "linear") == 0)
        return i - 1;
    return strcmp(algorithm, "backward") == 0 ? (i + 1) % size : 0;
}

static double known_overhead(const struct test *t, const char *algorithm, int i)
{
    int children = 0;
    for (int j = 1; j < t->bench.size; j++)
        children += parent_of(algorithm, j, t->bench.size) == i;
    return children * t->costs[0] + (i > 0 ? t->costs[1] : 0);
}

static double known_gap(const struct test *t, const char *algorithm, int j)
{
    double gap = known_overhead(t, algorithm, j);
    for (int i = j; i != 0; gap = fmax(gap, known_overhead(t, algorithm, i)))
        i = parent_of(algorithm, i, t->bench.size);
    return gap;
}

/* 1 %, and the 10 ns that the simulator takes for looking at the clock. */
static bool near(double x, double known)
{
    return fabs(x - known) < 0.01 * known + 1.1e-8;
}

/* The gap is that of the rank that has the largest; what the root alone sees is its own. */
static void judge_largest(struct test *t, const char *algorithm, const struct latency_outcome *o)
{
    const struct latency_result *gap = latency_result_of(o, "gap");
    double largest = 0, root = known_gap(t, algorithm, 0);
    for (int j = 0; j < o->size; j++)
        largest = fmax(largest, known_gap(t, algorithm, j));
    const struct latency_result *send = latency_result_of(o, "send-latency");
    bool right = near(gap->value.value, largest) && near(gap->loop_mean, largest) &&
                 near(known_gap(t, algorithm, gap->slowest), largest) && gap->asked == o->size &&
                 gap->measured == o->size && near(send->value.value, root) &&
                 near(send->loop_mean, root);
    printf("%-9s gap %.2f us, of rank %d, by the root %.2f us%s\n", algorithm,
           1e6 * gap->value.value, gap->slowest, 1e6 * send->value.value, right ? "" : "  FAILED");
    t->failures += !right;
}

static void judge(struct test *t, const char *algorithm, const struct latency_outcome *o)
{
    for (int i = 0; i < o->size; i++) {
        double overhead = known_overhead(t, algorithm, i), gap = known_gap(t, algorithm, i);
        double overhead_seen = latency_figure_of(o, "overhead", i)->value.value;
        double gap_seen = latency_figure_of(o, "gap", i)->value.value;
        bool right = near(overhead_seen, overhead) && near(gap_seen, gap);
        printf("%-9s %2d  o_i %6.2f us, known %6.2f us  g_i %6.2f us, known %6.2f us%s\n",
               algorithm, i, 1e6 * overhead_seen, 1e6 * overhead, 1e6 * gap_seen, 1e6 * gap,
               right ? "" : "  FAILED");
        t->failures += !right;
    }
    if (o->size)
        judge_largest(t, algorithm, o);
}

static void measure(struct test *t, const char *algorithm)
{
    const struct latency_method *methods[] = {latency_method_find("gap"),
                                              latency_method_find("overhead"),
                                              latency_method_find("send-latency")};
    char buffer[256] = "";
    struct latency_outcome o;
    struct broadcast b = {.bcast = bcast_find(algorithm),
                          .buffer = buffer,
                          .count = sizeof buffer,
                          .type = MPI_BYTE,
                          .comm = t->bench.comm};
    struct latency_case c = broadcast_case(&b);
    c.plan = plan_default();
    c.plan.repetitions = 50;
    c.plan.stop = STOP_FIXED;
    c.plan.budget = 0;
    if (latency_measure(&c, methods, 3, &o) != MPI_SUCCESS)
        t->failures++;
    judge(t, algorithm, &o);
    latency_outcome_free(&o);
}

static error_t take_word(struct option_parser *parser, void *options, char *word)
{
    struct test *t = options;
    if (t->n_costs == 2)
        return option_refuse(parser, "unexpected argument '%s'", word);
    t->costs[t->n_costs++] = atof(word);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct option_program program = {.word = take_word};
    static const char *const algorithms[] = {"binomial", "linear", "backward", "flat"};
    struct test t = {.n_costs = 0};
    bench_begin(&t.bench, &argc, &argv, MPI_THREAD_SINGLE, &program);
    for (size_t k = 0; k < sizeof algorithms / sizeof *algorithms; k++)
        measure(&t, algorithms[k]);
    bench_finish(&t.bench, NULL, t.failures ? 3 : 0);
}
