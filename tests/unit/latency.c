/* The methods at broadcasts and fan-ins of known latency, over the fake MPI: what each makes of a
 * linear broadcast, where the paper's assumption fails, and what little time is spent on. */
#include "fake_mpi.h"

#include "base/clock.h"
#include "measure/latency/broadcast.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { RANKS = 4 };
static const double hop = 10e-6;

struct measured {
    const char *bcast; /* NULL: a fan-in to rank 0 */
    const char *only;  /* method; NULL: all */
    bool every;
    int root, collector;
    struct plan plan;
    struct latency_outcome out; /* the collector's */
};

/* Every rank sends to rank 0, which computes 5 us. */
static int fan_in(void *arg, int root)
{
    int rank, data = 0;
    (void)arg;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != root)
        return PMPI_Send(&data, 1, MPI_INT, root, 3, MPI_COMM_WORLD);
    for (int i = 1; i < RANKS; i++)
        PMPI_Recv(&data, 1, MPI_INT, i, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    fake_mpi_compute(5e-6);
    return MPI_SUCCESS;
}

/* What is done before an operation is not in its time. */
static void be_slow(void *arg)
{
    (void)arg;
    fake_mpi_compute(50e-6);
}

static void measure(int rank, void *arg)
{
    struct measured *m = arg;
    const struct latency_method *methods[32];
    struct latency_outcome out;
    char data[8] = "";
    struct broadcast b = {.bcast = m->bcast ? bcast_find(m->bcast) : NULL,
                          .buffer = data,
                          .count = sizeof data,
                          .type = MPI_BYTE,
                          .root = m->root,
                          .comm = MPI_COMM_WORLD};
    struct latency_case c = m->bcast ? broadcast_case(&b)
                                     : (struct latency_case){.comm = MPI_COMM_WORLD,
                                                             .run = fan_in,
                                                             .before = be_slow,
                                                             .kind = COLLECTIVE_TO_ROOT,
                                                             .together = true};
    size_t n = 0;
    c.check = NULL;
    c.every = m->every;
    c.collector = m->collector;
    c.plan = m->plan;
    for (size_t i = 0; i < n_latency_methods; i++)
        if (m->only ? strcmp(m->only, latency_methods[i]->name) == 0
                    : m->bcast || latency_methods[i]->kinds >> c.kind & 1)
            methods[n++] = latency_methods[i];
    cr_assert_eq(latency_measure(&c, methods, n, &out), MPI_SUCCESS);
    cr_assert_eq(out.size, rank == m->collector ? RANKS : 0);
    if (rank == m->collector)
        m->out = out;
}

static struct plan some(void)
{
    struct plan plan = plan_default();
    plan.repetitions = 12;
    plan.stop = STOP_FIXED;
    plan.budget = 0;
    return plan;
}

/* In hops. */
static double value(const struct measured *m, const char *method)
{
    return latency_result_of(&m->out, method)->value.value / hop;
}

static void expect(const struct measured *m, const char *method, double from, double to)
{
    double seen = value(m, method);
    cr_expect(seen > from - 0.05 && seen < to + 0.05, "%s: %g hops, not %g to %g", method, seen,
              from, to);
}

Test(latency, of_a_linear_broadcast_by_every_method)
{
    struct measured m = {.bcast = "linear", .plan = some()};
    cr_assert(fake_mpi_run(RANKS, measure, &m, &(struct fake_network){.latency = hop}));
    expect(&m, "held", 3, 3);
    expect(&m, "direct", 3, 3);
    expect(&m, "ol", 3, 3);
    expect(&m, "rounds", 0, 3);
    expect(&m, "rounds-backward", 0, 3);
    expect(&m, "rounds-random", 0, 3);
    expect(&m, "barrier", 3, 8);
    expect(&m, "ring-barrier", 3, 11);
    expect(&m, "acknowledge", 4, 4);
    expect(&m, "send-latency", 0, 0);
    expect(&m, "overhead", 0, 0);
    expect(&m, "repro-window", 3, 3);
    cr_expect_lt(value(&m, "osu"), value(&m, "osu-max"));
    cr_expect_lt(value(&m, "imb"), value(&m, "imb-max") + 1e-9);
    for (int i = 1; i < RANKS; i++) {
        const struct latency_figure *held = latency_figure_of(&m.out, "held", i);
        cr_expect_float_eq(held->value.value, i * hop, 0.05 * hop, "rank %d", i);
        cr_expect_float_eq(held->timed[TIMED_SEEN].at.value, i * hop, 0.05 * hop);
        cr_expect_float_eq(held->timed[TIMED_PING].at.value, hop, 0.05 * hop);
        cr_expect_float_eq(latency_figure_of(&m.out, "ol", i)->timed[TIMED_PING].at.value, 2 * hop,
                           0.05 * hop);
        cr_expect_float_eq(latency_figure_of(&m.out, "direct", i)->value.value, i * hop,
                           0.05 * hop);
    }
    const struct latency_result *held = latency_result_of(&m.out, "held");
    cr_expect(held->slowest == 3 && held->measured == 3 && held->asked == 3 && !held->at_least);
    latency_outcome_free(&m.out);
}

