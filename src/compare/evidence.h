/* Whether two sets of runs differ, judged from one value per run.
 *
 * Mann and Whitney 1947, exact with ties; Hodges and Lehmann 1963; Westfall and Young 1993, the
 * single-step maximum. GSL has neither the exact rank test nor permutations. Random draws begin
 * with the same seed, so that the same runs give the same answer. */
#ifndef COLLPROF_COMPARE_EVIDENCE_H
#define COLLPROF_COMPARE_EVIDENCE_H

#include "base/stats.h"

#include <stdbool.h>

/* Error probabilities: of the test of one value, and of one that many values share. 4 and 4 runs
 * can reach the first, 5 and 5 the second. */
#define EVIDENCE_LEVEL 0.05
#define EVIDENCE_LEVEL_TOGETHER 0.01

/* Two-sided probability of the ranks of A and B lying as far from each other as they do, or
 * farther, if both are drawn from one distribution (Wilcoxon, Mann and Whitney). Exact up to 50
 * values; beyond by the normal approximation. Ties make it larger, never smaller. */
double evidence_rank_test(const double *a, size_t n, const double *b, size_t m);

/* How much larger B is: the median of all differences of a value of B and one of A, and its exact
 * 95 % interval. LOW and HIGH are NaN for fewer than 4 and 4 values. */
struct estimate evidence_shift(const double *a, size_t n, const double *b, size_t m);

/* VALUE has ROWS rows of N + M values, first those of A. P[row] becomes the probability that, if
 * nothing differed, any of the rows would differ as much as this one: the runs are dealt out anew,
 * all ROWS at once, in 20,000 random ways. A difference is that of the means over the standard
 * deviation of all runs, to which FLOOR is added; outliers are limited before. */
void evidence_together(const double *value, size_t rows, size_t n, size_t m, double floor,
                       double *p);

/* How many runs a side would decide whether a shift that is known within E is above or below LIMIT,
 * if the interval shrinks with the square root of their number; at least 4; 0: more than 1000. */
size_t evidence_runs_needed(struct estimate e, double limit, size_t runs);

#endif
