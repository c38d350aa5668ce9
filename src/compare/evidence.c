#include "compare/evidence.h"

#include "base/format.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { EXACT_VALUES = 50, DEALS = 20000, RUNS_MOST = 1000 };

/* Probability under the null hypothesis that Mann and Whitney's statistic is at most U. It counts
 * the pairs of one of N and one of M values in which the first is smaller. */
static double at_most(size_t n, size_t m, double u)
{
    double pairs = (double)n * (double)m, all = 0, sum = 0;
    if (n + m > EXACT_VALUES) {
        double sd = sqrt(pairs * (double)(n + m + 1) / 12);
        return 0.5 * erfc((pairs / 2 - u - 0.5) / sd / sqrt(2));
    }
    /* How many choices of N of N + M ranks have each U: coefficients of a Gaussian binomial. */
    FREED double *count = memory_alloc((n * m + 1) * sizeof *count);
    count[0] = 1;
    for (size_t i = 1; i <= n; i++) {
        for (size_t k = n * m; k >= m + i; k--)
            count[k] -= count[k - m - i];
        for (size_t k = i; k <= n * m; k++)
            count[k] += count[k - i];
    }
    for (size_t k = 0; k <= n * m; k++) {
        all += count[k];
        sum += (double)k <= u ? count[k] : 0;
    }
    return sum / all;
}

double evidence_rank_test(const double *a, size_t n, const double *b, size_t m)
{
    double u = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < m; k++)
            u += a[i] < b[k] ? 1 : a[i] == b[k] ? 0.5 : 0;
    return fmin(1, 2 * at_most(n, m, ceil(fmin(u, (double)n * (double)m - u))));
}

/* One plus the number of sorted differences that the 95 % interval excludes at each end; 0: there
 * are too few values, the interval is unbounded. */
static size_t outside_of(size_t n, size_t m)
{
    size_t u = 0;
    while (at_most(n, m, (double)u) <= EVIDENCE_LEVEL / 2)
        u++;
    return u;
}

struct estimate evidence_shift(const double *a, size_t n, const double *b, size_t m)
{
    size_t pairs = n * m, outside = outside_of(n, m);
    FREED double *difference = memory_alloc((pairs + 1) * sizeof *difference);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < m; k++)
            difference[i * m + k] = b[k] - a[i];
    stats_sort(difference, pairs);
    struct estimate e = {stats_quantile(difference, pairs, 0.5), NAN, NAN};
    if (outside) {
        e.low = difference[outside - 1];
        e.high = difference[pairs - outside];
    }
    return e;
}

size_t evidence_runs_needed(struct estimate e, double limit, size_t runs)
{
    const double far = fabs(e.value - limit), half = fmax(e.value - e.low, e.high - e.value);
    if (isnan(half))
        return 5;
    double needed = (double)runs * (half / far) * (half / far);
    return needed < RUNS_MOST ? (size_t)fmax(4, ceil(needed)) : 0;
}

/* Writes the N values of a row to TO, centred and divided by their standard deviation plus FLOOR.
 * First limits outliers to three median absolute deviations (plus FLOOR) from the median. */
static void standardize(const double *value, size_t n, double floor, double *to)
{
    memcpy(to, value, n * sizeof *to);
    double middle = stats_median(to, n);
    for (size_t i = 0; i < n; i++)
        to[i] = fabs(value[i] - middle);
    double far = 3 * (stats_median(to, n) + floor);
    for (size_t i = 0; i < n; i++)
        to[i] = fmin(fmax(value[i], middle - far), middle + far);
    struct summary s = stats_summarize(to, n);
    for (size_t i = 0; i < n; i++)
        to[i] = (to[i] - s.mean) / (s.sd + floor);
}

/* A statistic for the difference between values with IN set and all others. As values are centred,
 * the sum of those with IN set is proportional to the difference of the means. */
static double distance(const double *value, const bool *in, size_t all)
{
    double sum = 0;
    for (size_t i = 0; i < all; i++)
        sum += in[i] ? value[i] : 0;
    return fabs(sum);
}

static void shuffle(bool *in, size_t n, unsigned short state[3])
{
    for (size_t i = n; i > 1; i--) {
        size_t k = (size_t)(erand48(state) * (double)i);
        bool kept = in[i - 1];
        in[i - 1] = in[k];
        in[k] = kept;
    }
}

void evidence_permutation_test(const double *value, size_t rows, size_t n, size_t m, double floor,
                               double *p)
{
    size_t all = n + m;
    FREED double *seen = memory_alloc((rows + 1) * sizeof *seen);
    FREED double *score = memory_alloc((rows * all + 1) * sizeof *score);
    FREED bool *in = memory_alloc(all + 1);
    unsigned short state[3] = {1, 2, 3};
    for (size_t i = 0; i < n; i++)
        in[i] = true;
    for (size_t r = 0; r < rows; r++) {
        standardize(value + r * all, all, floor, score + r * all);
        seen[r] = distance(score + r * all, in, all) * (1 - 1e-9);
        p[r] = 0;
    }
    for (int deal = 0; deal < DEALS; deal++) { /* the first permutation is the observed one */
        double most = 0;
        for (size_t r = 0; r < rows; r++)
            most = fmax(most, distance(score + r * all, in, all));
        for (size_t r = 0; r < rows; r++)
            p[r] += most >= seen[r];
        shuffle(in, all, state);
    }
    for (size_t r = 0; r < rows; r++)
        p[r] /= DEALS;
}

const char *shift_text(struct estimate ns, const char *unit, char text[SHIFT_TEXT])
{
    const int n = snprintf(text, SHIFT_TEXT, "%s%s", AS_SHIFT(ns.value), unit);
    if (estimate_has_interval(ns))
        snprintf(text + n, SHIFT_TEXT - (size_t)n, " (95 %% CI %s to %s)", AS_SHIFT(ns.low),
                 AS_SHIFT(ns.high));
    return text;
}
