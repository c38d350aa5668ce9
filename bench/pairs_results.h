/* The tables of collbench-pairs. */
#ifndef COLLPROF_BENCH_PAIRS_RESULTS_H
#define COLLPROF_BENCH_PAIRS_RESULTS_H

#include "document/document.h"
#include "measure/pairs/data.h"

/* A summary by relation, the pairs, and what the clocks leave unknown. */
void pairs_results(const struct pairs *p, struct document *d);

/* Adds a finding for each host, rank and pair that is slower by FACTOR, or that there is none. True
 * if there is any. */
bool pairs_results_slow(const struct pairs *p, double factor, struct document *d);

#endif
