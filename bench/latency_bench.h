/* What collbench-bcast and collbench-collective share: methods, tables, pictures and the rules for
 * believing a figure. Either measures things (broadcasts, operations) by methods. */
#ifndef COLLPROF_BENCH_LATENCY_BENCH_H
#define COLLPROF_BENCH_LATENCY_BENCH_H

#include "bench.h"
#include "measure/latency/latency.h"

struct latency_options {
    struct bench bench;
    struct option_chosen things;          /* --algorithm, --operation */
    struct option_chosen methods, suites; /* --method, --as */
    int root;
    bool by_pair;    /* --destinations, --pairs: a table of them */
    bool samples;    /* --samples */
    bool fresh;      /* --fresh */
    int ring_bytes;  /* --ring-size */
    bool discover;   /* --discover */
    const char *dot; /* --dot */
    /* By latency_choose(): what was chosen, or is the default. */
    const struct latency_method *method[OPTION_CHOSEN_MAX];
    size_t n_methods;
};

/* The methods and the suites, to choose from. Their options, the first of a program's list: */
extern const struct option_registry latency_registry, latency_suites;
#define LATENCY_AT(member) offsetof(struct latency_options, member)
#define LATENCY_OPTIONS                                                                            \
    {"method",                                                                                     \
     0,                                                                                            \
     "LIST",                                                                                       \
     "the methods, or all of ours; default: held,direct",                                          \
     1,                                                                                            \
     option_take_list,                                                                             \
     LATENCY_AT(methods),                                                                          \
     &latency_registry},                                                                           \
        {"as",                                                                                     \
         0,                                                                                        \
         "LIST",                                                                                   \
         "beside them what other suites' loops make of the same operations: osu, imb, repro, all", \
         1,                                                                                        \
         option_take_list,                                                                         \
         LATENCY_AT(suites),                                                                       \
         &latency_suites},                                                                         \
        {"root", 0, "R", "the root of the operation", 1, bench_take_root, LATENCY_AT(root), NULL}, \
        {"ring-size",                                                                              \
         0,                                                                                        \
         "SIZE",                                                                                   \
         "bytes of each message of ring-barrier's barrier",                                        \
         1 | OPTION_RARE,                                                                          \
         option_take_count,                                                                        \
         LATENCY_AT(ring_bytes),                                                                   \
         &(const struct option_limits){0, 1 << 30, "0 to 1G"}},                                    \
    {                                                                                              \
        "samples", 0, NULL, "every raw sample too (JSON)", 2 | OPTION_RARE, option_take_flag,      \
            LATENCY_AT(samples), NULL                                                              \
    }

/* Fills O->method from the options, or the defaults. */
void latency_choose(struct latency_options *o);

/* Those that have a meaning for an operation of that KIND, in SOME. Returns how many. */
size_t latency_meaningful(const struct latency_options *o, bool is_broadcast,
                          enum collective_kind kind, const struct latency_method **some);

/* --- tables, only on rank 0 --- */

struct tables;

/* THING: what the first column is called. */
struct tables *tables_new(const struct latency_options *o, struct document *d, const char *thing);
void tables_add(struct tables *t, const struct bench_point *p,
                const struct latency_outcome *outcome, struct disturbance disturbed);
/* Findings of the whole, and the pictures for --plot; frees T. NAME(ARG, I) of the N things. */
void tables_end(struct tables *t, size_t n, const char *(*name)(const void *arg, size_t which),
                const void *arg);

/* --- rules for believing a figure --- */

/* One row: what was measured of one point. */
struct latency_row {
    const struct latency_outcome *outcome;
    int repetitions; /* M, as asked for */
    bool fresh;      /* --fresh: lower bounds are of broadcasts whose data was not written anew */
    bool spoiled;    /* CPU contention: figures that differ say nothing */
};

/* The operation latency to hold others against: a reliable one if there is, held rather than
 * direct. NULL: none has a result. */
const struct latency_result *row_latency(const struct latency_row *row);

/* Whether R has an interval, is of all pairs, and has settled. */
bool row_relies_on(const struct latency_row *row, const struct latency_result *r);

/* Every rule that applies to R becomes a remark on T's last row, behind the method's name if
 * NAMED. */
void row_remark(const struct latency_row *row, const struct latency_result *r, struct table *t,
                bool named);

/* What the figures of a row say of each other: bounds that are none. */
void row_remark_bounds(const struct latency_row *row, struct table *t);

#endif
