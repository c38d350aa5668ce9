/* The exit statuses of collprof and of all collbench programs, also listed in collprof(1). */
#pragma once

#include <signal.h>
#include <stdbool.h>

enum status {
    STATUS_GOOD = 0,
    STATUS_FAILED = 1,    /* the request failed; the reason is on standard error */
    STATUS_USAGE = 2,     /* wrong options or arguments; nothing was done */
    STATUS_SLOWER = 3,    /* compare --fail-above: something grew by more than the limit; scale
                             --fail-below: an efficiency is below the limit; collbench-pairs
                             --suspect: something is slow */
    STATUS_UNDECIDED = 4, /* compare --fail-above: more runs are needed to decide; scale
                             --fail-below: an efficiency is unknown */
    STATUS_STUCK = 5,     /* exit status of a rank that `collprof run --watchdog-abort` ended */
    STATUS_CANNOT_EXECUTE = 126,
    STATUS_NOT_FOUND = 127
};

/* The watchdog ends ranks by SIGTERM with this value (sigqueue()), so that a rank's signal handler
 * can tell it from another SIGTERM. */
enum { ENDING_VALUE = 0x636f6c6c }; /* "coll" */
static inline bool ending_is_asked(const siginfo_t *info)
{
    return info->si_signo == SIGTERM && info->si_code == SI_QUEUE &&
           info->si_value.sival_int == ENDING_VALUE;
}
