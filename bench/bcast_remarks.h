/* What is said beside the figures of one broadcast: how far each is to be relied on, and whether
 * they agree with each other. Needs no MPI. */
#ifndef COLLPROF_BENCH_BCAST_REMARKS_H
#define COLLPROF_BENCH_BCAST_REMARKS_H

#include "bcast_bench.h"

struct bcast_row {
    const struct bcast_outcome *outcome;
    int repetitions; /* M, as asked for */
    bool fresh; /* --fresh: bounds from below are of broadcasts that nobody has written the data of
                 */
    bool spoiled; /* not to be relied on: figures that differ say nothing */
};

/* The operation latency to hold others against: one to be relied on where there is, held rather
 * than direct. NULL: none has a result. */
const struct bcast_result *row_latency(const struct bcast_row *row);

/* Whether R is known well enough for others to be judged by it: it has an interval, is of all
 * destinations, and settled. */
bool row_relies_on(const struct bcast_row *row, const struct bcast_result *r);

struct bounds {
    char text[96];     /* "hold", or what does not: "held > barrier"; empty: nothing to compare */
    bool broken;       /* a bound that is none */
    bool slower_roots; /* the rounds are a bound on the mean over all roots, of which one is
                          measured here: "rounds > held" is right where from others it takes longer
                        */
};
struct bounds row_bounds(const struct bcast_row *row);

/* Why R may not be what it is meant to be, into TEXT: empty if nothing speaks against it. */
void row_remark(const struct bcast_row *row, const struct bcast_result *r, char *text, size_t size);

/* The same of the whole row, equal ones together behind the names of their methods; of bounds only
 * where they have no interval. DISTURBED, or NULL, comes first. */
void row_remarks(const struct bcast_row *row, const char *disturbed, char *text, size_t size);

#endif
