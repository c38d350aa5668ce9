/* What collbench-bcast and collbench-collective share: options, methods, tables, pictures and the
 * rules for believing a figure. Either measures things (broadcasts, operations) by methods. */
#ifndef COLLPROF_BENCH_LATENCY_BENCH_H
#define COLLPROF_BENCH_LATENCY_BENCH_H

#include "bench.h"
#include "measure/latency/latency.h"

struct latency_options {
    struct bench bench;
    struct option_chosen things;          /* --algorithm, --operation */
    struct option_chosen methods, suites; /* --method, --as */
    int root;
    bool by_pair;   /* --destinations, --pairs: a table of them */
    bool fresh;     /* --fresh */
    int ring_bytes; /* --ring-size */
    /* By latency_choose(): what was chosen, or is the default. */
    const struct latency_method *method[OPTION_CHOSEN_MAX];
    size_t n_methods;
};

/* The methods and the suites, to choose from. Their options, the first of a program's list: */
extern const struct option_registry latency_registry, latency_suites;
#define LATENCY_OPTION(name, argument, help, group, take, member, from)                            \
    {                                                                                              \
        name, 0, argument, help, group, take, offsetof(struct latency_options, member), from       \
    }
#define LATENCY_OPTIONS                                                                            \
    LATENCY_OPTION("method", "LIST", "the methods, or all of ours; default: held,direct", 1,       \
                   option_take_list, methods, &latency_registry),                                  \
        LATENCY_OPTION("as", "LIST",                                                               \
                       "beside them what other suites' loops make of the same operations: "        \
                       "osu, imb, repro, all",                                                     \
                       1, option_take_list, suites, &latency_suites),                              \
        LATENCY_OPTION("root", "R", "the root of the operation", 1, bench_take_root, root, NULL),  \
        LATENCY_OPTION("ring-size", "SIZE", "bytes of each message of ring-barrier's barrier",     \
                       1 | OPTION_RARE, option_take_count, ring_bytes,                             \
                       (&(const struct option_limits){0, 1 << 30, "0 to 1G"}))

/* For a program's check: fills O->method from the options, or the defaults. */
void latency_choose(struct latency_options *o);

/* The things that a program measures. The functions get ARG, and which of those chosen. */
struct latency_things {
    const char *schema; /* of the document */
    const char *name;   /* of the first column: "algorithm" */
    const char *(*name_of)(const void *arg, size_t which);
    bool (*sized)(const void *arg, size_t which); /* NULL: all */
    bool broadcasts;                              /* every method has a meaning for them */
    /* Collective: the case of P on COMM, all but what options say. False: no memory. */
    bool (*prepare)(void *arg, const struct bench_point *p, MPI_Comm comm, struct latency_case *c);
    void (*release)(void *arg); /* what was prepared, if it could be */
};

/* The whole program: O becomes the options, and the things are measured. Status 1 if data were
 * wrong. */
_Noreturn void latency_main(int argc, char **argv, const struct option_program *program,
                            struct latency_options *o, const struct latency_things *things,
                            void *arg);

/* --- tables, only on rank 0 --- */

struct tables;

struct tables *tables_new(const struct latency_options *o, const struct latency_things *things,
                          struct document *d);
void tables_add(struct tables *t, const struct bench_point *p,
                const struct latency_outcome *outcome, struct contention contention);
/* Findings of the whole, and pictures. */
void tables_end(struct tables *t, const void *arg);

/* --- rules for believing a figure --- */

/* One row: what was measured of one point. */
struct latency_row {
    const struct latency_outcome *outcome;
    int repetitions; /* M, as asked for */
    bool spoiled;    /* CPU contention: figures that differ say nothing */
};

bool latency_is_latency(const struct latency_method *m);

/* The verdict on F (NULL: none), as far as the row allows one. */
enum latency_verdict row_verdict(const struct latency_row *row, const struct latency_figure *f);

/* Findings about R become remarks on T's last row. */
void row_remark(const struct latency_row *row, const struct latency_result *r, struct table *t);

#endif
