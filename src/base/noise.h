/* CPU contention of this process, from counters of the kernel. */
#pragma once

#include <stdint.h>

/* Times since the process started, in ns; negative: unknown, as in a simulation, where all ranks
 * are one process. */
struct noise_totals {
    int64_t cpu_ns;     /* processor time of this process */
    int64_t delayed_ns; /* time that the calling thread was runnable but not scheduled */
};
void noise_read(struct noise_totals *noise);

/* Thresholds for the share of a rank's time in which it is runnable but not scheduled: from
 * FELT_FROM on, the contention is reported; from SPOILED_FROM on, as an error if it may be the
 * reason why the report has no other finding. */
#define NOISE_FELT_FROM 0.01
#define NOISE_SPOILED_FROM 0.10
