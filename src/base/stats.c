#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void stats_sort(double *x, size_t n)
{
    qsort(x, n, sizeof *x, compare);
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

/* The number of samples below the median is binomial(n, 1/2). Take the largest l with
 * P(B <= l - 1) <= 2.5 %; the interval is then from the l-th to the (n-l+1)-th smallest
 * sample. Beyond n = 200 the normal approximation is exact to less than one rank. */
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

struct summary stats_summarize(const double *x, size_t n)
{
    struct summary s = {.n = n,
                        .mean = NAN,
                        .sd = NAN,
                        .median = NAN,
                        .min = NAN,
                        .max = NAN,
                        .p99 = NAN,
                        .median_low = NAN,
                        .median_high = NAN};
    double *sorted = n ? malloc(n * sizeof *sorted) : NULL;
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
    s.p99 = stats_quantile(sorted, n, 0.99);
    s.min = sorted[0];
    s.max = sorted[n - 1];
    size_t low, high;
    stats_median_bounds(n, &low, &high);
    s.median_low = sorted[low];
    s.median_high = sorted[high];
    free(sorted);
    return s;
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
