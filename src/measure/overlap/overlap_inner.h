/* The benchmarks, a file each. */
#ifndef COLLPROF_MEASURE_OVERLAP_OVERLAP_INNER_H
#define COLLPROF_MEASURE_OVERLAP_OVERLAP_INNER_H

#include "measure/overlap/overlap.h"

extern const struct overlap_benchmark overlap_sender, overlap_receiver, overlap_both,
    overlap_vector, overlap_cpu, overlap_load, overlap_serial, overlap_pending,
    overlap_destinations, overlap_multiple, overlap_ibarrier, overlap_ibroadcast, overlap_igather,
    overlap_iallgather, overlap_iallreduce, overlap_ireduce, overlap_iscatter, overlap_ialltoall,
    overlap_ireduce_scatter, overlap_iscan;

/* Shared by those that differ in one thing only. */
double overlap_sender_first(struct overlap_side *s);
void overlap_sender_others(struct overlap_side *s);
double overlap_blocking_send(struct overlap_side *s); /* its ack is not in the time */

#endif
