/* Tests whether two sets of runs differ, given one value per run.
 *
 * Methods: exact rank test with ties (Mann and Whitney 1947), shift (Hodges and Lehmann 1963),
 * joint permutation test (Westfall and Young 1993, single-step maximum); GSL has neither of the
 * tests. Random numbers start with a fixed seed: the same runs give the same answer. */
#pragma once

#include "base/stats.h"

/* Significance levels: of a test of one value, and of a joint test of many values. At least 4+4
 * runs are needed to reach the first level, 5+5 to reach the second. */
#define EVIDENCE_LEVEL 0.05
#define EVIDENCE_LEVEL_TOGETHER 0.01

/* Two-sided p-value of the rank test: the probability that ranks differ at least as much as here if
 * A (N values) and B (M values) are from one distribution. Exact for up to 50 values in all, else
 * by the normal approximation. Ties can only increase the p-value. */
double evidence_rank_test(const double *a, size_t n, const double *b, size_t m);

/* The shift from A to B: the median of all differences between a value of B and a value of A, with
 * its exact 95 % interval. LOW and HIGH are NaN for fewer than 4+4 values. */
struct estimate evidence_shift(const double *a, size_t n, const double *b, size_t m);

/* Writes "+40.0 ms a call (95 % CI +38.0 ms to +41.0 ms)", with UNIT " a call"; without the
 * interval if it is unknown. Returns TEXT. */
enum { SHIFT_TEXT = 100 };
const char *shift_text(struct estimate ns, const char *unit, char text[SHIFT_TEXT]);

/* Converts an estimate from ns to seconds. */
static inline struct estimate in_seconds(struct estimate ns)
{
    return (struct estimate){1e-9 * ns.value, 1e-9 * ns.low, 1e-9 * ns.high};
}

/* Joint test of ROWS rows, each with N values of A and M of B. P[row] becomes the adjusted p-value:
 * the probability under the null hypothesis that any row differs as much as this one, from 20,000
 * random permutations of the runs. The statistic is the difference of means over the standard
 * deviation of all runs plus FLOOR; outliers are limited first. */
void evidence_permutation_test(const double *value, size_t rows, size_t n, size_t m, double floor,
                               double *p);

/* The number of runs per side, at least 4, that would decide whether shift E, estimated from RUNS
 * per side, is above LIMIT; 0: over 1000. Intervals are assumed to shrink as 1/sqrt(runs). */
size_t evidence_runs_needed(struct estimate e, double limit, size_t runs);
