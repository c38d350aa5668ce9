/* How undisturbed this process runs: what the kernel counts anyway. */
#ifndef COLLPROF_BASE_NOISE_H
#define COLLPROF_BASE_NOISE_H

#include <stdint.h>

/* Totals at one moment. Negative: not known, as in a simulation, where all ranks are one process.
 */
struct noise_totals {
    int64_t cpu_ns;     /* processor time of this process */
    int64_t delayed_ns; /* in which its main thread was runnable but not scheduled */
};
void noise_read(struct noise_totals *noise);

/* The share of a rank's time without a processor from which on figures of that size are doubtful,
 * and that from which on no conclusion is drawn. The others lose it, too, as they wait for it. */
#define NOISE_FELT_FROM 0.01
#define NOISE_SPOILED_FROM 0.10

#endif
