/* Between the two files of collbench-collective: options and sweep, tables and pictures. */
#ifndef COLLPROF_BENCH_COLLECTIVE_BENCH_H
#define COLLPROF_BENCH_COLLECTIVE_BENCH_H

#include "bench.h"
#include "measure/collective/collective.h"
#include "measure/collective/operation.h"

struct options {
    struct bench bench;
    struct option_chosen operations;
    struct option_chosen methods; /* 0 direct, 1 mirrored; none: both */
    bool direct, mirrored;        /* from these */
    bool pairs;                   /* a table of them */
    int root;
    struct operation_data data; /* --datatype, --op; no op given: -1 */
    bool fresh, guidelines;
    int rotate, communicators; /* so many sets of buffers; communicators at once */
};

/* Each of them with every value of the --cvar that takes several in turn: the operations first. */
static inline size_t chosen_variants(const struct options *o)
{
    return o->operations.n * cvar_values();
}

static inline const struct operation *chosen_operation(const struct options *o, size_t i)
{
    return &operations[o->operations.at[i % o->operations.n]];
}

static inline const char *variant_name(const struct options *o, size_t i, char *text, size_t size)
{
    return cvar_name(text, size, chosen_operation(o, i)->name, i / o->operations.n);
}

/* What is drawn of one point, and held against others. */
struct drawn {
    struct bench_point at;
    struct estimate by[2]; /* direct, mirrored; no interval where not of all pairs */
    double clock_bound;    /* seconds that direct may be off */
    bool spoiled;          /* no verdict rests on it */
};

/* The guidelines of which all operations are there, as a table: N points by bench_by_point(). */
void guidelines_put(struct document *d, const struct drawn *points, size_t n);

struct results;

struct results *results_new(const struct options *o, struct document *d);

/* DIRECT and MIRRORED may be NULL: not measured. DISTURBED is what bench_disturbed() said. */
void results_add(struct results *r, const struct bench_point *p,
                 const struct collective_direct *direct, const struct collective_mirrored *mirrored,
                 struct disturbance disturbed);

/* Notes, and pictures if asked for: false if these failed, and says why. Frees R. */
bool results_end(struct results *r);

#endif
