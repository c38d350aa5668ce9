/* Tests whether two sets of runs differ, given one value per run.
 *
 * Mann and Whitney 1947, exact with ties; Hodges and Lehmann 1963; Westfall and Young 1993, the
 * single-step maximum. GSL has neither the exact rank test nor permutations. Random numbers begin
 * with a fixed seed, so that the same runs give the same answer. */
#pragma once

#include "base/stats.h"

/* Significance levels of a test of one value, and of a joint test of many values. 4+4 runs can
 * reach the first level, 5+5 runs the second. */
#define EVIDENCE_LEVEL 0.05
#define EVIDENCE_LEVEL_TOGETHER 0.01

/* Two-sided p-value of the rank test (Wilcoxon, Mann and Whitney): the probability of ranks at
 * least as different if A and B are drawn from one distribution. Exact up to 50 values, above by
 * the normal approximation. Ties make it larger, never smaller. */
double evidence_rank_test(const double *a, size_t n, const double *b, size_t m);

/* The shift from A to B: the median of all differences of a value of B and a value of A (Hodges and
 * Lehmann), with its exact 95 % interval. LOW and HIGH are NaN for fewer than 4+4 values. */
struct estimate evidence_shift(const double *a, size_t n, const double *b, size_t m);

/* Writes "+40.0 ms a call (95 % CI +38.0 ms to +41.0 ms)", with UNIT " a call". The interval is
 * left out if it is unknown. Returns TEXT. */
enum { SHIFT_TEXT = 100 };
const char *shift_text(struct estimate ns, const char *unit, char text[SHIFT_TEXT]);

/* An estimate in ns, in seconds. */
static inline struct estimate in_seconds(struct estimate ns)
{
    return (struct estimate){1e-9 * ns.value, 1e-9 * ns.low, 1e-9 * ns.high};
}

/* VALUE has ROWS rows of N + M values, first those of A. P[row] becomes the adjusted p-value: the
 * probability under the null hypothesis that any row differs as much as this one, by 20,000 random
 * permutations of the runs. The statistic is the difference of the means over the standard
 * deviation of all runs plus FLOOR; outliers are limited before. */
void evidence_permutation_test(const double *value, size_t rows, size_t n, size_t m, double floor,
                               double *p);

/* The number of runs per side that would decide whether the shift E, estimated from RUNS per side,
 * is above LIMIT. The interval is assumed to shrink as 1/sqrt(runs). At least 4; 0: over 1000. */
size_t evidence_runs_needed(struct estimate e, double limit, size_t runs);
