/* Between the two files of collbench-collective: options and sweep, tables and pictures. */
#ifndef COLLPROF_BENCH_COLLECTIVE_BENCH_H
#define COLLPROF_BENCH_COLLECTIVE_BENCH_H

#include "bench.h"
#include "measure/collective/collective.h"
#include "measure/collective/operation.h"

enum { MOST_OPERATIONS = 16 };

struct options {
    struct bench bench;
    const struct operation *operations[MOST_OPERATIONS];
    size_t n_operations;
    bool direct, mirrored; /* the methods; neither given: both */
    bool pairs;            /* a table of them */
    int root;
};

/* One row of the main table. */
struct point {
    const struct operation *operation;
    int ranks;
    size_t bytes;
};

struct results;

struct results *results_new(const struct options *o, struct document *d);

/* DIRECT and MIRRORED may be NULL: not measured. */
void results_add(struct results *r, const struct point *p, const struct collective_direct *direct,
                 const struct collective_mirrored *mirrored);

/* Notes, and pictures if asked for: false if these failed, and says why. Frees R. */
bool results_end(struct results *r);

#endif
