/* What a run is divided into: segments of one kind, on one rank. */
#ifndef COLLPROF_CAUSES_SEGMENTS_H
#define COLLPROF_CAUSES_SEGMENTS_H

#include <stdint.h>

#define CAUSES_NONE UINT32_MAX

enum cause_kind {
    CAUSE_COMPUTATION, /* time outside of MPI, from the exit of a call to the entry of the next */
    CAUSE_TRANSFER,    /* time in a call beyond its wait */
    CAUSE_UNKNOWN,     /* edges of windows, and calls whose waits are unknown */
    CAUSE_REST,        /* sum of all causes beyond CAUSES_ROWS */
    CAUSE_KINDS
};

/* When the run began and ended; ns on the clock of the events. */
struct causes_run {
    int64_t first_ns, last_ns;
    uint64_t time_mask; /* times that have none of these bits were kept; 0: all */
    uint32_t last_rank; /* the rank that ended at LAST_NS; CAUSES_NONE: unknown */
    double error_ns;    /* the largest difference between the clocks of two ranks */
};

#endif
