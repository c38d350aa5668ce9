/* Between the parts of collbench-bcast: the sweep (collbench-bcast.c), options (bcast_options.c),
 * tables (bcast_tables.c) and what is said beside their figures (bcast_remarks.c), pictures
 * (bcast_plots.c), the broadcast's path (bcast_path.c). */
#ifndef COLLPROF_BCAST_BENCH_H
#define COLLPROF_BCAST_BENCH_H

#include "bench.h"
#include "measure/bcast/bcast.h"
#include "measure/bcast/discover.h"
#include "measure/collective/operation.h"

enum { MOST_METHODS = OPTION_CHOSEN_MAX };
enum axes { AXES_LOG, AXES_LINEAR, AXES_BOTH };

struct options {
    struct bench bench;
    struct option_chosen chosen_methods, chosen_algorithms;
    const struct bcast_method *methods[MOST_METHODS]; /* these, or the default */
    size_t n_methods;
    const struct bcast *algorithms[OPTION_CHOSEN_MAX];
    size_t n_algorithms;
    int root;
    struct option_chosen orders, suites; /* --order, --as */
    bool by_destination;                 /* --destinations */
    int *destinations;                   /* those asked for; NULL: all */
    int n_destinations;
    int ring_bytes, axes; /* --ring-size, --axes */
    int datatype;         /* --datatype: enum operation_type */
    MPI_Datatype type;    /* the same to MPI */
    bool fresh;           /* --fresh */
    bool samples;         /* --samples */
    bool discover;        /* --discover */
    const char *dot;
};

extern const struct option_program bcast_program; /* its options are a struct options */

/* The tables that collect a sweep's results. Only on rank 0. */
struct tables;
struct tables *tables_new(const struct options *o, struct document *d);
/* DISTURBED: what bench_disturbed() said. */
void tables_add(struct tables *t, const struct bench_point *p, const struct bcast_outcome *outcome,
                struct disturbance disturbed);
/* Legend, warnings; then frees T. The document stays. */
void tables_end(struct tables *t);

/* The figures of a sweep that pictures need. Only on rank 0. */
struct plots;
struct plots *plots_new(const struct options *o);
void plots_add(struct plots *p, const struct bench_point *at, const struct bcast_outcome *outcome);
/* Draws --plot, says which files in D, frees P. False if a picture could not be drawn. */
bool plots_end(struct plots *p, struct document *d);

/* The path of one broadcast, into D's tables and --dot. Only on rank 0. */
struct paths;
struct paths *paths_new(const struct options *o, struct document *d);
void paths_add(struct paths *t, const struct bench_point *p, const struct discovery *discovery);
/* False if --dot could not be written. Frees T. */
bool paths_end(struct paths *t);

#endif