/* A root that needs 30 us for each send is busy with the third when the first answers. */
Test(latency, where_the_papers_assumption_fails)
{
    struct measured m = {.bcast = "flat", .plan = some()};
    cr_assert(fake_mpi_run(RANKS, measure, &m,
                           &(struct fake_network){.latency = hop, .overhead = 3 * hop}));
    const struct latency_figure *ol = latency_figure_of(&m.out, "ol", 1),
                                *held = latency_figure_of(&m.out, "held", 1);
    cr_expect_gt(ol->value.value, 1.2 * held->value.value);
    cr_expect_eq(ol->verdict, VERDICT_VIOLATED);
    cr_expect_gt(latency_result_of(&m.out, "ol")->violations, 0);
    expect(&m, "gap", 9, 9);
    expect(&m, "send-latency", 9, 9);
    expect(&m, "overhead", 9, 9);
    latency_outcome_free(&m.out);
}

Test(latency, of_a_fan_in_pair_by_pair)
{
    struct measured m = {.plan = some()};
    cr_assert(fake_mpi_run(RANKS, measure, &m, &(struct fake_network){.latency = hop}));
    for (int i = 1; i < RANKS; i++) {
        const struct latency_figure *f = latency_figure_of(&m.out, "held", i);
        cr_expect(f->from == i && f->to == 0);
        cr_expect_float_eq(f->value.value, 1.5 * hop, 0.05 * hop, "from %d", i);
    }
    expect(&m, "held", 1.5, 1.5);
    expect(&m, "direct", 1.5, 1.5);
    latency_outcome_free(&m.out);
}

/* Time for the slowest destination and no more: a pilot shows which that is. */
Test(latency, little_time_is_spent_on_the_slowest)
{
    struct measured m = {.bcast = "linear", .only = "held", .plan = some()};
    m.plan.budget = 25e-3;
    cr_assert(fake_mpi_run(RANKS, measure, &m, &(struct fake_network){.latency = hop}));
    const struct latency_result *held = latency_result_of(&m.out, "held");
    cr_expect(held->slowest == 3 && held->measured < 3 && !held->at_least,
              "%d measured, the slowest %d%s", held->measured, held->slowest,
              held->at_least ? ", at least" : "");
    expect(&m, "held", 3, 3);
    latency_outcome_free(&m.out);
}

/* The same time is shared by all pairs where every figure is wanted; none gets more than its share.
 */
Test(latency, little_time_is_shared_by_all)
{
    struct measured m = {.bcast = "linear", .only = "held", .every = true, .plan = some()};
    m.plan.budget = 25e-3;
    cr_assert(fake_mpi_run(RANKS, measure, &m, &(struct fake_network){.latency = hop}));
    const struct latency_result *held = latency_result_of(&m.out, "held");
    cr_expect(held->measured == 3 && held->asked == 3 && !held->at_least && held->slowest == 3,
              "%d of %d", held->measured, held->asked);
    size_t n = latency_figure_of(&m.out, "held", 1)->timed[TIMED_OPERATION].raw.n;
    for (int i = 2; i < RANKS; i++) {
        const struct latency_figure *f = latency_figure_of(&m.out, "held", i);
        cr_expect_float_eq(f->value.value, i * hop, 0.05 * hop);
        cr_expect_leq(f->timed[TIMED_OPERATION].raw.n, 3 * n);
    }
    latency_outcome_free(&m.out);
}

/* Root and collector are different ranks; the root's successor is the first destination. */
Test(latency, of_another_root_for_another_collector)
{
    struct measured m = {.bcast = "linear", .root = 2, .collector = 1, .plan = some()};
    cr_assert(fake_mpi_run(RANKS, measure, &m, &(struct fake_network){.latency = hop}));
    expect(&m, "held", 3, 3);
    expect(&m, "direct", 3, 3);
    expect(&m, "ol", 3, 3);
    expect(&m, "acknowledge", 4, 4);
    for (int i = 1; i < RANKS; i++)
        cr_expect_float_eq(latency_figure_of(&m.out, "held", (m.root + i) % RANKS)->value.value,
                           i * hop, 0.05 * hop, "%d after the root", i);
    latency_outcome_free(&m.out);
}
