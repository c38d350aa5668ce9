/* The parts into which a run is divided: segments of one kind, on one rank. */
#ifndef COLLPROF_CAUSES_SEGMENTS_H
#define COLLPROF_CAUSES_SEGMENTS_H

#include <stdint.h>

#define CAUSES_NONE UINT32_MAX

enum cause_kind {
    CAUSE_COMPUTATION, /* time outside of MPI, between two calls */
    CAUSE_TRANSFER,    /* time in a call besides its wait */
    CAUSE_UNKNOWN,     /* window edges, and calls whose waits are unknown */
    CAUSE_REST,        /* sum of all causes beyond CAUSES_ROWS */
    CAUSE_KINDS
};

/* Start and end of the run, ns on the clock of the events. */
struct causes_run {
    int64_t first_ns, last_ns;
    uint64_t time_mask; /* only times that have none of these bits were recorded; 0: all */
    uint32_t last_rank; /* the rank that ended at LAST_NS; CAUSES_NONE: unknown */
    double error_ns;    /* the largest difference between the clocks of two ranks */
};

/* The number of the window in which TIME is; 0 without windows. */
static inline int64_t causes_epoch(const struct causes_run *run, int64_t time)
{
    return run->time_mask ? time >> __builtin_ctzll(run->time_mask) : 0;
}

#endif
