/* What the files of collbench-bcast and collbench-collective share: options, tables, pictures,
 * tuning, and rules for when to doubt a result. A "thing" is what is measured: an algorithm in
 * collbench-bcast, an operation in collbench-collective. */
#pragma once

#include "bench.h"
#include "measure/latency/latency.h"
#include "tune/tuner.h"

/* Arrival patterns of --arrivals: late:RANK, ramp, random, "recorded" (in the run in DIRECTORY). */
enum { LATENCY_ARRIVALS_MAX = 8 };
struct latency_arrivals {
    size_t n;
    const char *at[LATENCY_ARRIVALS_MAX], *directory;
};

struct latency_options {
    struct bench bench;
    bool broadcasts;             /* the program is collbench-bcast */
    struct option_chosen things; /* --algorithm, --operation */
    const char *thing_name[OPTION_CHOSEN_MAX];
    struct option_chosen methods, suites; /* --method, --as */
    int root;
    bool by_pair;                     /* --destinations, --pairs: add a table of all pairs */
    bool fresh;                       /* --fresh */
    int ring_bytes;                   /* --ring-size */
    const char *tune;                 /* --tune: directory for the files of rules; NULL: off */
    struct latency_arrivals arrivals; /* --arrivals */
    /* The methods of --method and --as, in the order in which they are measured. */
    const struct latency_method *method[OPTION_CHOSEN_MAX];
    size_t n_methods;
};

/* --- tables, only on rank 0 --- */

struct tables;

struct tables *latency_tables_new(const struct latency_options *o, struct document *d);
void latency_tables_add(struct tables *t, const struct bench_point *p,
                        const struct latency_outcome *outcome, bool spoiled);
void latency_tables_end(struct tables *t); /* adds pictures */

/* --- tuning --- */

/* The numbers of ranks to tune for: all of a range with a step, otherwise the smallest, the largest
 * and a few between them. */
struct bench_values tune_ranks(const struct option_range *range);
/* D: the document on rank 0, NULL elsewhere. Ends the program, with a message, if the MPI library
 * does not let a program choose algorithms. */
struct tune *tune_new(const struct latency_options *o, struct document *d);
/* Collective over the case's communicator: tunes the operation at P; does nothing if its algorithm
 * cannot be chosen. Of POINT's members the caller sets C, COMM, RUN and TREE. On rank 0 *NOW (which
 * may be NULL) gets the seconds that the library's own algorithm takes. Returns an MPI error. */
int tune_point(struct tune *t, const struct bench_point *p, struct tuning *point, double *now);
/* On rank 0: writes the rules, adds findings and pictures, and frees T. False if writing failed. */
bool tune_end(struct tune *t);

/* --- rules for when to doubt a result --- */

/* The results of all methods at one point of the sweep. */
struct latency_row {
    const struct latency_outcome *outcome;
    int repetitions; /* operations in a batch, as requested (M in the paper) */
    bool spoiled;    /* CPU contention may explain any difference between the results */
    bool arrivals;   /* ranks enter by a pattern of --arrivals, not at once */
};

bool latency_is_latency(const struct latency_method *m);

/* Whether the method's assumption holds for F: unknown in a spoiled ROW, VERDICT_NONE for NULL. */
enum latency_verdict row_verdict(const struct latency_row *row, const struct latency_figure *f);

/* Adds the findings about R as remarks to T's last row. */
void row_remark(const struct latency_row *row, const struct latency_result *r, struct table *t);
