/* Computation to be overlapped with communication: a fixed amount of work instead of spinning until
 * a moment, since a spin does not notice that its processor was taken away (doc/methods.md, section
 * 5). It stays in registers: without memory accesses only the processor is measured. In a
 * simulation it is clock_hold(). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct work {
    uint64_t units;  /* steps of a chain of dependent multiplications */
    double achieved; /* seconds that these units take without contention */
};

/* Finds the amount of work that takes SECONDS, within 1 % if it can, on the calling thread's
 * processor. It uses the lower quartile of repeated runs, since other processes only add time.
 * Takes about 30 times SECONDS, longer on a busy processor; local. */
struct work work_calibrate(double seconds);

/* Does the work. */
void work_do(const struct work *w);

/* The time of one work_do() now, in seconds, without the cost of the clock. */
double work_time(const struct work *w);

/* Page faults of the calling thread so far. Always 0 in a simulation. */
long work_page_faults(void);

/* Starts N threads that compute until they are stopped; they write to no memory. NULL if there can
 * be no threads, as in a simulation. */
struct work_threads;
struct work_threads *work_threads_start(int n);

/* Stops and frees them. */
void work_threads_stop(struct work_threads *t);
