/* How the watchdog ends the ranks of its host (cli/watchdog.c, layer/ends.c): by SIGTERM with a
 * value that no other sender uses. */
#pragma once

#include <signal.h>
#include <stdbool.h>

/* The value to send with SIGTERM by sigqueue(). */
static inline union sigval ending_value(void)
{
    return (union sigval){.sival_int = 0x636f6c6c}; /* "coll" */
}

/* For a handler: whether the watchdog sent the signal. */
static inline bool ending_is_asked(const siginfo_t *info)
{
    return info->si_signo == SIGTERM && info->si_code == SI_QUEUE &&
           info->si_value.sival_int == ending_value().sival_int;
}
