/* What collbench-bcast and collbench-collective share: options, methods, tables, pictures and
 * the rules for doubting a figure. Both measure "things" (broadcast algorithms, operations) by
 * methods. */
#ifndef COLLPROF_BENCH_LATENCY_BENCH_H
#define COLLPROF_BENCH_LATENCY_BENCH_H

#include "bench.h"
#include "measure/collective/operation.h"
#include "measure/latency/latency.h"

struct latency_options {
    struct bench bench;
    struct option_chosen things;          /* --algorithm, --operation */
    struct option_chosen methods, suites; /* --method, --as */
    int root;
    bool by_pair;                  /* --destinations, --pairs: also a table of pairs */
    bool fresh;                    /* --fresh */
    int ring_bytes;                /* --ring-size */
    const char *tune;              /* --tune: the directory of the files; NULL: off */
    struct option_chosen arrivals; /* --arrival, with --tune */
    /* Set by latency_choose(): the methods chosen, or the defaults. */
    const struct latency_method *method[OPTION_CHOSEN_MAX];
    size_t n_methods;
};

/* The methods and suites to choose from, and their options, which begin a program's list. */
extern const struct option_registry latency_registry, latency_suites;
#define LATENCY_OPTION(name, argument, help, group, take, member, from)                            \
    {                                                                                              \
        name, 0, argument, help, group, take, offsetof(struct latency_options, member), from       \
    }
#define LATENCY_OPTIONS                                                                            \
    LATENCY_OPTION("method", "LIST", "the methods, or all of ours; default: held,direct", 1,       \
                   option_take_list, methods, &latency_registry),                                  \
        LATENCY_OPTION("as", "LIST",                                                               \
                       "in addition the timing loops of other suites: "                            \
                       "osu, imb, repro, all",                                                     \
                       1, option_take_list, suites, &latency_suites),                              \
        LATENCY_OPTION("root", "R", "the root of the operation", 1, bench_take_root, root, NULL),  \
        LATENCY_OPTION("ring-size", "SIZE", "bytes of each message of ring-barrier's barrier",     \
                       1 | OPTION_RARE, option_take_count, ring_bytes,                             \
                       (&(const struct option_limits){0, 1 << 30, "0 to 1G"}))

/* For a program's option check: sets O->method from the options or to the defaults. */
void latency_choose(struct latency_options *o);

/* The things that a program measures. The functions get ARG and the index of the chosen thing. */
struct latency_things {
    const char *schema; /* of the document */
    const char *name;   /* title of the first column: "algorithm" */
    const char *(*name_of)(const void *arg, size_t which);
    bool (*sized)(const void *arg, size_t which); /* whether sizes apply to it; NULL: to all */
    bool broadcasts;                              /* every method applies to them */
    /* Collective: makes the case of P on COMM, without what options set. False if there is no
     * memory. */
    bool (*prepare)(void *arg, const struct bench_point *p, MPI_Comm comm, struct latency_case *c);
    void (*release)(void *arg); /* frees what PREPARE made; called only after success */
    /* With --tune: the argument of the case's functions uses COMM and, if not NULL, RUN. */
    void (*use)(void *arg, MPI_Comm comm, collective_run *run);
};

/* The whole program: parses the options into O and measures. Exits with status 1 if data were
 * wrong. */
_Noreturn void latency_main(int argc, char **argv, const struct option_program *program,
                            struct latency_options *o, const struct latency_things *things,
                            void *arg);

/* --- tables, only on rank 0 --- */

struct tables;

struct tables *latency_tables_new(const struct latency_options *o,
                                  const struct latency_things *things, struct document *d);
void latency_tables_add(struct tables *t, const struct bench_point *p,
                        const struct latency_outcome *outcome, struct contention contention);
/* Adds findings about all rows, and pictures. */
void latency_tables_end(struct tables *t, const void *arg);

/* --- tuning --- */

extern const struct option_registry latency_arrivals;

/* D is NULL but on rank 0. Ends the program, with one line, if there are no algorithms to choose.
 */
struct tune *tune_new(const struct latency_options *o, const struct latency_things *things,
                      struct document *d);
/* Collective over the case's communicator: adds a row for each arrival pattern; nothing for an
 * operation whose algorithm cannot be chosen. Returns an MPI error code. */
int tune_point(struct tune *t, const struct bench_point *p, const struct latency_case *c);
/* On rank 0: writes the files, adds findings and pictures, and frees T. False if writing failed. */
bool tune_end(struct tune *t, const void *arg);

/* --- rules for doubting a figure --- */

/* One row: the results at one point. */
struct latency_row {
    const struct latency_outcome *outcome;
    int repetitions; /* M, as requested */
    bool spoiled;    /* CPU contention: differences between figures are not significant */
};

bool latency_is_latency(const struct latency_method *m);

/* The verdict on F (may be NULL), VERDICT_UNKNOWN if the row is spoiled. */
enum latency_verdict row_verdict(const struct latency_row *row, const struct latency_figure *f);

/* Adds the findings about R as remarks to T's last row. */
void row_remark(const struct latency_row *row, const struct latency_result *r, struct table *t);

#endif
