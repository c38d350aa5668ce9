/* What tuning predicted, beside what the application shows. */
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

#endif
