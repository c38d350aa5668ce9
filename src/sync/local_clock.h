/* The clock of this process: the host's or, in a build for the simulator (COLLPROF_SIMULATED),
 * the simulated one. Call once, before anything that reads a clock. */
#pragma once

#include <stdint.h>

void local_clock_start(void);

/* Returns the argument DOMAIN for sync_start(): 0 on real hosts, where the kernel shows which
 * ranks share a clock. In a simulation with SIM_DRIFT it identifies the simulated host, whose
 * clock rate differs by up to SIM_DRIFT ppm. */
uint64_t local_clock_domain(void);
