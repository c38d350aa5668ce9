/* The grid of collbench-overlap, and what has been measured of it. */
#ifndef COLLPROF_BENCH_OVERLAP_GRID_H
#define COLLPROF_BENCH_OVERLAP_GRID_H

#include "bench.h"
#include "measure/overlap/overlap.h"
#include "picture/overlap_map.h"
#include "results/base_round.h"

#include <stdbool.h>
#include <stddef.h>

enum { GRID_AXIS_MAX = 128, GRID_BENCHMARKS_MAX = 32 };

/* Values from MIN to MAX, each STEP times the one before, rounded; MAX is the last. Returns how
 * many, at most GRID_AXIS_MAX. */
size_t grid_axis(double min, double max, double step, double *value);

/* One benchmark's cells; rank 0 has the results. */
struct grid_part {
    const struct overlap_benchmark *benchmark;
    size_t ny;
    const double *y;           /* microseconds, or threads */
    struct overlap_cell *cell; /* ny rows of nx; runs == 0: not measured */
    char why[1000];            /* what was seen of the transport; "": nothing */
};

struct grid {
    size_t nx, n_comp, n_threads, n_parts;
    double size[GRID_AXIS_MAX], comp[GRID_AXIS_MAX], threads[GRID_AXIS_MAX];
    struct work work[GRID_AXIS_MAX]; /* this rank's, for comp[] */
    struct grid_part part[GRID_BENCHMARKS_MAX];
    struct base_round base;
    struct base_origin origin;
};

/* After the axes are set: room for one more benchmark; false if there is none. */
bool grid_add(struct grid *g, const struct overlap_benchmark *b);
static inline struct overlap_cell *grid_cell(const struct grid *g, const struct grid_part *p,
                                             size_t ix, size_t iy)
{
    return &p->cell[iy * g->nx + ix];
}
void grid_free(struct grid *g);

/* Seconds that a cell will take, from the base round. */
double grid_estimate(const struct grid *g, const struct grid_part *p, size_t ix, size_t iy,
                     int runs, double budget);

bool grid_measured(const struct overlap_cell *c);

/* The ratio of a cell is certain within half a unit; others stay white and silent. */
bool grid_certain(const struct overlap_cell *c);

/* The part as a map: cells that are not certain are left out. */
struct overlap_map grid_map(const struct grid *g, const struct grid_part *p);

/* Tables and notes. CELLS: all of them too. */
void grid_tell(const struct grid *g, struct document *d, bool cells);

#endif
