/* Compares runs, and launches of benchmarks. */
#pragma once

#include "base/status.h"
#include "document/document.h"
#include "profile/profile.h"
#include "tune/found.h"

/* Two sets of runs, A and B, and options of their comparison. */
struct compare_request {
    struct profile *const *run; /* BEFORE runs of A, then AFTER runs of B, at least one of each */
    size_t before, after;
    struct tuned_set *tuned; /* rules that the runs B used, judged by gains_add(); NULL: none */
    const char *const *name; /* name of each run, for the text */
    double limit; /* largest growth that passes the gate, share of the run time; NaN: no gate */
};

/* Returns what differs significantly between the two sets of runs, causes before consequences: a
 * document of schema collprof-comparison/3 with facts, findings (the first is about the run as a
 * whole), and the table "changes", largest first. *GATE, unless GATE is NULL: the exit status by
 * REQUEST's limit; unchanged without a limit. Allocation: as in base/memory.h. */
struct document *compare_document(const struct compare_request *request, enum status *gate);

/* Compares the results of launches of a benchmark. Process and memory placement differ between
 * launches, so results vary by more than the confidence interval of one launch. PATH: JSON files of
 * one program, BEFORE launches of A, then AFTER (may be 0) of B. Rows match if the columns before
 * the first measured value are equal. A document of schema collprof-launches/2: its table
 * "launches" has, for each measured value of the first table, the median over the launches A with
 * its 95 % interval, and the difference to B. NULL with a reason_give() if a file is no result. */
struct document *launches_document(const char *const *path, size_t before, size_t after);

/* How a program scales: POP's efficiencies of N runs, at least one, with different numbers of
 * ranks. A run that is given twice counts once. A document of schema collprof-scale/2 with the
 * table "scale" (a row for each run, by number of ranks), a picture of it, and findings: the factor
 * that falls most, and runs whose factors are unknown. C: a rank's time outside of MPI
 * (report/tables.h); the reference is the fastest run with the fewest ranks.
 *
 *     computation scaling = sum of C of the reference / sum of C  (WEAK: means instead of sums)
 *     global efficiency   = parallel efficiency x computation scaling
 *
 * WEAK: each rank's work is the same in all runs; otherwise that of all ranks together. *GATE: the
 * exit status by whether all global efficiencies reach the share LIMIT; NaN: no gate. */
struct document *scaling_document(struct profile *const *run, size_t n, bool weak, double limit,
                                  enum status *gate);
