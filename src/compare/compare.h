/* Compares two sets of runs: what differs significantly, causes before consequences. A set may be a
 * single run. */
#ifndef COLLPROF_COMPARE_COMPARE_H
#define COLLPROF_COMPARE_COMPARE_H

#include "document/document.h"
#include "profile/profile.h"
#include "tune/found.h"

/* Whether the run, or any part of it, grew by more than a limit. */
enum gate { GATE_PASSED, GATE_FAILED, GATE_UNDECIDED };

struct compare_request {
    struct profile *const *run; /* BEFORE runs of A, then AFTER runs of B */
    const char *const *name;    /* of each run */
    size_t before, after;       /* both at least 1 */
    double limit;               /* relative to the run; NaN: no gate */
    struct tuned_set *tuned;    /* whose rules the runs B used: see gains_add(); NULL: none */
};

/* A document of the schema collprof-comparison/3: facts, findings (the first is about the run as a
 * whole), and the table "changes", largest first. GATE may be NULL. Allocates as base/memory.h. */
struct document *compare_document(const struct compare_request *request, enum gate *gate);

#endif
