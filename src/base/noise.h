/* CPU contention of this process, from counters of the kernel. */
#pragma once

#include <stdint.h>

/* Totals at one moment. Negative if unknown, as in a simulation, where all ranks are one
 * process. */
struct noise_totals {
    int64_t cpu_ns;     /* processor time of this process */
    int64_t delayed_ns; /* time its main thread was runnable but not scheduled */
};
void noise_read(struct noise_totals *noise);

/* Shares of a rank's time runnable but not scheduled: from FELT on, figures of that size are
 * doubtful; from SPOILED on, no conclusion is drawn. The other ranks lose the time, too, since they
 * wait. */
#define NOISE_FELT_FROM 0.01
#define NOISE_SPOILED_FROM 0.10
