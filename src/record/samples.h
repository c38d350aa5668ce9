/* With --sample: samples the stack of each thread between its MPI calls, once per LEDGER_SAMPLE_NS
 * of its CPU time. The kernel writes registers and the top of the stack into a ring buffer of the
 * thread (perf_event_open(2)). Where this is not permitted, and for Python, a timer's signal
 * handler does so. At the thread's next MPI call the stacks are unwound, which a signal handler
 * must not do, and counted by stack and the two MPI calls around the sample (ledger_sample). */
#pragma once

#include "record/layer.h"

/* If WANTED, begins to sample this thread, and each other thread when it first calls MPI. Sets
 * layer.sample on success, otherwise header.sample_error. Needs call sites (--stack). */
void samples_start(bool wanted);

/* The following functions exist only on x86-64 and not in simulation: call them only while
 * layer.sample is set.
 *
 * Entry of an MPI call: counts the samples since samples_leave(). */
__attribute__((weak)) void samples_enter(uint32_t site, uint32_t operation);

/* Return of an MPI call: drops the samples taken in it. */
__attribute__((weak)) void samples_leave(uint32_t site, uint32_t operation);

/* Ends the sampling of this thread. */
__attribute__((weak)) void samples_end(void);
