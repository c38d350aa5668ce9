/* A program as a declaration: what it does, its own options, what they may choose from. From it
 * come the parser, --help, the lists in messages, and where each value is put.
 *
 *   struct mine { struct bench bench; int root; } mine;
 *   static const struct bench_option options[] = {
 *       {"root", 0, "RANK", "from where (0)", 1, bench_take_root, offsetof(struct mine, root)},
 *       {0}};
 *   static const struct bench_program program = {"Measures ...", .options = options};
 *   bench_begin(&mine.bench, &argc, &argv, MPI_THREAD_SINGLE, &program); */
#ifndef COLLPROF_BENCH_PROGRAM_H
#define COLLPROF_BENCH_PROGRAM_H

#include "bench.h"

#include <stdbool.h>
#include <stddef.h>

/* Things with names, 0, 1, 2, ... until NAME is NULL. */
struct bench_registry {
    const char *what;                                /* "benchmark", for messages */
    const char *(*name)(size_t i);                   /* "" is a thing that cannot be chosen */
    const char *(*summary)(size_t i);                /* NULL: --help lists no summaries */
    bool (*in_all)(size_t i, const struct bench *b); /* whether "all" has it; NULL: it has */
};

/* Things of a registry, in the order in which they were asked for, none twice. */
enum { BENCH_CHOSEN_MAX = 48 };
struct bench_chosen {
    size_t n, at[BENCH_CHOSEN_MAX];
    bool all; /* "all" was among the words */
};

/* The broadcasts that run as they are (trees/bcast.h). */
extern const struct bench_registry bench_algorithms;

/* Adds what LIST names; "all" adds everything. With a message if there is no such thing. */
error_t bench_choose(struct argp_state *state, const struct bench_registry *r, const char *list,
                     struct bench_chosen *chosen);
void bench_choose_all(const struct bench *b, const struct bench_registry *r,
                      struct bench_chosen *chosen);
/* "a, b, c": what can be chosen. Caller frees. */
char *bench_names(const struct bench_registry *r);

struct bench_option;
/* Puts what ARG says into VALUE; an error by bench_bad_option(). */
typedef error_t bench_take(struct argp_state *state, const struct bench_option *o, const char *arg,
                           void *value);

struct bench_option {
    const char *name; /* or NULL: a letter alone */
    int letter;       /* or 0 */
    const char *arg;  /* NULL: a flag; "[LIST]": may be left out */
    const char *help; /* "%s" stands for the names of the registry FROM; NULL: not shown */
    int group;
    bench_take *take;
    size_t offset;    /* of VALUE in the program's options */
    const void *from; /* what TAKE needs */
};

/* For options of one kind: what VALUE is, and what FROM is. */
struct bench_limits {
    long least, most;
    const char *right; /* "1 to 30" */
};
struct bench_words {         /* WORD[i] puts i, an enum's value */
    const char *const *word; /* ends by NULL */
};
bench_take bench_take_flag;  /* bool; - */
bench_take bench_take_text;  /* const char *; - */
bench_take bench_take_list;  /* struct bench_chosen; struct bench_registry */
bench_take bench_take_word;  /* int; struct bench_words */
bench_take bench_take_count; /* int; struct bench_limits */
bench_take bench_take_root;  /* int, one of the ranks that run; - */
bench_take bench_take_times; /* struct bench_range of microseconds; - */

struct bench_program {
    const char *does, *note; /* before and after the options in --help; NOTE may be NULL */
    const struct bench_option *options;         /* ends by {0} */
    const struct bench_registry *const *listed; /* with summaries, behind the options: ends by NULL;
                                                   or NULL */
    error_t (*check)(struct argp_state *state, void *options); /* of all together; or NULL */
    /* Takes a word that is no option; NULL: there are none. */
    error_t (*word)(struct argp_state *state, void *options, char *word);
};

/* MPI_Init_thread with LEVEL, clock, then the options of all ranks. B is the first member of what
 * the offsets refer to. What it already holds (anything but 0) are the program's defaults; ours
 * are sizes 8:64K, all ranks, plan_default(). Afterwards ranks.min and ranks.max are between 1 and
 * size. Only rank 0 prints usage errors and --help; all ranks then leave together with status 2
 * (0 for --help). */
void bench_begin(struct bench *b, int *argc, char ***argv, int level,
                 const struct bench_program *program);

/* The values that a range goes through. */
enum { BENCH_VALUES_MAX = 64 };
struct bench_values {
    size_t n, at[BENCH_VALUES_MAX];
};
struct bench_values bench_values(const struct bench_range *range);

/* Calls MEASURE for every combination of indices, the last axis fastest, and shows progress under
 * the name that it returns (NULL: that of the one before). N_AXES lengths, none 0. */
enum { BENCH_AXES_MAX = 8 };
void bench_sweep(const struct bench *b, const size_t *length, int n_axes,
                 const char *(*measure)(void *arg, const size_t *at), void *arg);

/* What is measured among so many ranks. */
struct bench_point {
    const char *name; /* of the thing */
    size_t which;     /* of all that were chosen */
    int ranks;
    size_t bytes;
};

/* Three cells: its name, ranks and bytes. */
void bench_put_point(struct table *t, const struct bench_point *p);

/* For qsort() of what begins with a struct bench_point: as listed, not as measured. */
int bench_by_point(const void *a, const void *b);

/* N things for every number of ranks in --ranks and every size in --sizes. The first ranks of all
 * are a communicator of their own, which returns errors. */
struct bench_visit {
    size_t n;
    const char *(*name)(const void *arg, size_t which);
    bool (*sized)(const void *arg, size_t which); /* NULL: all; without it bytes is 0 */
    void (*enter)(void *arg, MPI_Comm comm);      /* on these ranks; or NULL */
    void (*measure)(void *arg, const struct bench_point *point, MPI_Comm comm); /* on these ranks */
};
void bench_visit(const struct bench *b, const struct bench_visit *v, void *arg);

/* If ERROR is one: says so, "PROGRAM: WHAT NAME of 8 bytes among 4 ranks: ...", and aborts. */
void bench_check(const struct bench *b, int error, const char *what,
                 const struct bench_point *point);

#endif
