/* Compares runs, and launches of benchmarks. */
#pragma once

#include "base/status.h"
#include "document/document.h"
#include "profile/profile.h"
#include "tune/found.h"

/* Two sets of runs, and what is asked about them. */
struct compare_request {
    struct profile *const *run; /* BEFORE runs of A, then AFTER runs of B, at least one of each */
    size_t before, after;
    struct tuned_set *tuned; /* the runs B used these rules, which gains_add() judges; NULL: none */
    const char *const *name; /* of each run, for the text */
    double limit; /* largest growth that passes the gate, as a share of the run; NaN: no gate */
};

/* What differs significantly between two sets of runs, each at least one, causes before
 * consequences: a document of the schema collprof-comparison/3 with facts, findings (the first is
 * about the run as a whole), and the table "changes", largest first. GATE, which may be NULL:
 * whether it is within the limit, as an exit status. Allocates as base/memory.h. */
struct document *compare_document(const struct compare_request *request, enum status *gate);

/* Results of several launches of a benchmark. The placement of processes and memory differs between
 * launches, so figures differ by more than the interval of one launch. A document of schema
 * collprof-launches/2: its table "launches" has, for each figure of each row of the first table,
 * the median over the launches A with a 95 % interval, and the difference to B. PATH: JSON files of
 * launches of one program, BEFORE of A, then AFTER (may be 0) of B. Rows match if the cells before
 * their first figure are equal. NULL with a reason_give() if a file is not such a result. */
struct document *launches_document(const char *const *path, size_t before, size_t after);

/* How a program scales: POP's efficiencies of N runs, at least one, with different numbers of
 * ranks. One that is given twice counts once. A document of the schema collprof-scale/2 with the
 * table "scale", a row for each run by number of ranks, a picture of it, and findings: the factor
 * that falls most, and runs of which the factors are unknown. With C of a rank as in
 * report/efficiency.h, and the fastest run with the fewest ranks as the reference:
 *
 *   computation scaling = sum of C of the reference / sum of C  (WEAK: of means, not sums)
 *   global efficiency   = parallel efficiency x computation scaling
 *
 * WEAK: each rank's work is the same in all runs; otherwise that of all ranks together. GATE: the
 * exit status by whether each global efficiency reaches LIMIT, a share; NaN: no gate. */
struct document *scaling_document(struct profile *const *run, size_t n, bool weak, double limit,
                                  enum status *gate);
