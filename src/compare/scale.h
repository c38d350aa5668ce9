/* How a program scales: POP's efficiencies of runs with different numbers of ranks. */
#ifndef COLLPROF_COMPARE_SCALE_H
#define COLLPROF_COMPARE_SCALE_H

#include "document/document.h"
#include "profile/profile.h"

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

#endif
