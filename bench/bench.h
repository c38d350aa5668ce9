/* What every collbench program shares: its common options, its header of facts, progress, and
 * leaving with one clear line. A program declares its own argp parser with bench_argp as a
 * child, calls bench_start(), measures by src/measure, fills a document, and ends by
 * bench_finish(). */
#ifndef COLLPROF_BENCH_H
#define COLLPROF_BENCH_H

#include "measure/plan.h"
#include "report/document.h"

#include <argp.h>
#include <mpi.h>

struct bench_range {
    size_t min, max;
};

struct bench {
    const char *program;
    int rank, size;
    MPI_Comm comm; /* a duplicate of MPI_COMM_WORLD */

    /* The common options, as given. */
    struct bench_range sizes; /* bytes: --sizes=MIN:MAX, also -m MAX or MIN:MAX */
    struct bench_range ranks; /* --ranks=MIN:MAX; MAX 0: all */
    struct plan plan;         /* --repetitions -i, --warmup -x, --stop, --budget */
    enum format format;       /* --format */
    const char *output;       /* --output, NULL: standard output */
    const char *plot;         /* --plot, NULL: none */
    bool yield;               /* --yield */
    bool full;                /* -f: min and max beside the median */
};

/* Common options; a program's struct argp names it as a child and hands its struct bench to it
 * by state->child_inputs[0]. */
extern const struct argp bench_argp;

/* MPI_Init (or Init_thread with LEVEL), clock, defaults from DEFAULTS (or ours, NULL), then
 * argp_parse(ARGP) on every rank, INPUT being the program's own options; its first member must
 * be a struct bench. Only rank 0 prints usage errors and --help; all ranks then leave together
 * with status 2 (0 for --help). Says on rank 0's stderr when ranks outnumber processors and
 * --yield was not given. */
void bench_start(struct bench *b, int *argc, char ***argv, int level, const struct argp *argp);

/* All ranks call it, with the same message; rank 0 prints "PROGRAM: MESSAGE". Status 2. */
_Noreturn void bench_refuse(const struct bench *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Parses "64", "64K", "1M" (powers of 1024). False if it is no size. */
bool bench_parse_size(const char *text, size_t *bytes);
/* Parses "MIN:MAX" or "N" (both ends N) of sizes. False if malformed or MIN > MAX. */
bool bench_parse_range(const char *text, struct bench_range *range);
/* Splits "a,b,c" on commas and calls EACH for every word; false as soon as EACH is false. */
bool bench_each_word(const char *list, bool (*each)(const char *word, void *arg), void *arg);

/* On every rank (collective): a document with the facts that every result needs: program and
 * version, command line, hosts, ranks with their bindings (hwloc), MPI library, clock, date,
 * oversubscription. Rank 0 gets it; the others NULL. */
struct document *bench_document(const struct bench *b, const char *schema);

/* Progress on rank 0's terminal: one line rewritten in place, with an estimate of the time
 * left; silent if stderr is no terminal. DONE of TOTAL. */
void bench_progress(const struct bench *b, size_t done, size_t total, const char *what);
void bench_progress_end(const struct bench *b);

/* Rank 0 saves the document (may be NULL elsewhere); all ranks finalize and exit with STATUS, or
 * 1 if it could not be saved. */
_Noreturn void bench_finish(struct bench *b, struct document *d, int status);

#endif
