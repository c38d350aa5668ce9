/* The grid of collbench-overlap, and its document. */
#ifndef COLLPROF_BENCH_OVERLAP_RESULTS_H
#define COLLPROF_BENCH_OVERLAP_RESULTS_H

#include "document/document.h"
#include "measure/overlap/overlap.h"

enum { AXIS_MAX = 128, PARTS_MAX = 32 };

struct grid_axis {
    size_t n;
    double at[AXIS_MAX];
};

/* One benchmark's cells. */
struct grid_part {
    const struct overlap_benchmark *benchmark;
    const struct grid_axis *y;
    struct overlap_cell *cell; /* Y->n rows, each of a cell for every size; for free() */
};

struct overlap_grid {
    struct grid_axis size, comp, threads; /* bytes, microseconds, their number */
    struct overlap_base base[AXIS_MAX];   /* by size */
    double latency;                       /* seconds, 0 bytes, one way */
    size_t n_parts;
    struct grid_part part[PARTS_MAX];
    bool published;      /* maps, verdicts: by the paper's ratio to the letter */
    struct table *cells; /* rank 0; NULL elsewhere */
};

static inline struct overlap_cell *grid_cell(const struct overlap_grid *g,
                                             const struct grid_part *p, size_t ix, size_t iy)
{
    return &p->cell[iy * g->size.n + ix];
}

/* The base round's table, and that of the cells, still empty. */
void overlap_results_begin(struct overlap_grid *g, struct document *d);

/* The row of a cell that has been measured. */
void overlap_results_add(const struct overlap_grid *g, const struct grid_part *p, size_t ix,
                         size_t iy);

/* When all are: findings, the summary and the pictures. */
void overlap_results_end(const struct overlap_grid *g, struct document *d);

#endif
