#include "base/stats.h"

#include "base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

COMPARISON(ascending, double, ORDER(*x, *y))

void stats_sort(double *x, size_t n)
{
    qsort(x, n, sizeof *x, ascending);
}

double stats_quantile(const double *sorted, size_t n, double q)
{
    if (n == 0)
        return NAN;
    double at = q * (double)(n - 1);
    size_t below = (size_t)at;
    if (below + 1 >= n)
        return sorted[n - 1];
    return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

double stats_median(double *x, size_t n)
{
    stats_sort(x, n);
    return stats_quantile(x, n, 0.5);
}

/* The number B of samples below the median is binomial(n, 1/2). With the largest l for which
 * P(B <= l - 1) <= 2.5 %, the interval is from the l-th to the (n-l+1)-th smallest sample. For
 * n > 200 the normal approximation of l is wrong by less than 1. */
void stats_median_bounds(size_t n, size_t *low, size_t *high)
{
    size_t l = 0;
    if (n > 200) {
        l = (size_t)(0.5 * ((double)n - 1.959964 * sqrt((double)n)));
    } else if (n > 0) {
        double term = exp2(-(double)n), sum = term;
        while (sum <= 0.025) {
            l++;
            term *= (double)(n - l + 1) / (double)l;
            sum += term;
        }
    }
    if (l > 0)
        l--;
    *low = l;
    *high = n > 0 ? n - 1 - l : 0;
}

/* The Cornish-Fisher expansion of the quantile in 1/df. */
double stats_student(double df)
{
    const double z = 1.959964, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z, z9 = z7 * z * z;
    double g1 = (z3 + z) / 4, g2 = (5 * z5 + 16 * z3 + 3 * z) / 96,
           g3 = (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / 384,
           g4 = (79 * z9 + 776 * z7 + 1482 * z5 - 1920 * z3 - 945 * z) / 92160;
    return z + (g1 + (g2 + (g3 + g4 / df) / df) / df) / df;
}

/* -1, 0 or 1: X is below, equal to, or above MEDIAN. Relative differences below 1e-6 count as
 * equal: samples of a simulated clock differ by rounding. */
static int side(double x, double median)
{
    double slight = 1e-6 * fabs(median);
    return (x > median + slight) - (x < median - slight);
}

/* The autocovariance of side() at LAG, not divided by n. The mean of side() is subtracted, since it
 * is not 0 if many samples equal the median and a few noisy ones are above. */
static double side_product(const double *x, size_t n, double median, size_t lag)
{
    double sum = 0, mean = 0;
    for (size_t i = 0; i < n; i++)
        mean += side(x[i], median) / (double)n;
    for (size_t i = 0; i + lag < n; i++)
        sum += (side(x[i], median) - mean) * (side(x[i + lag], median) - mean);
    return sum;
}

/* The factor by which correlation increases the variance of the number of samples above the median:
 * 1 + 2 (sum of the autocorrelations of side()). The sum is of pairs of lags, up to the first pair
 * below 0; no pair counts more than the one before (initial monotone sequence, Geyer 1992). Each
 * term is too low by the variance of the estimated median: the last line corrects this. */
static double inflation(const double *x, size_t n, double median)
{
    double all = side_product(x, n, median, 0), factor = -1, before = INFINITY;
    size_t lag = 0;
    for (; all > 0 && lag + 1 < n / 2; lag += 2) {
        double two = (side_product(x, n, median, lag) + side_product(x, n, median, lag + 1)) / all;
        before = fmin(before, two);
        if (before <= 0)
            break;
        factor += 2 * before;
    }
    return fmax(factor * (1 + 2 * (double)lag / (double)n), 1);
}

/* Samples count as independent if inflation() is below the first limit, or N below the second. */
static const double inflated_from = 1.3;
enum { DEPENDENCE_FROM = 20 };

/* As stats_median_bounds(), for samples X in the order taken, which may be correlated. Returns the
 * effective sample size. */
static double dependent_bounds(const double *x, size_t n, double median, size_t *low, size_t *high)
{
    double factor = n < DEPENDENCE_FROM ? 1 : inflation(x, n, median);
    stats_median_bounds(n, low, high);
    if (factor < inflated_from)
        return (double)n;
    /* FACTOR is estimated too low in short series: 6 / WORTH corrects this. As the estimate has few
     * degrees of freedom, Student's quantile replaces the normal one: a wider interval. */
    double worth = (double)n / factor, df = fmax(worth / 2, 3);
    double half = stats_student(df) * sqrt((double)n * factor * (1 + 6 / worth)) / 2;
    double rank = floor((double)n / 2 - half);
    *low = rank > 0 ? (size_t)rank : 0;
    *high = n - 1 - *low;
    return rank > 0 ? worth : fmin(worth, 1);
}

struct summary stats_summarize(const double *x, size_t n)
{
    struct summary s = {n, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    FREED double *sorted = n ? malloc(n * sizeof *sorted) : NULL;
    if (!sorted)
        return s;
    memcpy(sorted, x, n * sizeof *sorted);
    stats_sort(sorted, n);

    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += sorted[i];
    s.mean = sum / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (sorted[i] - s.mean) * (sorted[i] - s.mean);
    s.sd = n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
    s.median = stats_quantile(sorted, n, 0.5);
    s.min = sorted[0];
    s.max = sorted[n - 1];
    size_t low, high;
    s.effective = dependent_bounds(x, n, s.median, &low, &high);
    if (n > 2) {
        s.median_low = sorted[low];
        s.median_high = sorted[high];
    }
    return s;
}

size_t stats_transient(const double *x, size_t n)
{
    size_t half = n / 2, first = 0;
    FREED double *later = n >= DEPENDENCE_FROM ? malloc((n - half) * sizeof *later) : NULL;
    if (!later)
        return 0;
    memcpy(later, x + half, (n - half) * sizeof *later);
    stats_sort(later, n - half);
    double low = stats_quantile(later, n - half, 0.05),
           high = stats_quantile(later, n - half, 0.95);
    int which = side(x[0], low) < 0 ? -1 : 1;
    while (first < half && side(x[first], which < 0 ? low : high) == which)
        first++;
    return first;
}

struct estimate stats_estimate(const double *x, size_t n, size_t least)
{
    struct summary s = stats_summarize(x, n);
    return n < least ? (struct estimate){s.median, NAN, NAN}
                     : (struct estimate){s.median, s.median_low, s.median_high};
}

double stats_spread(const struct summary *s)
{
    return s->n > 1 ? s->sd * sqrt((double)(s->n - 1) / (double)s->n) : s->sd;
}

void stats_line(const double *x, const double *y, size_t n, double *a, double *b)
{
    double mx = 0, my = 0, sxx = 0, sxy = 0;
    for (size_t i = 0; i < n; i++) {
        mx += x[i] / (double)n;
        my += y[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        sxx += (x[i] - mx) * (x[i] - mx);
        sxy += (x[i] - mx) * (y[i] - my);
    }
    *b = sxx > 0 ? sxy / sxx : 0;
    *a = my - *b * mx;
}
