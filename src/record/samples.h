/* With --sample: what each thread executes between MPI calls, by samples of its stack, one each
 * LEDGER_SAMPLE_NS of its processor time. The kernel writes registers and the top of the stack into
 * a ring of the thread (perf_event_open(2)); where that is not permitted, or for Python, the
 * handler of a timer's signal does. They are read at the next MPI call, where it is safe to unwind,
 * and summed by stack and segment (the time between two calls). */
#pragma once

#include "record/layer.h"

/* Begins, if WANTED, to sample this thread, and later each thread that calls MPI. The header
 * of the record says why not. Needs call sites (--stack). */
void samples_start(bool wanted);

/* The other functions only while layer.sample is set: they exist only on x86-64, and not in the
 * simulator. For a thread's call in a wrapper: what was sampled since the last one belongs to the
 * segment that ends here. */
__attribute__((weak)) void samples_enter(uint32_t site, uint32_t operation);

/* The next segment begins; what was sampled in between is dropped. */
__attribute__((weak)) void samples_leave(uint32_t site, uint32_t operation);

/* Ends sampling of this thread. */
__attribute__((weak)) void samples_end(void);
