/* The tables of collbench-pairs. */
#ifndef COLLPROF_BENCH_PAIRS_RESULTS_H
#define COLLPROF_BENCH_PAIRS_RESULTS_H

#include "document/document.h"
#include "measure/pairs/data.h"

/* Matrices in text, LogGP, a summary by relation, and what the clocks leave unknown. */
void pairs_results(const struct pairs *p, struct document *d, enum format format);

/* Adds a finding for each host, rank and pair that is slower by FACTOR, or that there is none. True
 * if there is any. */
bool pairs_results_slow(const struct pairs *p, double factor, struct document *d);

#endif
