/* Protects what is said of two estimates: that they differ, by how much they could, and that too
 * few samples say nothing; and when a series ends, and the doubling of its hold. */
#include "measure/series.h"
#include "base/clock.h"
#include "simulated_clock.h"

/* Rank 0 is alone. */
int PMPI_Comm_rank(MPI_Comm comm, int *rank)
{
    (void)comm;
    return *rank = 0;
}

int PMPI_Comm_size(MPI_Comm comm, int *size)
{
    (void)comm;
    *size = 1;
    return MPI_SUCCESS;
}

int PMPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    (void)buffer, (void)count, (void)type, (void)root, (void)comm;
    return MPI_SUCCESS;
}

/* A quantity of 10 s that is right with a hold of 8 s, and up to NOISE more; or NONE. */
struct quantity {
    double noise;
    bool none;
};

static int run(void *arg, const struct batch *b, double *value, int *n)
{
    const struct quantity *q = arg;
    *n = q->none ? 0 : b->repetitions;
    for (int i = 0; i < *n; i++)
        value[i] = 10 + fmax(0, 8 - b->hold) + (i % 2) * q->noise;
    return MPI_SUCCESS;
}

static const struct plan twice = {.repetitions = 100, .stop = STOP_FIXED, .repeats_min = 2};

static const struct estimate low = {10, 9, 11}, middle = {11.5, 10.5, 12.5}, high = {20, 19, 21};
static const struct estimate lone = {30, NAN, NAN};

/* Without an interval nothing is known. */
Test(series, estimates_differ_beyond_both_intervals_and_the_tolerance)
{
    cr_assert(estimates_differ(low, high, 0.01));
    cr_assert(estimates_differ(high, low, 0.01), "in either order");
    cr_assert_not(estimates_differ(low, middle, 0.01), "their intervals overlap");
    cr_assert_not(estimates_differ(low, high, 1.01), "within the tolerance");
    cr_assert(estimates_differ(low, high, 0.99));
    cr_assert_not(estimates_differ(low, lone, 0.01));
    cr_assert_not(estimates_differ(lone, low, 0.01));
    cr_assert_not(estimate_has_interval(lone));
    cr_assert(estimate_has_interval(low));
}

Test(series, five_samples_have_no_interval_six_have_one)
{
    double x[] = {3, 1, 2, 5, 4, 6};
    struct samples s = {.value = x, .n = 5};
    struct estimate e = samples_estimate(&s);
    cr_assert_float_eq(e.value, 3, 1e-12);
    cr_assert(isnan(e.low) && isnan(e.high));
    s.n = 6;
    e = samples_estimate(&s);
    cr_assert_float_eq(e.value, 3.5, 1e-12);
    cr_assert_float_eq(e.low, 1, 1e-12);
    cr_assert_float_eq(e.high, 6, 1e-12);
    s.n = 0;
    cr_assert(isnan(samples_estimate(&s).value));
}

Test(series, the_first_hold_is_believed_that_a_longer_one_does_not_change)
{
    struct series s;
    struct curve c;
    struct quantity q = {0};
    cr_assert_eq(series_settle(MPI_COMM_SELF, &twice, 1, run, &q, &s, &c), MPI_SUCCESS);
    cr_assert(c.settled && c.hold == 8, "%g", c.hold);
    cr_assert(samples_estimate(&s.samples).value == 10);
    series_free(&s);
    q.noise = 1e4; /* more than the longest hold */
    cr_assert_eq(series_settle(MPI_COMM_SELF, &twice, 1, run, &q, &s, &c), MPI_SUCCESS);
    cr_assert(!c.settled && c.hold == 512, "%g", c.hold);
    series_free(&s);
    q.noise = 6; /* two intervals of 6 s hide a growth by 8 s, from 8 to 16, not one by 16 s */
    cr_assert_eq(series_settle(MPI_COMM_SELF, &twice, 1, run, &q, &s, &c), MPI_SUCCESS);
    cr_assert(c.settled && c.hold == 16, "%g", c.hold);
    series_free(&s);
}

