/* Statistics of samples. All results have the unit of the samples. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

struct summary {
    size_t n;
    double mean;
    double sd; /* standard deviation, n - 1 in the denominator; 0 for n < 2 */
    double median, min, max;
    double median_low, median_high; /* 95 % confidence interval of the median, from order
                                       statistics: no distribution is assumed. With fewer than 6
                                       effective samples MIN and MAX; NaN for n < 3 */
    double effective;               /* effective sample size: less than n if successive samples are
                                       correlated */
};

/* A value with its 95 % interval, in the unit of its samples; NaN if not measured. LOW and HIGH are
 * NaN if the interval is unknown. */
struct estimate {
    double value, low, high;
};

#define ESTIMATE_UNKNOWN ((struct estimate){NAN, NAN, NAN})

static inline bool estimate_known(struct estimate e)
{
    return e.value == e.value;
}

static inline bool estimate_has_interval(struct estimate e)
{
    return e.low <= e.high;
}

/* Summarizes N samples in the order in which they were taken; X is not changed. All fields are NaN
 * for n = 0. */
struct summary stats_summarize(const double *x, size_t n);

/* The median of N samples, with its interval if N is at least LEAST and at least 3. */
struct estimate stats_estimate(const double *x, size_t n, size_t least);

/* The standard deviation with n in the denominator, for display beside minimum and maximum: only
 * with n it satisfies sd^2 <= (max - mean)(mean - min). */
double stats_spread(const struct summary *s);

/* The median of N samples. Sorts X. */
double stats_median(double *x, size_t n);

/* The q-quantile, 0 <= q <= 1, of SORTED samples, with linear interpolation. */
double stats_quantile(const double *sorted, size_t n, double q);

/* The indices, in N sorted independent samples, between which the median lies with 95 %
 * confidence. */
void stats_median_bounds(size_t n, size_t *low, size_t *high);

/* Length of the initial transient (warm-up) of N samples in the order taken: the first samples that
 * are all above, or all below, the central 90 % of the second half. 0 if N < 20. */
size_t stats_transient(const double *x, size_t n);

/* The 97.5 % quantile of Student's distribution with 3 or more degrees of freedom, accurate to
 * 0.5 %. */
double stats_student(double df);

void stats_sort(double *x, size_t n);

/* Fits y = *A + *B x by least squares; *B is 0 if x is constant. If x is large compared with its
 * range, subtract an offset from x before, since precision is lost otherwise. */
void stats_line(const double *x, const double *y, size_t n, double *a, double *b);
