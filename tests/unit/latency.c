/* The methods over the fake MPI: where the paper's assumption fails, and a fan-in that something is
 * done before. What each makes of other operations: benches.c. */
#include "fake_mpi.h"

#include "base/clock.h"
#include "measure/collective/operation.h"
#include "unit.h"

enum { RANKS = 4 };
static const double hop = 10e-6;

struct measured {
    const struct bcast *bcast;  /* NULL: a fan-in to rank 0 */
    double budget;              /* 0: no limit */
    struct latency_outcome out; /* of rank 0 */
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
    struct operation_call data;
    cr_assert(operation_prepare(&data, operation_find("broadcast", NULL), MPI_COMM_WORLD, 0, 8));
    data.by = m->bcast;
    struct latency_case c = m->bcast ? operation_case(&data, false)
                                     : (struct latency_case){.comm = MPI_COMM_WORLD,
                                                             .run = fan_in,
                                                             .before = be_slow,
                                                             .kind = COLLECTIVE_TO_ROOT,
                                                             .together = true};
    size_t n = 0;
    c.check = NULL;
    c.plan = plan_default();
    c.plan.repetitions = 12;
    c.plan.stop = STOP_FIXED;
    c.plan.budget = m->budget;
    for (size_t i = 0; i < n_latency_methods; i++)
        if (m->bcast || latency_methods[i]->kinds >> c.kind & 1)
            methods[n++] = latency_methods[i];
    cr_assert_eq(latency_measure(&c, methods, n, &out), MPI_SUCCESS);
    cr_assert_eq(out.size, rank == 0 ? RANKS : 0);
    operation_release(&data);
    if (rank == 0)
        m->out = out;
}

static void expect(const struct measured *m, const char *method, double hops)
{
    double seen = latency_result_of(&m->out, method)->value.value / hop;
    cr_expect_float_eq(seen, hops, 0.05, "%s: %g hops, not %g", method, seen, hops);
}

/* A root that needs 30 us for each send is busy with the third when the first answers. */
Test(latency, where_the_papers_assumption_fails)
{
    struct measured m = {.bcast = &tree_flat};
    cr_assert(fake_mpi_run(RANKS, measure, &m,
                           &(struct fake_network){.latency = hop, .overhead = 3 * hop}));
    const struct latency_figure *ol = &latency_result_of(&m.out, "ol")->figure[1],
                                *held = &latency_result_of(&m.out, "held")->figure[1];
    cr_expect_gt(ol->value.value, 1.2 * held->value.value);
    cr_expect_eq(ol->verdict, VERDICT_VIOLATED);
    cr_expect_gt(latency_result_of(&m.out, "ol")->violations, 0);
    expect(&m, "gap", 9);
    expect(&m, "send-latency", 9);
    expect(&m, "overhead", 9);
    latency_outcome_free(&m.out);
}

static double farther(int from, int to, size_t bytes)
{
    (void)bytes;
    return (from + to) * hop;
}

Test(latency, each_rank_has_the_figure_of_its_own_way)
{
    struct measured m = {.bcast = &tree_flat};
    cr_assert(fake_mpi_run(RANKS, measure, &m, &(struct fake_network){.way = farther}));
    for (int i = 1; i < RANKS; i++)
        cr_expect_float_eq(latency_result_of(&m.out, "direct")->figure[i].value.value, i * hop,
                           0.05 * hop, "direct: rank %d", i);
    latency_outcome_free(&m.out);
    m.budget = 1e-9;
    cr_assert(fake_mpi_run(RANKS, measure, &m, &(struct fake_network){.way = farther}));
    const struct latency_result *held = latency_result_of(&m.out, "held");
    cr_expect(held->measured == 1 && held->slowest == RANKS - 1, "the slowest pair is first");
    latency_outcome_free(&m.out);
}

Test(latency, of_a_fan_in_pair_by_pair)
{
    struct measured m = {.bcast = NULL};
    cr_assert(fake_mpi_run(RANKS, measure, &m, &(struct fake_network){.latency = hop}));
    for (int i = 1; i < RANKS; i++) {
        const struct latency_figure *f = &latency_result_of(&m.out, "held")->figure[i];
        cr_expect(f->from == i && f->to == 0);
        cr_expect_float_eq(f->value.value, 1.5 * hop, 0.05 * hop, "from %d", i);
    }
    expect(&m, "held", 1.5);
    expect(&m, "direct", 1.5);
    latency_outcome_free(&m.out);
}

static void refuse(int rank, void *arg)
{
    const struct latency_method *method = latency_method_find("send-latency");
    struct latency_outcome outcome;
    struct operation_call data = {.operation = operations, .comm = MPI_COMM_SELF};
    struct latency_case c = operation_case(&data, false);
    (void)rank, (void)arg;
    c.plan = plan_default();
    cr_expect_eq(latency_measure(&c, &method, 1, &outcome), MPI_ERR_COMM);
    c.comm = MPI_COMM_WORLD;
    c.root = RANKS;
    cr_expect_eq(latency_measure(&c, &method, 1, &outcome), MPI_ERR_ROOT);
}

Test(latency, one_rank_and_a_root_out_of_range_are_refused)
{
    cr_assert(fake_mpi_run(RANKS, refuse, NULL, &(struct fake_network){.latency = hop}));
}
