/* The options of collbench-overlap. */
#ifndef COLLPROF_BENCH_OVERLAP_OPTIONS_H
#define COLLPROF_BENCH_OVERLAP_OPTIONS_H

#include "bench.h"
#include "overlap_grid.h"

#include <stdbool.h>
#include <stddef.h>

struct options {
    struct bench bench;
    const struct overlap_benchmark *chosen[GRID_BENCHMARKS_MAX];
    size_t n_chosen;
    bool all, quick, fresh;
    struct bench_range comp; /* microseconds */
    double step;             /* between neighbours on an axis */
    bool comm_from_base;
    const char *base, *save_base;
};

extern const struct argp overlap_argp;

/* Before bench_start(). */
void overlap_defaults(struct options *o);

/* The thread level to start MPI with: MULTIPLE only when that benchmark is asked for by name, since
 * it changes how the library works for all others. */
int overlap_thread_level(int argc, char **argv);

/* After bench_start(): which benchmarks, and the grid of --quick. Refuses what cannot run on these
 * ranks. */
void overlap_choose(struct options *o);

#endif
