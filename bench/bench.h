/* What every collbench program shares: its common options, its header of facts, progress, and
 * leaving with one clear line. A program declares its own options (base/options.h) and calls
 * bench_begin() with them, measures by src/measure, fills a document, and ends by bench_finish():
 *
 *   struct mine { struct bench bench; int root; } mine;
 *   static const struct option_entry entries[] = {
 *       {"root", 0, "RANK", "from where (0)", 1, bench_take_root, offsetof(struct mine, root)},
 *       {0}};
 *   static const struct option_program program = {"Measures ...", .options = entries};
 *   bench_begin(&mine.bench, &argc, &argv, MPI_THREAD_SINGLE, &program); */
#ifndef COLLPROF_BENCH_H
#define COLLPROF_BENCH_H

#include "base/options.h"
#include "base/reason.h"
#include "document/document.h"
#include "measure/plan.h"
#include "sync/sync.h"

#include <mpi.h>

struct bench {
    const char *program;
    int rank, size;
    MPI_Comm comm; /* a duplicate of MPI_COMM_WORLD */

    /* The common options, as given. */
    struct option_range sizes; /* bytes: --sizes=MIN:MAX */
    struct option_range ranks; /* --ranks=MIN:MAX[:STEP], MAX may be "all"; default: all */
    struct plan plan;          /* --repetitions, --warmup, --stop, --budget */
    enum format format;        /* --format */
    const char *output;        /* --output, NULL: standard output */
    bool yield;                /* --yield */

    const char *without; /* by the program: common options that would change nothing in it and are
                            refused, as "warmup stop"; NULL: none */

    char *command; /* the command line */
};

/* MPI_Init_thread with LEVEL, clock, then the options of all ranks. B is the first member of what
 * the offsets refer to. What it already holds (anything but 0) are the program's defaults; ours
 * are sizes 8:64K, all ranks, plan_default(). Afterwards ranks.min and ranks.max are between 1 and
 * size. Only rank 0 prints usage errors and --help; all ranks then leave together with status 2
 * (0 for --help). */
void bench_begin(struct bench *b, int *argc, char ***argv, int level,
                 const struct option_program *program);

/* The values that a range goes through. */
enum { BENCH_VALUES_MAX = 1024 };
struct bench_values {
    size_t n, at[BENCH_VALUES_MAX];
};
struct bench_values bench_values(const struct option_range *range);

/* Calls MEASURE for every combination of indices, the last axis fastest, and shows progress under
 * the name that it returns (NULL: that of the one before). N_AXES lengths, none 0. */
enum { BENCH_AXES_MAX = 8 };
void bench_sweep(const struct bench *b, const size_t *length, int n_axes,
                 const char *(*measure)(void *arg, const size_t *at), void *arg);

/* The first so many of all ranks, on a communicator of their own that returns errors, with one
 * clock. */
struct bench_group {
    int ranks;     /* 0: none, and the rest is undefined */
    MPI_Comm comm; /* MPI_COMM_NULL on the other ranks */
    struct sync_clock clock;
};

/* Collective over all ranks: G becomes that of the first RANKS, unless it is. Both wait for all
 * ranks. */
void bench_group_open(const struct bench *b, size_t ranks, struct bench_group *g);
void bench_group_close(const struct bench *b, struct bench_group *g);

/* What is measured among so many ranks. */
struct bench_point {
    const char *name; /* of the thing */
    size_t which;     /* of all that were chosen */
    int ranks;
    size_t bytes;
};

/* If ERROR is one: says so, "PROGRAM: NAME of 8 bytes among 4 ranks: ...", and aborts. */
void bench_check(const struct bench *b, int error, const struct bench_point *point);

/* The largest STATUS of all ranks of COMM, on all of them. */
int bench_worst(MPI_Comm comm, int status);

/* All ranks call it: ends MPI and the program, after the reasons that were given (base/reason.h).
 */
_Noreturn void bench_leave(int status);

/* All ranks call it, with the same message; rank 0 prints "PROGRAM: MESSAGE". Status 2. */
_Noreturn void bench_refuse(const struct bench *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The broadcasts that run as they are (trees/bcast.h). */
extern const struct option_registry bench_algorithms;

option_take bench_take_root;                   /* int, one of the ranks that run; - */
extern const struct option_limits bench_times; /* option_take_range of microseconds */

/* For a parser's end: WHAT ("a broadcast") needs two ranks, and ROOT among the fewest. */
error_t bench_check_ranks(struct option_parser *parser, const struct bench *b, const char *what,
                          int root);

/* On every rank (collective): a document with the facts that every result needs: program and
 * version, command line, number of ranks and hosts, MPI library, clock, date, oversubscription.
 * Rank 0 gets it; the others NULL. Says on rank 0's stderr when ranks outnumber processors and
 * --yield was not given. */
struct document *bench_document(const struct bench *b, const char *schema);

/* What speaks against a row. */
struct contention {
    const char *text; /* "rank 3 was not scheduled for 12 % of the time"; NULL: nothing known */
    bool spoiled;     /* so much that what differs in the row may differ by that alone */
};

/* Collective over COMM, when these ranks have measured a row: on rank 0 what the time since
 * the row began (see bench_sweep()) was like; on the others nothing is known. */
struct contention bench_contention(MPI_Comm comm);

/* What is known becomes a remark on T's last row. */
void bench_remark(struct table *t, struct contention contention);

/* One clock for the ranks of COMM. Where there are several a second is spent on how they drift:
 * without it the bound would grow by a microsecond or so with every ms. */
void bench_clocks(struct sync_clock *clock, MPI_Comm comm);

/* For all ranks of COMM, once some of them have measured: waits for the last. Those that come
 * early sleep: in MPI_Barrier they would busy-wait, and on a full machine take the processors of
 * those that measure. */
void bench_wait(MPI_Comm comm);

/* Where every rank runs (base/topology.h), on rank 0, to be freed; NULL on the others. Collective.
 */
struct place *bench_places(const struct bench *b);

/* Progress on rank 0's standard error, with an estimate of the time left: on a terminal one line
 * rewritten in place, elsewhere a line a minute. DONE of TOTAL. */
void bench_progress(const struct bench *b, size_t done, size_t total, const char *what);
void bench_progress_end(const struct bench *b);

/* From now on bench_progress() writes the results so far to a file: "OUTPUT.part" beside the
 * --output, without one "PROGRAM-PID.part" in TMPDIR or /tmp. A signal that ends the program is
 * answered by a line with its name. It is removed at the end. RESULTS is rank 0's. */
void bench_keep(const struct bench *b, const struct document *results);

/* Rank 0 saves the document (may be NULL elsewhere); all ranks finalize and exit with STATUS, or
 * 1 if it could not be saved. */
_Noreturn void bench_finish(struct bench *b, struct document *d, int status);

/* --- between the parts of this folder --- */

/* Sets "NAME=NUMBER", a control variable of the library, after MPI_Init. Why not; NULL: it is set.
 */
const char *cvar_set(const char *assignment);

/* What was set, as facts. */
void cvar_facts(struct document *d);

/* What bench_contention() finds is of the time from here on. */
void bench_watch(void);

/* Collective, at the end: how long a rank was without a processor, as a fact of D, rank 0's. */
void bench_judge(const struct bench *b, struct document *d);

/* Nothing is kept any more (bench_keep()): all is SAVED, or there was a reason why not. */
void bench_keep_end(bool saved);

#endif
