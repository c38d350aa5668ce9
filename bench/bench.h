/* What all collbench programs share: common options, the facts at the head of a document, progress,
 * and errors of one line. A program has a struct whose first member is a struct bench, declares its
 * own options for it (base/options.h has an example), passes both to bench_begin(), measures with
 * src/measure, fills a document, and ends with bench_finish(). */
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

    int traffic; /* --traffic (only some programs have it): for this percentage of the time, ranks
                    outside of the measured group (struct bench_group) send to each other */

    const char *without; /* set by the program: common options that it refuses, since they would
                            have no effect, as in "warmup stop"; NULL: none */

    char *command;        /* the command line */
    struct place *places; /* rank 0: every rank's host and core (base/topology.h); others: NULL */
    char cvars[BENCH_CVARS_MAX]; /* the control variables that --cvar has set: "NAME=NUMBER, ..." */
};

/* Initializes MPI, starts the clock, and parses the options on all ranks. The offsets of PROGRAM's
 * options refer to the struct of which B is the first member. Members that are not 0 are the
 * program's defaults; the common defaults are sizes 8:64K, all ranks, plan_default(). Afterwards
 * B's ranks.min and ranks.max are from 1 to B's size. After a usage error or --help, of which only
 * rank 0 prints a message, it does not return: all ranks exit with status 2 or 0. */
void bench_begin(struct bench *b, int *argc, char ***argv, const struct option_program *program);

/* The values of a range, in ascending order; at most BENCH_VALUES_MAX. */
enum { BENCH_VALUES_MAX = 1024 };
struct bench_values {
    size_t n, at[BENCH_VALUES_MAX];
};
struct bench_values bench_values(const struct option_range *range);

/* Measures a grid with N_AXES axes of the given LENGTHs (above 0): calls MEASURE with ARG for every
 * combination of indices AT, of which the last varies fastest, and shows progress. */
enum { BENCH_AXES_MAX = 8 };
void bench_sweep(const struct bench *b, const size_t *length, int n_axes,
                 void (*measure)(void *arg, const size_t *at), void *arg);

/* The measured group, ranks 0 to RANKS - 1: its communicator, which returns errors, and clock. */
struct bench_group {
    int first;     /* set by the caller: the rank whose clock is the reference, usually the root */
    int ranks;     /* 0: the group is not open, and the members below are undefined */
    MPI_Comm comm; /* MPI_COMM_NULL on ranks outside of the group */
    struct sync_clock clock;
};

/* Both are collective over all ranks. Opening makes G the group of ranks 0 to RANKS - 1: does
 * nothing if it already is, otherwise closes G first. Closing synchronizes all ranks. */
void bench_group_open(const struct bench *b, size_t ranks, struct bench_group *g);
void bench_group_close(const struct bench *b, struct bench_group *g);

/* What is measured at one combination of bench_sweep(). */
struct bench_point {
    const char *name;    /* name of the algorithm or operation */
    const char *arrival; /* name of an arrival pattern of --arrivals; NULL: none */
    int ranks;
    size_t bytes;
};

/* If ERROR is not MPI_SUCCESS: prints "PROGRAM: NAME of 8 bytes among 4 ranks: ...", and aborts. */
void bench_check(const struct bench *b, int error, const struct bench_point *point);

/* Called by all ranks: prints the errors of reason_give() (base/reason.h), finalizes MPI, exits. */
_Noreturn void bench_leave(int status);

/* Called by all ranks: rank 0 prints "PROGRAM: " and the message that is formatted as by printf;
 * the exit status is 2. */
#define bench_refuse(b, ...)                                                                       \
    ((b)->rank ? (void)0 : reason_print((b)->program, __VA_ARGS__), bench_leave(STATUS_USAGE))

/* Values of --algorithm: broadcast algorithms (trees/bcast.h) that need no measured latencies. */
extern const struct option_registry bench_algorithms;

extern const struct option_limits bench_root;  /* limits of --root; see bench_check_ranks() */
extern const struct option_limits bench_times; /* limits of a range of times in microseconds */

/* A check of a program's options: refuses fewer than two ranks, which WHAT ("a broadcast") needs,
 * and a ROOT that is outside of the smallest group measured. Returns 0 if neither is the case. */
error_t bench_check_ranks(struct option_parser *parser, const struct bench *b, const char *what,
                          int root);

/* Makes a document with the facts that every result needs: program and version, command line,
 * number of ranks and hosts, MPI library, clock, date, oversubscription. Rank 0 gets it, to be
 * passed to bench_finish(); other ranks get NULL. If ranks outnumber processors and --yield was not
 * given, rank 0 warns on stderr. */
struct document *bench_document(const struct bench *b, const char *schema);

/* Collective over COMM, after its ranks have measured a row of results: whether CPU contention in
 * this time may alone explain any difference between these results. Equal on all ranks. */
bool bench_contention(MPI_Comm comm);

/* Adds a remark about the CPU contention that bench_contention() found, if any, to T's last row. */
void bench_remark(struct table *t);

/* Rank 0 saves the document (which may be NULL elsewhere); all ranks finalize MPI and exit with
 * STATUS, or with 1 if saving failed. */
_Noreturn void bench_finish(struct bench *b, struct document *d, int status);

/* --- used only by the other files of this folder --- */

/* Shows progress on rank 0's standard error: on a terminal by one line that is rewritten, elsewhere
 * by a line every minute. DONE: points measured, of TOTAL; if equal, removes the line. */
void bench_progress(const struct bench *b, size_t done, size_t total);

/* On rank 0: from now on bench_progress() also saves the results so far, for the case that a signal
 * ends the program: in "FILE.part" with --output=FILE, otherwise in "PROGRAM-PID.part" in TMPDIR or
 * /tmp. The signal's handler prints the name of this file on stderr. */
void bench_keep(const struct bench *b, struct document *results);

/* Stops saving the results so far, and removes their file if the complete results were SAVED. */
void bench_keep_end(bool saved);
