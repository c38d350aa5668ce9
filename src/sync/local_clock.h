/* The clock of this process: the host's or, in a build for the simulator (COLLPROF_SIMULATED),
 * the simulated one. Call once, before anything that looks at a clock. */
#ifndef COLLPROF_SYNC_LOCAL_CLOCK_H
#define COLLPROF_SYNC_LOCAL_CLOCK_H

void local_clock_start(void);

/* For sync_start(): NULL, but where a simulation gives each host a clock of its own, of another
 * rate by up to SIM_DRIFT ppm. */
struct sync_options;
const struct sync_options *local_clock_options(void);

#endif
