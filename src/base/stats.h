/* Summaries of samples. The summary has the unit of the samples. */
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
                                       statistics: no distribution is assumed. For fewer than 6
                                       effective samples no such interval exists: it is the range */
    double effective;               /* effective sample size: less than n if successive samples are
                                       correlated */
};

/* A value with its 95 % interval, in seconds; NaN if not measured. With fewer than 6 samples LOW
 * and HIGH are NaN. */
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

/* The median of N samples, with its interval if they are at least LEAST. */
struct estimate stats_estimate(const double *x, size_t n, size_t least);

/* The standard deviation with n in the denominator. It is shown beside minimum and maximum, since
 * only this one satisfies sd^2 <= (max - mean)(mean - min). */
double stats_spread(const struct summary *s);

/* Only the median. Reorders X. */
double stats_median(double *x, size_t n);

/* The q-quantile, 0 <= q <= 1, of SORTED samples, with linear interpolation. */
double stats_quantile(const double *sorted, size_t n, double q);

/* Ranks (from 0) of the order statistics that bound the median of independent samples with 95 %
 * confidence. */
void stats_median_bounds(size_t n, size_t *low, size_t *high);

/* Length of the initial transient of N samples in the order taken: the first samples that are all
 * above, or all below, the central 90 % of the second half. 0 if N < 20: too few to decide. */
size_t stats_transient(const double *x, size_t n);

/* The 97.5 % quantile of Student's distribution with 3 or more degrees of freedom, accurate to
 * 0.5 %. */
double stats_student(double df);

/* Sorts ascending. */
void stats_sort(double *x, size_t n);

/* Least squares y = a + b x. Subtract a common origin from large x before. B is 0 if x is
 * constant. */
void stats_line(const double *x, const double *y, size_t n, double *a, double *b);
