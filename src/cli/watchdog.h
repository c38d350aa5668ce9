/* The watchdog of `collprof run --watchdog`: a process beside the ranks of a host, which judges
 * their records while they run and reports why they do not go on.
 *
 * It is no child of the application, has a session of its own, and holds nothing of the launcher's
 * but standard error, until the last rank of its host ends. */
#ifndef COLLPROF_CLI_WATCHDOG_H
#define COLLPROF_CLI_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

/* Has the calling process, which is about to become a rank of job RUN, watched. The first one of a
 * host starts the watchdog. SECONDS: how long a call is open before it is reported. ABORT: end the
 * ranks where they can never go on. OUTPUT: absolute, as of `collprof run`. Returns 0, or the errno
 * of what was in the way: the rank then runs without a watchdog. */
int watchdog_register(uint64_t run, const char *output, double seconds, bool abort);

#endif
