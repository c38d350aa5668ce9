/* Operations in a context, over the fake MPI, where every time has a closed form: scenarios of
 * Gracia et al., and the overlap benchmarks of Denis and Trahay. */
#include "fake_mpi.h"

#include "measure/overlap/overlap.h"
#include "measure/scenario/scenario.h"
#include "trees/bcast.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum { RANKS = 4, BYTES = 4000 };
static const double us = 1e-6, latency = 10e-6, overhead = 1e-6;
/* A message takes 10 us and 1 ns a byte: 14 us with its 4,000 bytes; a send takes 1 us. */
static const struct fake_network network = {.latency = 10e-6, .per_byte = 1e-9, .overhead = 1e-6};
static const double message = 14e-6;

/* --- operations --- */

/* Each brings the data that it must, to those who get any, and none without a call. */
static void operate(int rank, void *arg)
{
    struct operation_call c;
    const struct operation *o = arg;
    for (int root = 0; root < RANKS; root += 2)
        for (size_t bytes = 0; bytes <= 8; bytes += 8) {
            cr_assert(operation_prepare(&c, o, MPI_COMM_WORLD, root, bytes));
            bool gets = c.recv_bytes && !(o->send == EXTENT_NONE && rank == root);
            cr_expect_eq(operation_check(&c), !gets, "%s, rank %d: before the call", o->name, rank);
            cr_assert_eq(operation_run(&c), MPI_SUCCESS);
            cr_expect(operation_check(&c), "%s, root %d, rank %d: wrong data", o->name, root, rank);
            if (gets) {
                c.recv[c.recv_bytes - 1]++;
                cr_expect_not(operation_check(&c));
            }
            operation_release(&c);
        }
    cr_expect_not(operation_prepare(&c, o, MPI_COMM_WORLD, 0, (size_t)INT_MAX + 1));
}

Test(operations, bring_their_data)
{
    for (size_t i = 0; i < n_operations; i++)
        cr_assert(fake_mpi_run(RANKS, operate, (void *)&operations[i], &network));
}

/* How many bytes rank 1 of 4 gets of blocks of 8 where rank 0 is the root, and rank 0. */
static void measure_buffers(int rank, void *arg)
{
    static const char *const names[] = {"barrier",   "broadcast", "gather",
                                        "allgather", "allreduce", "reduce",
                                        "scatter",   "alltoall",  "scan"};
    static const size_t sends[][2] = {{0, 0}, {0, 0},  {8, 8},   {8, 8}, {8, 8},
                                      {8, 8}, {32, 0}, {32, 32}, {8, 8}},
                        receives[][2] = {{0, 0}, {8, 8}, {32, 0},  {32, 32}, {8, 8},
                                         {8, 0}, {8, 8}, {32, 32}, {8, 8}};
    (void)arg;
    for (size_t i = 0; i < sizeof names / sizeof *names && rank < 2; i++) {
        struct operation_call c;
        bool twin;
        cr_assert(operation_prepare(&c, operation_find(names[i], &twin), MPI_COMM_WORLD, 0, 8));
        cr_expect_eq(c.send_bytes, sends[i][rank], "%s, rank %d", names[i], rank);
        cr_expect_eq(c.recv_bytes, receives[i][rank], "%s, rank %d", names[i], rank);
        operation_release(&c);
    }
}

Test(operations, have_the_buffers_that_they_need)
{
    cr_assert(fake_mpi_run(RANKS, measure_buffers, NULL, &network));
}

/* --- scenarios --- */

struct played {
    const struct scenario *scenario;
    struct scenario_point point;
    struct scenario_result result; /* rank 0's */
};

static void play(int rank, void *arg)
{
    struct played *p = arg;
    struct scenario_result result;
    struct harmony start;
    struct plan plan = plan_default();
    plan.repetitions = 5;
    plan.warmup = 1;
    plan.stop = STOP_FIXED;
    plan.budget = 0;
    cr_assert_eq(harmony_open(&start, NULL, MPI_COMM_WORLD, 0), MPI_SUCCESS);
    cr_assert_eq(scenario_run(p->scenario, &p->point, &start, &plan, &result), MPI_SUCCESS);
    if (rank == 0)
        p->result = result;
}

/* Completion, and completion from the last arrival on, in us. */
static void expect_completion(int scenario, struct scenario_point point, double completion,
                              double after_last)
{
    struct played p = {.scenario = &scenarios[scenario - 1], .point = point};
    bool twin = point.twin;
    p.point.operation = p.point.operation ? p.point.operation : operation_find("broadcast", &twin);
    p.point.bytes = BYTES;
    cr_assert(fake_mpi_run(RANKS, play, &p, &network));
    cr_assert_eq(p.result.completion.n, 5);
    cr_assert_eq(p.result.after_last.n, 5);
    cr_expect(p.result.correct && p.result.comp_within && !p.result.over_budget);
    cr_expect_eq(p.result.dropped, 0);
    for (size_t i = 0; i < 5; i++) {
        cr_expect_float_eq(p.result.completion.value[i], completion, 0.3 * us,
                           "%d: %g us, expected %g", scenario, 1e6 * p.result.completion.value[i],
                           1e6 * completion);
        cr_expect_float_eq(p.result.after_last.value[i], after_last, 0.3 * us,
                           "%d: %g us, expected %g", scenario, 1e6 * p.result.after_last.value[i],
                           1e6 * after_last);
    }
    cr_expect(p.result.bound >= 0 && p.result.bound < 0.1 * us);
    cr_expect_float_eq(p.result.comp, scenario == 3 ? point.comp : 0, 1e-12);
    scenario_result_free(&p.result);
}

