/* What the MPI library and its algorithms change between two sets of runs, and what tuning
 * predicted, beside what the application shows. */
#pragma once

#include "document/document.h"
#include "profile/profile.h"
#include "tune/found.h"

/* Two sets of runs. */
struct run_sets {
    struct profile *const *run; /* BEFORE runs of A, then AFTER runs of B */
    size_t before, after;       /* both at least 1 */
    struct tuned_set *tuned;    /* whose rules the runs B used: see gains_add(); NULL: none */
};

/* Adds the table "gains" and a finding to D: the runs A used the library's own choice, the runs B
 * the rules of R->tuned. Rules that did not make the application certainly faster, and all rules if
 * the runs B are certainly SLOWER as a whole, are marked as refuted; none with fewer than 4+4 runs.
 */
void gains_add(struct document *d, const struct run_sets *r, bool slower);

/* Adds a finding for each operation, number of ranks and size for which all runs A show one
 * algorithm and all runs B another one (--trace=transport). */
void algorithms_add(struct document *d, const struct run_sets *r);

/* Adds a finding if the runs B used another MPI library or other numbers of hosts or ranks. */
void setup_add(struct document *d, const struct run_sets *r);
