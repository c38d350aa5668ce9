/* What differs between two sets of runs, and what of it is more than noise: the causes before what
 * follows from them. One run is a set of one. */
#ifndef COLLPROF_COMPARE_COMPARE_H
#define COLLPROF_COMPARE_COMPARE_H

#include "document/document.h"
#include "profile/profile.h"

/* Of the question whether the run, or anything in it, grew by more than a limit. */
enum gate { GATE_PASSED, GATE_FAILED, GATE_UNDECIDED };

struct compare_request {
    struct profile *const *run; /* BEFORE of A, then AFTER of B */
    const char *const *name;    /* of each run */
    size_t before, after;       /* neither is 0 */
    double limit;               /* share of the run; NaN: there is no gate */
};

/* A document of the schema collprof-comparison/3: facts, findings (the first is about the run as a
 * whole), and the table "changes", largest first. GATE may be NULL. Allocates as base/memory.h. */
struct document *compare_document(const struct compare_request *request, enum gate *gate);

#endif