/* Operations of 1 s, and the hold. */
static int run_slowly(void *arg, const struct batch *b, double *value, int *n)
{
    (void)arg;
    *n = b->repetitions;
    for (int i = 0; i < *n; i++)
        value[i] = 1;
    simulated += (b->repetitions + 1) * (1 + b->hold);
    return MPI_SUCCESS;
}

Test(series, where_time_is_short_both_holds_have_an_interval)
{
    struct series s;
    struct curve c;
    struct plan plan = plan_default();
    plan.budget = 42;
    clock_use_external(simulated_now, simulated_hold);
    cr_assert_eq(series_settle(MPI_COMM_SELF, &plan, 1, run_slowly, NULL, &s, &c), MPI_SUCCESS);
    cr_assert(c.settled && c.hold == 1 && s.samples.n >= 6, "%g, %zu", c.hold, s.samples.n);
    cr_assert_leq(simulated, 44, "%g s", simulated);
    series_free(&s);
}

/* What is precise after a while ends by the budget; what has no interval by then goes on, with as
 * few operations as that takes. */
Test(series, beyond_the_budget_it_goes_on_for_an_interval_alone)
{
    struct series s;
    struct plan plan = plan_default();
    plan.budget = 3, plan.budget_most = 100;
    simulated = 0;
    clock_use_external(simulated_now, simulated_hold);
    cr_assert_eq(series_measure(MPI_COMM_SELF, &plan, 0, run_slowly, NULL, &s), MPI_SUCCESS);
    cr_assert(s.samples.n == 8 && simulated == 11, "%zu in %g s", s.samples.n, simulated);
    series_free(&s);
    plan.budget_most = 6;
    simulated = 0;
    cr_assert_eq(series_measure(MPI_COMM_SELF, &plan, 0, run_slowly, NULL, &s), MPI_SUCCESS);
    cr_assert(s.samples.n == 4 && s.over_budget && simulated == 7, "%zu in %g s", s.samples.n,
              simulated);
    cr_assert_eq(s.loop_mean, 1);
    series_free(&s);
}

/* Operations of 10 us in the warm-up, and of 1 ms afterwards. */
static int run_ever_slower(void *arg, const struct batch *b, double *value, int *n)
{
    double each = ++*(int *)arg > 2 ? 1e-3 : 1e-5;
    *n = b->repetitions;
    for (int i = 0; i < *n; i++)
        value[i] = each;
    simulated += (b->repetitions + 1) * each;
    return MPI_SUCCESS;
}

Test(series, a_machine_that_becomes_busy_does_not_multiply_the_budget)
{
    struct series s;
    struct plan plan = plan_default();
    int batches = 0;
    plan.stop = STOP_FIXED;
    plan.repetitions = 1000000;
    plan.budget = 3;
    simulated = 0;
    clock_use_external(simulated_now, simulated_hold);
    cr_assert_eq(series_measure(MPI_COMM_SELF, &plan, 0, run_ever_slower, &batches, &s),
                 MPI_SUCCESS);
    cr_assert(s.over_budget && simulated > 2.5 && simulated < 4, "%g s", simulated);
    series_free(&s);
    plan.repetitions = 2500; /* all of them, and no more, where there is time for them */
    plan.budget = 30;
    batches = 0;
    cr_assert_eq(series_measure(MPI_COMM_SELF, &plan, 0, run_ever_slower, &batches, &s),
                 MPI_SUCCESS);
    cr_assert(!s.over_budget && s.samples.n == 2500, "%zu", s.samples.n);
    series_free(&s);
}

Test(series, without_a_value_or_time_it_ends, .timeout = 10)
{
    struct series s;
    struct quantity none = {.none = true}, some = {0};
    cr_assert_eq(series_measure(MPI_COMM_SELF, &twice, 0, run, &none, &s), MPI_SUCCESS);
    cr_assert(s.over_budget && s.samples.n == 0);
    series_free(&s);
    struct plan over = twice;
    over.until = clock_now() + 10; /* as long as one hold */
    cr_assert_eq(series_measure(MPI_COMM_SELF, &over, 10, run, &some, &s), MPI_SUCCESS);
    cr_assert(s.over_budget && s.samples.n == 0);
    series_free(&s);
}
