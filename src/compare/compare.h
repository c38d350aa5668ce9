/* Compares runs, and launches of benchmarks. */
#pragma once

#include "compare/gains.h"

/* Whether the run, or any part of it, grew by more than a limit. */
enum gate { GATE_PASSED, GATE_FAILED, GATE_UNDECIDED };

struct compare_request {
    struct run_sets sets;
    const char *const *name; /* of each run */
    double limit;            /* relative to the run; NaN: no gate */
};

/* What differs significantly between two sets of runs, each at least one, causes before
 * consequences: a document of the schema collprof-comparison/3 with facts, findings (the first is
 * about the run as a whole), and the table "changes", largest first. GATE may be NULL. Allocates as
 * base/memory.h. */
struct document *compare_document(const struct compare_request *request, enum gate *gate);

/* Results of several launches of a benchmark. The placement of processes and memory differs between
 * launches, so figures differ by more than the interval of one launch. A document of schema
 * collprof-launches/2: its table "launches" has, for each figure of each row of the first table,
 * the median over the launches A with a 95 % interval, and the difference to B. PATH: JSON files of
 * launches of one program, BEFORE of A, then AFTER (may be 0) of B. Rows match if the cells before
 * their first figure are equal. NULL with a reason_give() if a file is not such a result. */
struct document *launches_document(const char *const *path, size_t before, size_t after);

/* How a program scales: POP's efficiencies of runs with different numbers of ranks. */
struct scale_request {
    struct profile *const *run;
    size_t n;
    bool weak; /* each rank's work is the same in all runs; otherwise that of all ranks together */
};

/* A document of the schema collprof-scale/1 with the table "scale", a row for each number of ranks
 * (medians of its runs), a picture of it, and findings: the factor that falls most, and runs of
 * which the factors are unknown. With C of a rank as in report/efficiency.h, and those with the
 * fewest ranks as the reference:
 *   computation scaling = sum of C of the reference / sum of C     (weak: of means, not sums)
 *   global efficiency   = parallel efficiency x computation scaling
 * LEAST becomes the lowest global efficiency that is known; KNOWN: whether all are. */
struct document *scaling_document(const struct scale_request *request, double *least, bool *known);