/* The root sends one after the other. */
static const double flat = (RANKS - 1) * 1e-6 + 14e-6;

Test(scenarios, a_collective_alone)
{
    expect_completion(1, (struct scenario_point){0}, flat, flat);
    expect_completion(1, (struct scenario_point){.twin = true}, flat, flat);
}

Test(scenarios, over_a_tree_of_our_own)
{
    expect_completion(1, (struct scenario_point){.by = bcast_find("linear")},
                      (RANKS - 1) * (message + overhead), (RANKS - 1) * (message + overhead));
}

/* Whoever waits for the late root loses what it is late; for the last receiver only what exceeds
 * the broadcast. */
Test(scenarios, a_late_participant)
{
    expect_completion(2, (struct scenario_point){.delay = 50 * us}, 50 * us + flat, flat);
    expect_completion(2, (struct scenario_point){.delayed = RANKS - 1, .delay = 50 * us}, 50 * us,
                      0);
    expect_completion(2, (struct scenario_point){.delayed = RANKS - 1, .delay = 5 * us}, flat,
                      flat - 5 * us);
}

Test(scenarios, computation_hides_what_does_not_block)
{
    expect_completion(3, (struct scenario_point){.twin = true, .comp = 40 * us},
                      40 * us + (RANKS - 1) * overhead, 40 * us + (RANKS - 1) * overhead);
    expect_completion(3, (struct scenario_point){.comp = 40 * us}, flat + 40 * us, flat + 40 * us);
}

/* --- overlap --- */

struct overlapped {
    const char *name;
    double work; /* seconds */
    int ranks;
    struct overlap_cell cell; /* rank 0's */
    double latency[RANKS];
};

static void overlap(int rank, void *arg)
{
    struct overlapped *o = arg;
    struct overlap_cell cell;
    struct overlap_stage stage = {.comm = MPI_COMM_WORLD, .largest = BYTES, .runs = 7};
    struct overlap_base base = {.bytes = BYTES, .time = {message + overhead, NAN, overhead}};
    struct work work = work_calibrate(o->work, 0.01);
    cr_assert(overlap_open(&stage));
    cr_assert(overlap_measure(overlap_find(o->name), &stage, &base, &work, 0, &cell));
    if (rank == 0) {
        o->cell = cell;
        memcpy(o->latency, stage.latency, (size_t)o->ranks * sizeof *o->latency);
    }
    overlap_close(&stage);
}

/* Messages of the fake move while their ranks compute. */
static struct overlapped expect_ratio(const char *name, int ranks, double work, double comm,
                                      double ratio)
{
    struct overlapped o = {.name = name, .work = work, .ranks = ranks};
    cr_assert(fake_mpi_run(ranks, overlap, &o, &network));
    cr_expect_eq(o.cell.runs, 7);
    cr_expect_float_eq(o.cell.t_comm, comm, 0.3 * us, "%s: T_comm %g us, expected %g", name,
                       1e6 * o.cell.t_comm, 1e6 * comm);
    cr_expect_float_eq(o.cell.t_comp, work, 1e-9);
    cr_expect_float_eq(o.cell.ratio, ratio, 0.05, "%s: ratio %g, expected %g", name, o.cell.ratio,
                       ratio);
    cr_expect(overlap_certain(&o.cell));
    for (int i = 1; i < ranks; i++)
        cr_expect_float_eq(o.latency[i], latency + overhead, 0.1 * us);
    return o;
}

Test(overlap, computation_longer_or_shorter_than_the_message)
{
    struct overlapped o = expect_ratio("sender", 2, 100 * us, message + overhead, 1 / 15.0);
    cr_expect_float_eq(o.cell.t_measured, 100 * us + overhead, 0.3 * us);
    /* The paper takes off the latency of an acknowledgement that has been there for long. */
    cr_expect_float_eq(o.cell.published, 100 * us + overhead - latency - overhead, 0.3 * us);
    cr_expect_float_eq(o.cell.published_ratio, -10 / 15.0, 0.05);
    o = expect_ratio("sender", 2, 8 * us, message + overhead, 0);
    cr_expect_float_eq(o.cell.published, message + overhead, 0.5 * us);
    expect_ratio("pending", 2, 100 * us, 8 * overhead + latency + 0.5 * us, 8 / 18.5);
}

Test(overlap, communication_then_computation)
{
    struct overlapped o = expect_ratio("serial", 2, 100 * us, message + overhead, 1);
    cr_expect_float_eq(o.cell.published_ratio, 1, 0.05);
}

/* The message cannot start before it is asked for: that share of the computation does not count. */
Test(overlap, receiver_side)
{
    struct overlapped o =
        expect_ratio("receiver", 2, 100 * us, message + 2 * overhead - overhead, 0);
    cr_expect_float_eq(o.cell.t_measured, 100 * us + overhead - latency - overhead, 0.5 * us);
}

Test(overlap, several_ranks)
{
    expect_ratio("destinations", RANKS, 100 * us, 3 * overhead + message, 3 / 17.0);
    expect_ratio("ibroadcast", RANKS, 100 * us, 3 * overhead + message, 0);
    expect_ratio("ibarrier", RANKS, 100 * us, latency, 0);
    expect_ratio("both", 2, 100 * us, message + overhead, 0.07);
    expect_ratio("cpu", 2, 100 * us, overhead, 1);
}
