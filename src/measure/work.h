/* Computation to be overlapped with: a fixed amount of work, never a spin until a moment, since a
 * spin cannot see that its processor was taken away (doc/methods.md, section 5). It runs in
 * registers: it neither reads nor writes memory, so that what is measured is the processor. In a
 * simulation it is clock_hold(). */
#ifndef COLLPROF_MEASURE_WORK_H
#define COLLPROF_MEASURE_WORK_H

#include <stdbool.h>
#include <stdint.h>

struct work {
    uint64_t units;  /* steps of a chain of dependent multiplications */
    double wanted;   /* seconds */
    double achieved; /* seconds that these units take, undisturbed */
    bool within;     /* the two agree within the tolerance */
};

/* Finds the amount that takes SECONDS, within TOLERANCE (relative; 0.01), on the calling thread's
 * processor. Undisturbed means the lower quartile of repeated runs: other processes only ever add
 * time. Takes about 30 times SECONDS, more where the processor is not quiet; local. */
struct work work_calibrate(double seconds, double tolerance);

/* Does it. */
void work_do(const struct work *w);

/* The time of one work_do() now, in seconds, the cost of the clock taken off. */
double work_time(const struct work *w);

/* How often the calling thread has touched a page of memory for the first time. Always 0 in a
 * simulation. */
long work_page_faults(void);

/* N threads that compute until they are stopped. No cache line that one writes is touched by
 * another. NULL if the threads cannot be had (a simulation has none). */
struct work_threads;
struct work_threads *work_threads_start(int n);

/* Stops and frees them; returns the units that they did together. */
uint64_t work_threads_stop(struct work_threads *t);

#endif
