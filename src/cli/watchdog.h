/* The watchdog of `collprof run --watchdog`: one process on each host that judges the records of
 * the running ranks and reports why they do not progress.
 *
 * It is not a child of the application, has its own session, and keeps only standard error of the
 * launcher, until the last rank on its host ends. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Registers the calling process, which will become a rank of job RUN, with its host's watchdog; the
 * first process starts it. OUTPUT: the absolute path of `collprof run --output`. SECONDS: how long
 * a call may be open before it is reported. ABORT: end the ranks if they can never continue.
 * Returns 0, or an errno: the rank then runs without a watchdog. */
int watchdog_register(uint64_t run, const char *output, double seconds, bool abort);
