/* Protects the stop rules: when each is content, what a thrown away attempt leaves, that none
 * outlives its budget by more than a batch, and that none stops without any figure. */
#include "measure/plan.h"
#include "base/clock.h"

#include <criterion/criterion.h>

static double simulated;
static double simulated_now(void)
{
    return simulated;
}
static void simulated_hold(double seconds)
{
    simulated += seconds;
}

static void start(void)
{
    simulated = 0;
    clock_use_external(simulated_now, simulated_hold);
}

TestSuite(plan, .init = start);

/* A batch of N operations whose times alternate between FROM and TO. */
static void batch(struct tally *t, int n, double from, double to)
{
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double x = i % 2 ? to : from;
        samples_add(&t->samples, x);
        sum += x;
    }
    samples_add(&t->batch_means, sum / n);
    t->operations += n;
    simulated += sum;
}

Test(plan, fixed_makes_its_batches)
{
    struct plan p = plan_default();
    struct tally t;
    p.stop = STOP_FIXED;
    p.repeats_min = 3;
    p.repetitions = 10;
    tally_start(&t, &p);
    int n = 0;
    for (; tally_go_on(&t); n++)
        batch(&t, n < 2 ? 8 : (int)tally_operations_left(&t), 1e-3, 2e-3);
    cr_assert_eq(n, 4, "8, 8, 10 and the last 4");
    cr_assert_eq(t.samples.n, 30);
    cr_assert(!t.over_budget);
    tally_free(&t);
}

Test(plan, ci_stops_at_a_narrow_interval_and_not_before)
{
    struct plan p = plan_default();
    struct tally t;
    tally_start(&t, &p);
    cr_assert(tally_go_on(&t));
    batch(&t, 5, 1e-3, 1e-3); /* five equal samples: no interval exists yet */
    cr_assert(tally_go_on(&t));
    batch(&t, 5, 1e-3, 1e-3);
    cr_assert(!tally_go_on(&t));
    tally_free(&t);

    tally_start(&t, &p);
    int n = 0;
    for (; tally_go_on(&t); n++)
        batch(&t, 6, 1e-3, 2e-3); /* two heaps: never narrow */
    cr_assert_eq(n, p.repeats_max);
    tally_free(&t);

    tally_start(&t, &p);
    for (n = 0; tally_go_on(&t); n++)
        batch(&t, 6, -4e-9, 4e-9); /* of no time: 2 % cannot be reached */
    cr_assert_eq(n, 1);
    tally_free(&t);
    tally_start(&t, &p);
    for (n = 0; tally_go_on(&t); n++)
        batch(&t, 6, -6e-9, 6e-9);
    cr_assert_eq(n, p.repeats_max);
    tally_free(&t);
}

Test(plan, paper_throws_a_restless_attempt_away)
{
    struct plan p = plan_default();
    struct tally t;
    p.stop = STOP_PAPER;
    tally_start(&t, &p);
    for (int i = 0; i < p.repeats_max; i++) {
        cr_assert(tally_go_on(&t));
        batch(&t, 5, 1e-3 * (1 + i % 2), 1e-3 * (1 + i % 2));
    }
    cr_assert(tally_go_on(&t));
    cr_assert_eq(t.attempts, 2);
    cr_assert_eq(t.samples.n, 0);
    int n = 0;
    for (; tally_go_on(&t); n++)
        batch(&t, 5, 3e-3, 3e-3);
    cr_assert_eq(n, 8, "the paper's least number of means, %d made", n);
    cr_assert_eq(t.samples.n, 40);
    cr_assert(!t.over_budget);
    tally_free(&t);

    p.repeats_max = 4; /* fewer than the paper judges: as many as it does */
    tally_start(&t, &p);
    for (n = 0; tally_go_on(&t); n++)
        batch(&t, 5, 3e-3, 3e-3);
    cr_assert_eq(n, 8, "%d made", n);
    cr_assert_eq(t.attempts, 1);
    tally_free(&t);
}

Test(plan, paper_ends_even_on_a_machine_that_is_never_quiet)
{
    struct plan p = plan_default();
    struct tally t;
    p.stop = STOP_PAPER;
    p.budget = 0;
    tally_start(&t, &p);
    for (int i = 0; tally_go_on(&t); i++) {
        cr_assert_lt(i, 10000);
        batch(&t, 5, 1e-3 * (1 + i % 2), 1e-3 * (1 + i % 2));
    }
    cr_assert(t.over_budget);
    cr_assert_gt(t.batch_means.n, 0);
    tally_free(&t);
}

Test(plan, every_rule_keeps_the_budget_and_has_a_figure)
{
    for (int rule = STOP_CI; rule <= STOP_FIXED; rule++) {
        struct plan p = plan_default();
        struct tally t;
        p.stop = (enum stop_rule)rule;
        p.budget = 0.02;
        p.repeats_min = 10;
        double begin = simulated;
        tally_start(&t, &p);
        while (tally_go_on(&t))
            batch(&t, 5, 1e-3, 2e-3); /* 7 ms each */
        cr_assert(t.over_budget, "%s", plan_stop_names[p.stop]);
        cr_assert_gt(t.samples.n, 0);
        cr_assert_leq(simulated - begin, 0.02 + 7e-3 + 1e-9);
        tally_free(&t);
    }
}

/* Two equal halves are two samples; of 24 no interval is to be expected any more. */
Test(plan, without_an_interval_it_goes_on_beyond_the_budget)
{
    struct plan p = plan_default();
    struct tally t;
    p.budget = 1e-3;
    p.budget_most = 1;
    tally_start(&t, &p);
    int n = 0;
    for (; tally_go_on(&t); n++)
        batch(&t, 4, n < 3 ? 1e-3 : 2e-3, n < 3 ? 1e-3 : 2e-3);
    cr_assert_eq(t.samples.n, 8, "%zu", t.samples.n);
    cr_assert(!t.over_budget, "by the rule");
    tally_free(&t);
    p.budget_most = 5e-3;
    tally_start(&t, &p);
    for (n = 0; tally_go_on(&t); n++)
        batch(&t, 1, n, n);
    tally_free(&t);
}

static double standing_now(void)
{
    return 5;
}

static void no_hold(double seconds)
{
    (void)seconds;
}

Test(plan, a_simulators_messages_take_the_budget)
{
    clock_use_external(standing_now, no_hold);
    double start = budget_now();
    budget_messages(1000, 0);
    cr_assert_float_eq(budget_now() - start, 10e-3, 1e-12);
    budget_messages(1000, 1024);
    cr_assert_float_eq(budget_now() - start, 60e-3, 1e-12, "many ranks take longer");
    budget_barrier(257); /* to one, and back */
    cr_assert_float_eq(budget_now() - start, 60e-3 + 512 * 10e-6 * (1 + 257. / 256), 1e-12);
}
