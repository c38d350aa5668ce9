/* The options of collbench-overlap. */
#ifndef COLLPROF_BENCH_OVERLAP_OPTIONS_H
#define COLLPROF_BENCH_OVERLAP_OPTIONS_H

#include "bench.h"
#include "overlap_binding.h"
#include "overlap_grid.h"

#include <stdbool.h>
#include <stddef.h>

struct options {
    struct bench bench;
    struct option_chosen benchmarks; /* of overlap_benchmarks[] */
    bool quick, fresh;
    struct option_range comp; /* microseconds */
    double step;              /* between neighbours on an axis */
    int comm_from_base;
    int bind; /* enum bind_mode */
    int openmp;
    const char *base, *save_base;
};

extern const struct option_program overlap_program;

static inline const struct overlap_benchmark *overlap_chosen(const struct options *o, size_t i)
{
    return overlap_benchmarks[o->benchmarks.at[i]];
}

/* Before bench_begin(). */
void overlap_defaults(struct options *o);

/* The thread level to start MPI with: MULTIPLE only when that benchmark is asked for by name, since
 * it changes how the library works for all others. */
int overlap_thread_level(int argc, char **argv);

/* From now on a team of OpenMP threads computes: how many, if the user's variables say so; 0: there
 * are none. */
int overlap_team(void);

/* After bench_begin(): which benchmarks, and the grid of --quick. Refuses what cannot run on these
 * ranks. */
void overlap_choose(struct options *o);

#endif
