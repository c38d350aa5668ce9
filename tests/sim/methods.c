/* The broadcast methods against the simulator's exact clock.
 *
 * usage: methods --sizes=BYTES ALGORITHM...
 *
 * For 4, 16 and 64 of the ranks, evenly spread, every method's figure beside the truth, exit minus
 * entry on the one simulated clock. What it protects is said where it is judged. */
#include "bench.h"
#include "measure/collective/operation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SEND, ROUNDS, BARRIER, RING, ACK, OL, HELD, DIRECT, N_METHODS };
static const char *const names[N_METHODS] = {"send-latency", "rounds", "barrier", "ring-barrier",
                                             "acknowledge",  "ol",     "held",    "direct"};

enum { ALGORITHMS_MAX = 8, ROOTS_MAX = 16 };

struct test {
    struct bench bench;
    const struct bcast *algorithm[ALGORITHMS_MAX];
    int n_algorithms;
    const struct latency_method *method[N_METHODS];
    int failures;
    /* By algorithm, for the number of ranks before. */
    double send_before[ALGORITHMS_MAX], latency_before[ALGORITHMS_MAX];
};

/* The simulated clock is exact, so 1 % is all the methods' own error. */
static const double tolerance = 0.01;

static void expect(struct test *t, bool holds, const struct bcast *algorithm, const char *what)
{
    if (holds)
        return;
    t->failures++;
    printf("FAILED: %s: %s\n", algorithm->name, what);
}

static double off(struct estimate x, struct estimate truth)
{
    return x.value / truth.value - 1;
}

/* What the destinations of one outcome show. */
struct worst {
    double paper, held; /* relative to the truth, the largest by size */
    int violated, unmarked;
};

static struct worst look_at_destinations(const struct latency_outcome *o, int root)
{
    struct worst w = {0};
    for (int i = 0; i < o->size; i++) {
        const struct latency_figure *ol = &latency_result_of(o, "ol")->figure[i];
        struct estimate truth = latency_result_of(o, "direct")->figure[i].value;
        if (i == root)
            continue;
        double paper = off(ol->value, truth);
        double held = off(latency_result_of(o, "held")->figure[i].value, truth);
        bool violated = ol->verdict == VERDICT_VIOLATED;
        if (fabs(paper) > fabs(w.paper))
            w.paper = paper;
        if (fabs(held) > fabs(w.held))
            w.held = held;
        w.violated += violated;
        w.unmarked += fabs(paper - held) > 2 * tolerance && ol->verdict == VERDICT_HOLDS;
    }
    return w;
}

static void judge(struct test *t, const struct latency_outcome *o, const struct bcast *a,
                  const struct worst *w, double rounds_truth)
{
    const struct latency_result *m = o->result;
    double truth = m[DIRECT].value.value;
    expect(t, o->wrong_ranks == 0, a, "the data arrives");
    expect(t, m[HELD].measured == o->size - 1, a, "every destination is measured");
    expect(t, m[DIRECT].dropped == 0, a, "no rank is late for the direct method");
    expect(t, m[DIRECT].measured == o->size - 1, a, "the root is no destination");
    expect(t, fabs(samples_estimate(&m[DIRECT].series.samples).value / truth - 1) < tolerance, a,
           "its operations");
    expect(t, fabs(off(m[HELD].value, m[DIRECT].value)) <= tolerance, a, "max held OL_i is true");
    expect(t, fabs(w->held) <= tolerance, a, "held OL_i is true for every destination");
    expect(t, w->unmarked == 0, a, "where the paper's OL_i is off, it is marked");
    /* On a grid OL depends on the root, and rounds go over all of them. */
    expect(t, m[ROUNDS].value.value <= rounds_truth * (1 + 1e-4), a, "rounds <= mean OL");
    expect(t, m[BARRIER].value.value >= truth * (1 - 1e-4), a, "OL <= barrier");
    expect(t, m[RING].value.value >= truth * (1 - 1e-4), a, "OL <= ring barrier");
    expect(t, m[ACK].value.value >= truth * (1 - 1e-4), a, "OL <= acknowledge");
    expect(t, fabs(off(m[OL].value, m[DIRECT].value)) <= tolerance || w->violated > 0, a,
           "max OL_i is true, or marked");
}

