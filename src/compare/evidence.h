/* Whether two sets of runs differ, judged from one value per run.
 *
 * Own code, and small: what is needed is exact for few runs, where a library's normal
 * approximations are not (GSL has neither the exact rank test nor permutations), and a dependency
 * costs everybody who builds this. Formulas: Mann and Whitney 1947, exact with ties; Westfall and
 * Young 1993, the single-step maximum; Efron 1979, percentile bootstrap. Random draws begin with
 * the same seed, so that the same runs give the same words. */
#ifndef COLLPROF_COMPARE_EVIDENCE_H
#define COLLPROF_COMPARE_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>

/* At this error probability, for all that is looked at together, a difference counts as told. */
#define EVIDENCE_LEVEL 0.01

/* Whether N and M runs can tell anything at all: whether there are so many ways to deal them out
 * that the one that was seen, and its mirror image, are rare enough. From 5 and 5, 4 and 6, 3 and 9
 * on. */
bool evidence_enough(size_t n, size_t m);

/* Two-sided probability that the ranks of A and B fall apart as far as they do, or farther, if both
 * are drawn from one distribution. Exact up to 50 values. */
double evidence_rank_test(const double *a, size_t n, const double *b, size_t m);

/* Share of the pairs of a run of A and one of B in which B's value is the larger (equal: half). */
double evidence_superiority(const double *a, size_t n, const double *b, size_t m);

/* 95 % interval of the median of B less that of A: both drawn anew, 4000 times. With fewer than
 * three runs a side there is none: the smallest and largest difference. */
void evidence_interval(const double *a, size_t n, const double *b, size_t m, double *low,
                       double *high);

/* VALUE has ROWS rows of N + M values, first those of A. P[row] becomes the probability that, if
 * nothing differed, any of the rows would fall apart as far as this one: the runs are dealt out
 * anew, all ROWS at once, in all ways or in 20,000. How far apart: difference of means over its
 * standard error, to which FLOOR is added: so much means nothing. Values far out are pulled in
 * before. */
void evidence_together(const double *value, size_t rows, size_t n, size_t m, double floor,
                       double *p);

#endif
