/* The clocks of a process:
 *
 *   clock_now()    seconds of CLOCK_MONOTONIC_RAW, which NTP does not adjust. All processes of a
 *                  host share it, so the measuring methods use it. A reading takes about 28 ns
 *                  (before Linux 5.3 it is a system call).
 *   clock_ticks()  the processor's counter, if the kernel uses it as its clock source; otherwise
 *                  CLOCK_MONOTONIC in ns. A reading takes about 10 ns, so the profiling layer uses
 *                  it in each call of the application.
 *
 * In a simulation both read the simulator's clock: see clock_use_external(). */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* TSC is the counter of x86-64 processors, CNTVCT that of aarch64. */
enum clock_source {
    CLOCK_SOURCE_TSC,
    CLOCK_SOURCE_MONOTONIC,
    CLOCK_SOURCE_EXTERNAL,
    CLOCK_SOURCE_CNTVCT,
    CLOCK_SOURCES
};
extern const char *const clock_names[CLOCK_SOURCES];

/* Whether ticks come from a processor's counter, whose rate is unknown and must be measured. */
static inline bool clock_is_counter(uint32_t source)
{
    return source == CLOCK_SOURCE_TSC || source == CLOCK_SOURCE_CNTVCT;
}

/* Readings of clock_ticks() and clock_now() at the same moment. */
struct clock_pair {
    uint64_t ticks;
    double seconds;
};

extern enum clock_source clock_source;

/* Chooses the source of clock_ticks(). Call it once, before any clock is read. */
void clock_start(void);

/* Selects a simulator's clock: NOW returns its time in seconds, HOLD advances it by SECONDS. */
void clock_use_external(double (*now)(void), void (*hold)(double seconds));

/* The time in seconds on CLOCK, such as CLOCK_MONOTONIC, by clock_gettime(). */
double clock_seconds(clockid_t clock);

double clock_now(void);

/* Keeps the processor busy for SECONDS, as a computation does. */
void clock_hold(double seconds);

/* Makes clock_hold() call sched_yield() from now on: with more ranks than processors, a busy rank
 * would delay the rank for which it waits. */
void clock_give_way(void);

/* Median cost of one clock_now(), in seconds; in a simulation the simulator's cost of a reading. */
double clock_cost(void);

/* Reads both clocks at nearly one moment: takes the shortest of 20 attempts. */
struct clock_pair clock_read_pair(void);

/* Ticks of clock_ticks() per second of clock_now(), from the pair FROM to the pair TO. */
double clock_rate(struct clock_pair from, struct clock_pair to);

uint64_t clock_ticks_slow(void);

static inline uint64_t clock_ticks(void)
{
#if defined(__x86_64__)
    if (__builtin_expect(clock_source == CLOCK_SOURCE_TSC, 1))
        return __rdtsc();
#else
    uint64_t ticks;
    if (__builtin_expect(clock_source == CLOCK_SOURCE_CNTVCT, 1)) {
        __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
        return ticks;
    }
#endif
    return clock_ticks_slow();
}
