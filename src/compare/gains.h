/* What the library's algorithms change: what tuning predicted, beside what the application shows,
 * and which algorithms differ between two sets of runs. */
#ifndef COLLPROF_COMPARE_GAINS_H
#define COLLPROF_COMPARE_GAINS_H

#include "document/document.h"
#include "profile/profile.h"
#include "tune/found.h"

/* Of BEFORE runs A with the library's own choice, then AFTER runs B with the rules of TUNED. */
struct gains_request {
    struct profile *const *run;
    size_t before, after;
    struct tuned_set *tuned;
};

/* Adds the table "gains" and a finding to D. Rules that did not make the application certainly
 * faster, and all rules if it became slower, are marked as refuted in TUNED; none with fewer than
 * 4+4 runs. */
void gains_add(struct document *d, const struct gains_request *r);

/* Adds a finding for each operation, number of ranks and size for which all runs A show one
 * algorithm and all runs B another one (--trace=transport). R->tuned is not used. */
void algorithms_add(struct document *d, const struct gains_request *r);

#endif
