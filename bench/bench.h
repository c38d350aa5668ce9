/* What all collbench programs share: common options, the facts in a document's header, progress,
 * and exit with one clear line. A program has a struct whose first member is a struct bench,
 * declares its own options for it (base/options.h has an example), passes both to bench_begin(),
 * measures by src/measure, fills a document, and ends by bench_finish(). */
#pragma once

#include "base/options.h"
#include "base/reason.h"
#include "base/status.h"
#include "base/try.h"
#include "document/document.h"
#include "measure/series.h"
#include "sync/sync.h"

#include <mpi.h>

enum { BENCH_CVARS_MAX = 1024 };
struct bench {
    const char *program;
    int rank, size;
    MPI_Comm comm; /* a duplicate of MPI_COMM_WORLD */

    /* The common options, as given. */
    struct option_range sizes; /* bytes: --sizes=MIN:MAX */
    struct option_range ranks; /* --ranks=MIN:MAX[:STEP]; MAX may be "all"; default: all */
    struct plan plan;          /* --repetitions, --warmup, --stop, --budget */
    enum format format;        /* --format */
    const char *output;        /* --output; NULL for standard output */
    bool yield;                /* --yield */

    int traffic; /* set by the program: ranks outside of a group send this percentage of the time */

    const char *without; /* set by the program: names of common options that have no effect in it
                            and are refused, as in "warmup stop"; NULL for none */

    char *command;        /* the command line */
    struct place *places; /* rank 0: where every rank runs (base/topology.h); elsewhere NULL */
    char cvars[BENCH_CVARS_MAX]; /* the control variables that --cvar has set: "NAME=NUMBER, ..." */
};

/* Initializes MPI, sets the clock, and parses the options on all ranks. The
 * entries' offsets refer to the struct of which B is the first member. Values in it other than 0
 * are the program's defaults; the common defaults are sizes 8:64K, all ranks, plan_default().
 * Afterwards ranks.min and ranks.max are between 1 and size. Only rank 0 prints usage errors and
 * --help; then all ranks exit with status 2 (0 for --help). */
void bench_begin(struct bench *b, int *argc, char ***argv, const struct option_program *program);

/* The values of a range, in ascending order. */
enum { BENCH_VALUES_MAX = 1024 };
struct bench_values {
    size_t n, at[BENCH_VALUES_MAX];
};
struct bench_values bench_values(const struct option_range *range);

/* Calls MEASURE for every combination of indices, the last axis fastest, and shows progress. LENGTH
 * has N_AXES lengths, none 0. */
enum { BENCH_AXES_MAX = 8 };
void bench_sweep(const struct bench *b, const size_t *length, int n_axes,
                 void (*measure)(void *arg, const size_t *at), void *arg);

/* The first RANKS ranks, with a communicator whose errors are returned, and one clock. */
struct bench_group {
    int first;     /* whose clock the others follow: the root */
    int ranks;     /* 0: not opened, and the members below are undefined */
    MPI_Comm comm; /* MPI_COMM_NULL on ranks outside of the group */
    struct sync_clock clock;
};

/* Collective over all ranks; both functions wait for all of them. G becomes the group of the first
 * RANKS ranks, unless it already is. */
void bench_group_open(const struct bench *b, size_t ranks, struct bench_group *g);
void bench_group_close(const struct bench *b, struct bench_group *g);

/* One point of a sweep. */
struct bench_point {
    const char *name;    /* of the algorithm or operation */
    const char *arrival; /* name of an arrival pattern; NULL: as the method says */
    int ranks;
    size_t bytes;
};

/* If ERROR is not MPI_SUCCESS: prints "PROGRAM: NAME of 8 bytes among 4 ranks: ...", and aborts. */
void bench_check(const struct bench *b, int error, const struct bench_point *point);

/* All ranks call it: prints the reasons given (base/reason.h), ends MPI and the program. */
_Noreturn void bench_leave(int status);

/* All ranks call it with the format of one message: rank 0 prints "PROGRAM: MESSAGE"; the exit
 * status is 2. */
#define bench_refuse(b, ...)                                                                       \
    ((b)->rank ? (void)0 : reason_print((b)->program, __VA_ARGS__), bench_leave(STATUS_USAGE))

/* The broadcasts that need no schedule (trees/bcast.h). */
extern const struct option_registry bench_algorithms;

extern const struct option_limits bench_root;  /* for option_take_count; see bench_check_ranks() */
extern const struct option_limits bench_times; /* for option_take_range, in microseconds */

/* For the end of a program's option parser: WHAT ("a broadcast") needs at least two ranks, and ROOT
 * must be one of the fewest ranks measured. */
error_t bench_check_ranks(struct option_parser *parser, const struct bench *b, const char *what,
                          int root);

/* Collective: makes a document with the facts that every result needs: program and version, command
 * line, number of ranks and hosts, MPI library, clock, date, oversubscription. Rank 0 gets it; the
 * others NULL. If ranks outnumber processors and --yield was not given, rank 0 warns on stderr. */
struct document *bench_document(const struct bench *b, const char *schema);

/* Collective over COMM, after these ranks have measured a row. On rank 0: whether there was so much
 * CPU contention since the row began (see bench_sweep()) that it alone may explain any difference
 * in it; on the others nothing is known. */
bool bench_contention(MPI_Comm comm);

/* Adds the last contention, if there was any, as a remark to T's last row. */
void bench_remark(struct table *t);

/* Rank 0 saves the document (which may be NULL elsewhere); all ranks finalize MPI and exit with
 * STATUS, or with 1 if saving failed. */
_Noreturn void bench_finish(struct bench *b, struct document *d, int status);

/* --- between the parts of this folder --- */

/* Progress on rank 0's standard error: on a terminal one line rewritten in place, elsewhere a line
 * a minute. DONE of TOTAL. */
void bench_progress(const struct bench *b, size_t done, size_t total);
void bench_progress_end(const struct bench *b);

/* On rank 0: from now on bench_progress() writes the results so far to a file: "OUTPUT.part" beside
 * the --output, otherwise "PROGRAM-PID.part" in TMPDIR or /tmp. If a signal ends the program, a
 * line names that file. */
void bench_keep(const struct bench *b, struct document *results);

/* Ends bench_keep(), and removes its file if the results were SAVED. */
void bench_keep_end(bool saved);
