/* How the watchdog ends the ranks of its host (cli/watchdog.c, layer/ends.c): by SIGTERM with a
 * value that tells all of them to exit at the same moment. Otherwise the launcher, when the first
 * rank has ended, would kill the others and return that signal. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum { ENDING_WAIT = 400 }; /* ms from the signal to the exit */

static inline uint32_t ending_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint32_t)((uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000);
}

/* The value to send with SIGTERM by sigqueue(). */
static inline union sigval ending_value(void)
{
    uint64_t mark = (uint64_t)0x636f6c6c << 32; /* "coll" */
    return (union sigval){.sival_ptr = (void *)(mark | (uint32_t)(ending_clock() + ENDING_WAIT))};
}

/* For a handler of SIGTERM: false if the signal has no such value; otherwise waits until it is time
 * to exit, and returns true. */
static inline bool ending_is_due(const siginfo_t *info)
{
    uint64_t value = (uint64_t)info->si_value.sival_ptr;
    if (info->si_signo != SIGTERM || info->si_code != SI_QUEUE || value >> 32 != 0x636f6c6c)
        return false;
    uint32_t left = (uint32_t)value - ending_clock();
    struct timespec wait = {.tv_nsec = (long)left * 1000000};
    if (left <= ENDING_WAIT)
        nanosleep(&wait, NULL);
    return true;
}
