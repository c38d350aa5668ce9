/* The watchdog of `collprof run --watchdog`: a process beside the ranks of a host, which judges
 * their records while they run and reports why they do not go on.
 *
 * It is no child of the application, has a session of its own, and holds nothing of the launcher's
 * but standard error, until the last rank of its host ends. */
#ifndef COLLPROF_CLI_WATCHDOG_H
#define COLLPROF_CLI_WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>

/* Registers the calling process, which will become a rank of job RUN, with its host's watchdog; the
 * first one starts it. OUTPUT: absolute path, as of `collprof run --output`. SECONDS: how long a
 * call may be open before it is reported. ABORT: end the ranks if they can never continue. Returns
 * 0, or an errno: the rank then runs without a watchdog. */
int watchdog_register(uint64_t run, const char *output, double seconds, bool abort);

#endif
