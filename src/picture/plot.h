/* Pictures, by gnuplot. The file's ending chooses PNG or SVG. Every function returns false, and
 * has said why on stderr, when there is no gnuplot or it fails; nothing half-written is left.
 * The gnuplot is the one that GNUPLOT in the environment names, or that configure found. */
#ifndef COLLPROF_PICTURE_PLOT_H
#define COLLPROF_PICTURE_PLOT_H

#include "document/document.h"

#include <stdbool.h>
#include <stddef.h>

struct plot_axes {
    const char *title;
    const char *x_label, *y_label; /* with the unit: "time (us)" */
    bool x_log2, y_log10;
    bool x_whole;        /* ranks: no ticks between them */
    const char *caption; /* small, below: what it is of; NULL: none */
};

struct plot_series {
    const char *label;
    const double *x, *y; /* NaN: a gap */
    size_t n;
    const double *low, *high; /* intervals of Y, drawn as bars; NULL: there are none */
};

/* What pictures are of that have no caption of their own, from now on. */
void plot_caption(const char *text);
/* That timings are not meaningful, and why: the first reason stays. */
void plot_caption_doubt(const char *why);

/* Lines with points. */
bool plot_lines(const char *path, const struct plot_axes *axes, const struct plot_series *series,
                size_t n);

struct plot_map {
    const double *x, *y; /* cell centres, nx and ny of them, ascending */
    size_t nx, ny;
    const double *value; /* ny rows of nx, the first row at the bottom; NaN: white */
    double low, high;    /* ends of the colour scale; equal: from the data. Clamped. */
    const char *value_label;
    enum palette palette;
    bool log_color;
    const struct plot_series *overlay; /* lines drawn over the map */
    size_t n_overlay;
    const struct plot_series *points; /* marks drawn over the map */
    size_t n_points;
    const struct plot_series *doubt; /* cells marked by a small cross, named in the key; or NULL */
    bool by_index; /* cells of equal size, labelled by X and Y (ranks; powers of sqrt 2) */
};

/* One cell per value, no interpolation. */
bool plot_heatmap(const char *path, const struct plot_axes *axes, const struct plot_map *map);

/* The same values as a surface seen at an angle (the latency paper's plots). */
bool plot_surface(const char *path, const struct plot_axes *axes, const struct plot_map *map);

/* Several heat maps side by side, COLUMNS in a row, on one sheet: N AXES and N MAPS. */
bool plot_heatmap_sheet(const char *path, const char *title, const struct plot_axes *axes,
                        const struct plot_map *maps, size_t n, size_t columns);

/* True for a path that ends in .png or .svg; otherwise says on stderr what would be right. */
bool plot_path_valid(const char *path);

#endif
