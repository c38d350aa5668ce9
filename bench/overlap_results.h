/* The grid of collbench-overlap, and its document. */
#pragma once

#include "document/document.h"
#include "measure/overlap/overlap.h"

enum { AXIS_MAX = 128, PARTS_MAX = 32 };

struct grid_axis {
    size_t n;
    double at[AXIS_MAX];
};

/* The cells of one benchmark. */
struct grid_part {
    const struct overlap_benchmark *benchmark;
    const struct grid_axis *y;
    struct overlap_cell *cell; /* Y->n rows with a cell for every size; to be released by free() */
};

struct overlap_grid {
    struct grid_axis size, comp, threads; /* bytes; microseconds; number of threads */
    struct overlap_base base[AXIS_MAX];   /* by size */
    double latency;                       /* one-way latency of 0 bytes, in seconds */
    size_t n_parts;
    struct grid_part part[PARTS_MAX];
    bool published;      /* maps and verdicts use the ratio exactly as the paper defines it */
    struct table *cells; /* rank 0; NULL elsewhere */
};

static inline struct overlap_cell *overlap_cell_at(const struct overlap_grid *g,
                                                   const struct grid_part *p, size_t ix, size_t iy)
{
    return &p->cell[iy * g->size.n + ix];
}

/* Adds the table of the base round, and the still empty table of cells. */
void overlap_results_begin(struct overlap_grid *g, struct document *d);

/* Adds the row of a measured cell. */
void overlap_results_add(const struct overlap_grid *g, const struct grid_part *p, size_t ix,
                         size_t iy);

/* Adds findings, summary and pictures after all cells are measured. */
void overlap_results_end(const struct overlap_grid *g, struct document *d);
