/* Protects the stop rules: when each is content, what a rejected attempt leaves, that none outlives
 * its budget by more than a batch, and that none stops without any figure. */
#include "base/clock.h"
#include "measure/series.h"
#include "simulated_clock.h"

static void start(void)
{
    simulated = 0;
    clock_use_external(simulated_now, simulated_hold);
}

TestSuite(plan, .init = start);

/* Operations whose times alternate between FROM and TO; in every second of the first RESTLESS
 * batches they take twice as long. The first batch is the warm-up. */
struct script {
    double from, to;
    int restless, batches;
};

static int run(void *arg, const struct batch *b, double *value, int *n)
{
    struct script *s = arg;
    *n = b->repetitions;
    for (int i = 0; i < *n; i++) {
        value[i] = (i % 2 ? s->to : s->from) * (s->batches < s->restless ? 1 + s->batches % 2 : 1);
        simulated += fabs(value[i]) + 1e-9;
    }
    s->batches++;
    return MPI_SUCCESS;
}

/* A plan of RULE with batches of M operations. */
static struct plan plan_of(enum stop_rule rule, int m)
{
    struct plan p = plan_default();
    p.stop = rule;
    p.repetitions = m;
    p.warmup = 0;
    return p;
}

/* What comes of PLAN: the number of counted batches, and *S without its samples. */
static int batches_of(const struct plan *plan, struct script script, struct series *s)
{
    cr_assert_eq(series_measure(MPI_COMM_SELF, plan, 0, run, &script, s), MPI_SUCCESS);
    samples_free(&(struct samples){.value = s->samples.value});
    return script.batches - 1;
}

Test(plan, fixed_makes_its_batches)
{
    struct plan p = plan_of(STOP_FIXED, 10);
    struct series s;
    p.repeats_min = 3;
    cr_assert_eq(batches_of(&p, (struct script){.from = 1e-3, .to = 2e-3}, &s), 3);
    cr_assert(s.samples.n == 30 && !s.over_budget);
}

Test(plan, ci_stops_at_a_narrow_interval_and_not_before)
{
    const struct plan p = plan_of(STOP_CI, 6), short_one = plan_of(STOP_CI, 5);
    struct series s;
    cr_assert_eq(batches_of(&short_one, (struct script){.from = 1e-3, .to = 1e-3}, &s), 2,
                 "of five equal samples there is no interval yet");
    cr_assert_eq(batches_of(&p, (struct script){.from = 1e-3, .to = 2e-3}, &s), p.repeats_max,
                 "never narrow");
    cr_assert_eq(batches_of(&p, (struct script){.from = -4e-9, .to = 4e-9}, &s), 1,
                 "2 %% cannot be reached");
    cr_assert_eq(batches_of(&p, (struct script){.from = -6e-9, .to = 6e-9}, &s), p.repeats_max);
}

Test(plan, paper_throws_a_restless_attempt_away)
{
    struct plan p = plan_of(STOP_PAPER, 5);
    struct series s;
    int n = batches_of(&p, (struct script){.from = 1e-3, .to = 1e-3, .restless = 1 + p.repeats_max},
                       &s);
    cr_assert_eq(n, p.repeats_max + 8, "the paper's least number of means, %d made", n);
    cr_assert(s.samples.n == 40 && !s.over_budget);
    cr_assert_float_eq(s.loop_mean, 1e-3, 1e-9);
    p.repeats_max = 4; /* fewer than the paper judges: as many as it does */
    cr_assert_eq(batches_of(&p, (struct script){.from = 3e-3, .to = 3e-3}, &s), 8);
    p = plan_of(STOP_PAPER, 5); /* it ends even on a machine that is never quiet */
    p.budget = 0;
    cr_assert_lt(batches_of(&p, (struct script){.from = 1e-3, .to = 1e-3, .restless = 100000}, &s),
                 10000);
    cr_assert(s.over_budget && s.loop_mean > 0);
}

Test(plan, every_rule_keeps_the_budget_and_has_a_figure)
{
    for (int rule = STOP_CI; rule <= STOP_FIXED; rule++) {
        struct plan p = plan_of((enum stop_rule)rule, 5);
        struct series s;
        p.budget = 0.02;
        p.repeats_min = 10;
        simulated = 0;
        batches_of(&p, (struct script){.from = 1e-3, .to = 2e-3}, &s); /* 7 ms each */
        cr_assert(s.over_budget && s.samples.n > 0, "%s", plan_stop_names[p.stop]);
        cr_assert_leq(simulated, 0.02 + 7e-3);
    }
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
