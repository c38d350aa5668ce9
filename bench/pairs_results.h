/* The tables of collbench-pairs. */
#ifndef COLLPROF_BENCH_PAIRS_RESULTS_H
#define COLLPROF_BENCH_PAIRS_RESULTS_H

#include "document/document.h"
#include "measure/pairs/data.h"

/* Matrices (all of them with FORMAT_JSON), LogGP, summaries by relation, hierarchy, outliers and
 * directions that differ. */
void pairs_results(const struct pairs *p, struct document *d, enum format format);

/* Hosts, ranks and pairs that are slower than their kind by FACTOR. Returns how many there are. */
size_t pairs_results_slow(const struct pairs *p, double factor, struct document *d);

#endif