/* *DATA: to be released. */
static struct latency_case make_case(const struct test *t, struct operation_call *data,
                                     MPI_Comm comm, const struct bcast *a, int root)
{
    if (!operation_prepare(data, operation_find("broadcast", NULL), comm, root, t->bench.sizes.min))
        MPI_Abort(MPI_COMM_WORLD, 1);
    data->by = a;
    struct latency_case c = operation_case(data, false);
    c.plan = plan_default();
    /* Back-pressure takes some operations to climb from a slow link to the root, and until then
     * the paper's loop is not in step: the interval of the median has to leave those out. */
    c.plan.repetitions = t->bench.size > 16 ? 8 : 24;
    c.plan.warmup = 1;
    c.plan.budget = 0;
    c.plan.stop = STOP_FIXED;
    return c;
}

/* Mean over all roots of the true OL; over every so many of them where there are many. */
static double mean_over_roots(const struct test *t, MPI_Comm comm, int size, const struct bcast *a)
{
    int step = size > ROOTS_MAX ? size / ROOTS_MAX : 1;
    double mean = 0;
    for (int root = 0; root < size; root += step) {
        struct latency_outcome o;
        struct operation_call data;
        struct latency_case c = make_case(t, &data, comm, a, root);
        c.plan.repetitions = 1;
        if (latency_measure(&c, &t->method[DIRECT], 1, &o) != MPI_SUCCESS)
            MPI_Abort(MPI_COMM_WORLD, 1);
        operation_release(&data);
        mean += o.size ? o.result[0].value.value * step / size : 0;
        latency_outcome_free(&o);
    }
    return mean;
}

static void test_algorithm(struct test *t, int k, MPI_Comm comm, int size)
{
    const struct bcast *a = t->algorithm[k];
    struct latency_outcome o;
    struct operation_call data;
    struct latency_case c = make_case(t, &data, comm, a, 0);
    if (latency_measure(&c, t->method, N_METHODS, &o) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    operation_release(&data);
    double rounds_truth = mean_over_roots(t, comm, size, a);
    if (o.size > 0) {
        double send = o.result[SEND].value.value, latency = o.result[DIRECT].value.value;
        struct worst w = look_at_destinations(&o, c.root);
        printf("%5d %-9s %.2f us, held %.2f, ol %.2f us, off by at most %+.2f %%\n", size, a->name,
               1e6 * latency, 1e6 * o.result[HELD].value.value, 1e6 * o.result[OL].value.value,
               100 * w.paper);
        judge(t, &o, a, &w, rounds_truth);
        /* So that the mark is known to bite: flat's root is still sending when the first answer
         * comes. */
        if (strcmp(a->name, "flat") == 0) {
            expect(t, w.paper > 1, a, "the paper's OL_i is more than 100 % off");
            expect(t, w.violated > 0, a, "its violations are marked");
        }
        /* The paper's figure 3: the root's gap says nothing about how a linear broadcast scales.
         * (Not on a grid, where the neighbour of the root may be across the slow link or not.) */
        if (strcmp(a->name, "linear") == 0 && t->send_before[k] > 0 &&
            fabs(rounds_truth / latency - 1) < tolerance) {
            expect(t, fabs(send / t->send_before[k] - 1) < 0.05, a, "send latency is flat in P");
            expect(t, latency / t->latency_before[k] > 3.5, a, "OL grows with P");
        }
        t->send_before[k] = send;
        t->latency_before[k] = latency;
    }
    latency_outcome_free(&o);
}

static void test_size(struct test *t, int size)
{
    MPI_Comm comm;
    int every = t->bench.size / size, in = t->bench.rank % every == 0;
    MPI_Comm_split(t->bench.comm, in ? 0 : MPI_UNDEFINED, 0, &comm);
    if (!in)
        return;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int k = 0; k < t->n_algorithms; k++)
        test_algorithm(t, k, comm, size);
    MPI_Comm_free(&comm);
}

static error_t take_word(struct option_parser *parser, void *options, char *word)
{
    struct test *t = options;
    if (!bcast_find(word) || t->n_algorithms == ALGORITHMS_MAX)
        return option_refuse(parser, "unexpected argument '%s'", word);
    t->algorithm[t->n_algorithms++] = bcast_find(word);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct option_program program = {.word = take_word};
    struct test t = {.n_algorithms = 0};
    bench_begin(&t.bench, &argc, &argv, &program);
    for (int k = 0; k < N_METHODS; k++)
        t.method[k] = latency_method_find(names[k]);
    for (int size = 4; size <= t.bench.size; size *= 4)
        test_size(&t, size);
    bench_finish(&t.bench, NULL, t.failures ? 3 : 0);
}
