/* The heat maps of collbench-overlap: read from its JSON, drawn, and put into a sentence each. An
 * application's own requests can be laid over them. No MPI. */
#ifndef COLLPROF_PICTURE_OVERLAP_MAP_H
#define COLLPROF_PICTURE_OVERLAP_MAP_H

#include "picture/plot.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct overlap_map {
    char name[32], title[96];
    char mpi[64];    /* whose it is, as a file says; "" where none does */
    char of[200];    /* program, ranks, date, MPI, as a file says; "" where none does */
    bool by_threads; /* Y is a number of computing threads, and the value T_measured / T_comm */
    size_t nx, ny;
    double *x;     /* bytes, ascending */
    double *y;     /* seconds of computation, or threads, ascending */
    double *ratio; /* ny rows of nx, the first row at the bottom; NaN: not known */
    double *doubt; /* rows as of RATIO; 1: measured, but its ratio is not known or not certain */
    double *comm;  /* T_comm by size, seconds; NaN: not known */
};

/* All NaN, without doubt; no cells at all if there is no memory. */
struct overlap_map overlap_map_new(const char *name, const char *title, bool by_threads,
                                   const double *x, size_t nx, const double *y, size_t ny);
void overlap_map_free(struct overlap_map *m);

/* Column IX of row IY. */
double *overlap_map_at(const struct overlap_map *m, size_t ix, size_t iy);
void overlap_map_doubt(struct overlap_map *m, size_t ix, size_t iy);

/* The maps in collbench-overlap's JSON output, in its order; NULL and *N = 0 if there are
 * none; WHY then begins with the file's name. Free each, then the array. */
struct overlap_map *overlap_maps_load(const char *path, size_t *n, char *why, size_t size);

/* What the map shows, in a sentence derived from its numbers. */
void overlap_map_sentence(const struct overlap_map *m, char *text, size_t size);

/* What sender's and receiver's maps show together: on which side small and large messages overlap.
 * Empty where one is missing. */
void overlap_maps_sentence(const struct overlap_map *m, size_t n, char *text, size_t size);

/* Which of the classes of behaviour that Denis and Trahay name (V-A) all maps together are of.
 * Empty where sender's or receiver's are missing or say nothing. */
void overlap_maps_class(const struct overlap_map *m, size_t n, char *text, size_t size);

/* As collbench-overlap writes it under "maps". A new reference. */
json_t *overlap_map_json(const struct overlap_map *m);

/* In the paper's colours with the T_comm line. N_POINTS requests of an application, at
 * POINTS_X bytes and POINTS_Y seconds between their posting and their wait, are marked. */
bool overlap_map_draw(const char *path, const struct overlap_map *m, const double *points_x,
                      const double *points_y, size_t n_points);

/* All of them side by side on one sheet, COLUMNS in a row (0: as fits), as the paper's figures 2 to
 * 4. */
bool overlap_maps_draw(const char *path, const char *title, const struct overlap_map *m, size_t n,
                       size_t columns);

/* Those in N_FILES of collbench-overlap's JSON: of several the benchmarks that all of them have, a
 * row for each file, under the name of its MPI library. */
bool overlap_files_draw(const char *path, char *const *file, size_t n_files);

#endif
