#include "base/clock.h"

#include "base/input.h"
#include "base/stats.h"

#include <sched.h>
#include <string.h>

enum clock_source clock_source = CLOCK_SOURCE_MONOTONIC;

const char *const clock_names[CLOCK_SOURCES] = {[CLOCK_SOURCE_TSC] = "TSC",
                                                [CLOCK_SOURCE_MONOTONIC] = "CLOCK_MONOTONIC",
                                                [CLOCK_SOURCE_EXTERNAL] = "simulated",
                                                [CLOCK_SOURCE_CNTVCT] = "CNTVCT"};

static double (*external_now)(void);
static void (*external_hold)(double);
static bool gives_way;

#if defined(__x86_64__)
static const char counter_name[] = "tsc\n";
enum { COUNTER = CLOCK_SOURCE_TSC };
#else
static const char counter_name[] = "arch_sys_counter\n";
enum { COUNTER = CLOCK_SOURCE_CNTVCT };
#endif

/* Uses the processor's counter only if the kernel's clock source is this counter, since the kernel
 * rejects a counter whose rate varies or which differs between processors. */
void clock_start(void)
{
    char name[32];
    input_read("/sys/devices/system/clocksource/clocksource0/current_clocksource", name,
               sizeof name);
    if (clock_source != CLOCK_SOURCE_EXTERNAL)
        clock_source = strcmp(name, counter_name) ? CLOCK_SOURCE_MONOTONIC : COUNTER;
}

void clock_use_external(double (*now)(void), void (*hold)(double seconds))
{
    external_now = now;
    external_hold = hold;
    clock_source = CLOCK_SOURCE_EXTERNAL;
}

double clock_seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double clock_now(void)
{
    return clock_source == CLOCK_SOURCE_EXTERNAL ? external_now()
                                                 : clock_seconds(CLOCK_MONOTONIC_RAW);
}

uint64_t clock_ticks_slow(void)
{
    struct timespec t;
    if (clock_source == CLOCK_SOURCE_EXTERNAL)
        return (uint64_t)(external_now() * 1e9);
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void clock_hold(double seconds)
{
    if (clock_source == CLOCK_SOURCE_EXTERNAL) {
        if (seconds > 0)
            external_hold(seconds);
        return;
    }
    double end = clock_now() + seconds;
    while (clock_now() < end)
        if (gives_way)
            sched_yield();
}

void clock_give_way(void)
{
    gives_way = true;
}

double clock_cost(void)
{
    enum { BATCHES = 31, READS = 200 };
    double cost[BATCHES];
    if (clock_source == CLOCK_SOURCE_EXTERNAL) { /* one reading: simulated costs are constant */
        cost[0] = clock_now();
        return clock_now() - cost[0];
    }
    for (int i = 0; i < BATCHES; i++) {
        double start = clock_now(), end = start;
        for (int k = 0; k < READS; k++)
            end = clock_now();
        cost[i] = (end - start) / READS;
    }
    return stats_median(cost, BATCHES);
}

struct clock_pair clock_read_pair(void)
{
    struct clock_pair best = {0};
    uint64_t narrowest = UINT64_MAX;
    int tries = clock_is_counter(clock_source) ? 20 : 1;
    for (int i = 0; i < tries; i++) {
        uint64_t before = clock_ticks();
        double seconds = clock_now();
        uint64_t width = clock_ticks() - before;
        if (width < narrowest) {
            narrowest = width;
            best = (struct clock_pair){.ticks = before + width / 2, .seconds = seconds};
        }
    }
    return best;
}

double clock_rate(struct clock_pair from, struct clock_pair to)
{
    if (!clock_is_counter(clock_source) || to.seconds <= from.seconds)
        return 1e9;
    return (double)(to.ticks - from.ticks) / (to.seconds - from.seconds);
}
