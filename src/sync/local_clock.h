/* The clock of this process: the host's or, in a build for the simulator (COLLPROF_SIMULATED),
 * the simulated one. Call once, before anything that reads a clock. */
#ifndef COLLPROF_SYNC_LOCAL_CLOCK_H
#define COLLPROF_SYNC_LOCAL_CLOCK_H

#include <stdint.h>

void local_clock_start(void);

/* For sync_start(): normally 0. A simulation may give each host its own clock, whose rate differs
 * by up to SIM_DRIFT ppm. */
uint64_t local_clock_domain(void);

#endif
