/* Protects the two clocks: that they agree with each other over an interval, and that a
 * simulator's clock replaces both. */
#include "base/clock.h"

#include "base/noise.h"
#include "simulated_clock.h"

#include <time.h>

TestSuite(clock, .init = clock_start);

Test(clock, ticks_and_seconds_agree)
{
    struct clock_pair a = clock_read_pair();
    clock_hold(0.02);
    struct clock_pair b = clock_read_pair();
    clock_hold(0.02);
    struct clock_pair c = clock_read_pair();
    double predicted = (double)(c.ticks - b.ticks) / clock_rate(a, b);
    cr_assert_float_eq(predicted, c.seconds - b.seconds, 20e-6, "%.9f s predicted, %.9f s passed",
                       predicted, c.seconds - b.seconds);
    cr_expect_eq(clock_rate(a, a), 1e9, "no time has passed");
}

/* Of the system's own clock, in its unit. */
Test(clock, seconds_are_those_of_the_system)
{
    const clockid_t clock = CLOCK_MONOTONIC_RAW;
    for (int i = 0; i < 1000; i++) {
        struct timespec before, after;
        clock_gettime(clock, &before);
        double now = clock_now();
        clock_gettime(clock, &after);
        cr_assert_geq(now, (double)before.tv_sec + 1e-9 * (double)before.tv_nsec - 1e-7);
        cr_assert_leq(now, (double)after.tv_sec + 1e-9 * (double)after.tv_nsec + 1e-7);
    }
}

/* At least half of its 6200 readings took as long as their median. */
Test(clock, a_reading_costs_no_more_than_all)
{
    double start = clock_now(), cost = clock_cost(), all = clock_now() - start;
    cr_assert_gt(cost, 0);
    cr_assert_leq(3100 * cost, all);
}

/* With --yield it gives the processor away, and still lasts at least as long as asked. */
Test(clock, hold_takes_as_long_as_it_says)
{
    for (int yields = 0; yields < 2; yields++) {
        if (yields)
            clock_give_way();
        double start = clock_now();
        clock_hold(2e-3);
        cr_assert_geq(clock_now() - start, 2e-3);
    }
}

Test(clock, a_simulator_replaces_both)
{
    simulated = 5;
    clock_use_external(simulated_now, simulated_hold);
    clock_start();
    uint64_t ticks = clock_ticks();
    clock_hold(0.25);
    cr_assert_float_eq(clock_now(), 5.25, 1e-12);
    cr_assert_eq(clock_ticks() - ticks, 250000000);
    cr_assert_str_eq(clock_names[clock_source], "simulated");
}

static long long ready_without_a_processor(void)
{
    long long ns = -1;
    FILE *in = fopen("/proc/thread-self/schedstat", "r");
    if (in && fscanf(in, "%*u %lld", &ns) != 1)
        ns = -1;
    if (in)
        fclose(in);
    return ns;
}

/* What the kernel counts of this process; of one in a simulation, nothing. */
Test(noise, is_what_the_kernel_says)
{
    struct noise_totals before, after;
    noise_read(&before);
    double start = clock_seconds(CLOCK_PROCESS_CPUTIME_ID), until = start + 0.1;
    while (clock_seconds(CLOCK_PROCESS_CPUTIME_ID) < until)
        ;
    long long least = ready_without_a_processor();
    noise_read(&after);
    cr_expect(after.delayed_ns >= least && after.delayed_ns <= ready_without_a_processor());
    cr_expect_float_eq(1e-9 * (double)(after.cpu_ns - before.cpu_ns), 0.1, 0.03);
    clock_source = CLOCK_SOURCE_EXTERNAL;
    noise_read(&after);
    cr_expect(after.cpu_ns == -1 && after.delayed_ns == -1);
}
