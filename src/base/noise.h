/* CPU contention of this process, from counters of the kernel. */
#pragma once

#include <stdint.h>

/* Totals since the process started; negative if unknown. In a simulation both are unknown: there
 * all ranks are one process. */
struct noise_totals {
    int64_t cpu_ns;     /* processor time of this process */
    int64_t delayed_ns; /* time that the calling thread was runnable but not scheduled */
};
void noise_read(struct noise_totals *noise);

/* Thresholds of CPU contention: the share of a rank's time in which it is runnable but not
 * scheduled. From FELT on, smaller differences are reported as doubtful; from SPOILED on, no
 * conclusion is drawn from times. */
#define NOISE_FELT_FROM 0.01
#define NOISE_SPOILED_FROM 0.10
