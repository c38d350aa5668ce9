#include "measure/overlap/overlap_inner.h"

const struct overlap_benchmark *const overlap_benchmarks[] = {
    &overlap_sender,
    &overlap_receiver,
    &overlap_both,
    &overlap_vector,
    &overlap_cpu,
    &overlap_load,
    &overlap_serial,
    &overlap_pending,
    &overlap_destinations,
    &overlap_multiple,
    &overlap_multiple_receiver,
    &overlap_multiple_both,
    &overlap_ibarrier,
    &overlap_ibroadcast,
    &overlap_igather,
    &overlap_iallgather,
    &overlap_iallreduce,
    &overlap_ireduce,
    &overlap_iscatter,
    &overlap_ialltoall,
    &overlap_ireduce_scatter,
    &overlap_iscan,
    &overlap_neighbours,
    &overlap_sources,
};
const size_t n_overlap_benchmarks = sizeof overlap_benchmarks / sizeof *overlap_benchmarks;
