/* Compares two sets of runs: what differs significantly, causes before consequences. A set may be a
 * single run. */
#ifndef COLLPROF_COMPARE_COMPARE_H
#define COLLPROF_COMPARE_COMPARE_H

#include "compare/gains.h"

/* Whether the run, or any part of it, grew by more than a limit. */
enum gate { GATE_PASSED, GATE_FAILED, GATE_UNDECIDED };

struct compare_request {
    struct run_sets sets;
    const char *const *name; /* of each run */
    double limit;            /* relative to the run; NaN: no gate */
};

/* A document of the schema collprof-comparison/3: facts, findings (the first is about the run as a
 * whole), and the table "changes", largest first. GATE may be NULL. Allocates as base/memory.h. */
struct document *compare_document(const struct compare_request *request, enum gate *gate);

#endif
