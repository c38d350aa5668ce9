/* The clock of one process.
 *
 * Two readings of the same passing time, for two purposes:
 *
 *   clock_now()    seconds, CLOCK_MONOTONIC_RAW, which nothing slews. All processes of one host
 *                  share it, which makes it the reference of the measuring methods; one reading
 *                  costs about 28 ns, and a system call before Linux 5.3.
 *   clock_ticks()  raw ticks, about 10 ns. The processor's counter where the kernel itself
 *                  trusts it (it is its clock source), otherwise CLOCK_MONOTONIC in ns.
 *                  Used where every nanosecond is the application's: in the profiling layer.
 *
 * Under a simulator both come from its clock: see clock_use_external(). */
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

/* Whether ticks come from a counter, whose rate must be measured. */
static inline bool clock_is_counter(uint32_t source)
{
    return source == CLOCK_SOURCE_TSC || source == CLOCK_SOURCE_CNTVCT;
}

/* One moment by clock_ticks() and by clock_now(). */
struct clock_pair {
    uint64_t ticks;
    double seconds;
};

extern enum clock_source clock_source;

/* Chooses the source of clock_ticks(). Call once, before anything else here. */
void clock_start(void);

/* Uses a simulator's clock from now on: NOW returns the time in seconds, HOLD waits. */
void clock_use_external(double (*now)(void), void (*hold)(double seconds));

/* Seconds on one of the system's clocks. */
double clock_seconds(clockid_t clock);

/* Seconds on a clock that all processes of the host share, or on the one given to
 * clock_use_external(). */
double clock_now(void);

/* Occupies the processor for SECONDS, as a computation would. */
void clock_hold(double seconds);

/* From now on clock_hold() yields the processor while it waits: with more ranks than processors it
 * could otherwise block the very rank for which it waits. */
void clock_give_way(void);

/* Median cost of one clock_now(), in seconds; 0 in a simulation. */
double clock_cost(void);

/* Reads the ticks and the seconds of one moment: the quickest of 20 attempts. */
struct clock_pair clock_read_pair(void);

/* Ticks per second between two pairs. */
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
