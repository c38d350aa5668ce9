/* Computation to be overlapped with communication: a fixed number of steps, not a loop until a
 * given time, since such a loop would end on time even if the processor did other work meanwhile
 * (doc/methods.md, section 5). It uses registers only, so that it does not compete for memory. In a
 * simulation it is clock_hold(). All functions are local. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct work {
    uint64_t units;  /* steps: multiplications, each dependent on the one before */
    double achieved; /* seconds that UNITS take without CPU contention */
};

/* Finds the amount of work that takes SECONDS on the calling thread's processor, within 1 % unless
 * the machine is too noisy. It uses the lower quartile of repeated runs, since other processes only
 * add time. Takes about 30 times SECONDS, longer on a busy processor. */
struct work work_calibrate(double seconds);

void work_do(const struct work *w);

/* Does the work, and returns how many seconds it took, without the cost of reading the clock. In a
 * simulation it does nothing and returns ACHIEVED. */
double work_time(const struct work *w);

/* Page faults of the calling thread so far. Always 0 in a simulation. */
long work_page_faults(void);

/* Starts N threads that compute, without writing to memory, until work_threads_stop() ends them and
 * frees the struct. NULL if threads cannot be started, as in a simulation. */
struct work_threads;
struct work_threads *work_threads_start(int n);
void work_threads_stop(struct work_threads *t);
