/* Protects the statistics that every method reports by: closed formulas only. */
#include "base/stats.h"
#include "base/histogram.h"
#include "base/overlap.h"
#include "unit.h"

Test(stats, summary_of_known_samples)
{
    double x[] = {4, 1, 3, 2};
    struct summary s = stats_summarize(x, 4);
    cr_assert_eq(s.n, 4);
    cr_assert_float_eq(s.mean, 2.5, 1e-12);
    cr_assert_float_eq(s.median, 2.5, 1e-12);
    cr_assert_float_eq(s.sd, sqrt(5.0 / 3), 1e-12);
    cr_assert_float_eq(s.min, 1, 0);
    cr_assert_float_eq(s.max, 4, 0);
    cr_assert_eq(x[0], 4, "the samples are left as they are");
    s = stats_summarize((double[]){7, 1, 10, 4, 3, 9, 2, 8, 5, 6}, 10);
    cr_assert_float_eq(s.median_low, 2, 0);
    cr_assert_float_eq(s.median_high, 9, 0);
    s = stats_summarize(NULL, 0);
    cr_assert(isnan(s.median) && isnan(s.mean) && isnan(s.sd));
}

Test(stats, independent_disturbances_of_equal_samples_leave_them_independent)
{
    unsigned state = 1;
    double x[160];
    for (size_t i = 0; i < 160; i++) {
        state = state * 1664525u + 1013904223u;
        x[i] = state >> 30 ? 5 : 5 + (state >> 16) % 100;
    }
    struct summary s = stats_summarize(x, 160);
    cr_assert_gt(s.effective, 50, "worth %g", s.effective);
    cr_assert(s.median_low == 5 && s.median_high == 5, "%g to %g", s.median_low, s.median_high);
}

/* The published table of such intervals: n = 6 is the first with any, the range itself; n = 10
 * gives the 2nd and 9th, n = 20 the 6th and 15th, n = 100 the 40th and 61st, n = 400 the 180th and
 * 221st, n = 1000 the 469th and 532nd. */
Test(stats, median_bounds_match_the_binomial_table)
{
    const size_t table[][3] = {{5, 0, 4},     {6, 0, 5},       {10, 1, 8},      {20, 5, 14},
                               {100, 39, 60}, {400, 179, 220}, {1000, 468, 531}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        size_t low, high;
        stats_median_bounds(table[i][0], &low, &high);
        cr_assert_eq(low, table[i][1], "n = %zu: %zu", table[i][0], low);
        cr_assert_eq(high, table[i][2], "n = %zu: %zu", table[i][0], high);
    }
}

Test(stats, line_through_points)
{
    double x[] = {0, 1, 2, 3}, y[] = {1, 3, 5, 7}, a, b;
    stats_line(x, y, 4, &a, &b);
    cr_assert_float_eq(a, 1, 1e-12);
    cr_assert_float_eq(b, 2, 1e-12);
}

/* No distribution on [min, max] with that mean deviates more (Bhatia and Davis): protects what is
 * printed beside minimum and maximum. Three rows of a published table break it. */
Test(stats, spread_is_possible)
{
    double x[][5] = {{0, 1, 1, 1, 1}, {0, 0, 1, 1, 0}, {3, 3, 3, 3, 3}, {1, 2, 4, 8, 1000}};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
        for (size_t n = 2; n <= 5; n++) {
            struct summary s = stats_summarize(x[i], n);
            double sd = stats_spread(&s), most = (s.max - s.mean) * (s.mean - s.min);
            cr_expect(sd * sd <= most * (1 + 1e-12) + 1e-15, "sd %g, at most %g", sd, sqrt(most));
        }
    }
    struct summary two = stats_summarize((double[]){0, 1}, 2);
    cr_expect_float_eq(stats_spread(&two), 0.5, 1e-12);
}

/* Noise from 0 to 1 around LEVEL; the first FIRST of N are off by OFF more. */
static size_t transient_of(size_t n, size_t first, double off)
{
    static unsigned state = 1;
    double x[200];
    for (size_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        x[i] = 100 + (state >> 8) / 16777216.0 + (i < first ? off : 0);
    }
    x[n - 2] = 1000; /* an interruption */
    return stats_transient(x, n);
}

Test(stats, a_transient_is_as_long_as_it_is)
{
    enum { TRIES = 1000 };
    double none = 0;
    for (int k = 0; k < TRIES; k++) {
        none += (double)transient_of(100, 0, 0) / TRIES;
        for (size_t first = 1; first <= 40; first += 13) {
            size_t faster = transient_of(100, first, -2), slower = transient_of(100, first, 2);
            cr_assert(faster >= first && faster <= first + 4, "%zu of %zu", faster, first);
            cr_assert(slower >= first && slower <= first + 4, "%zu of %zu", slower, first);
        }
    }
    cr_assert_lt(none, 0.2, "of a hundred that have none, %g are left out", none);
    cr_assert_eq(transient_of(100, 52, -5), 50, "one half counts at least");
    cr_assert_eq(transient_of(19, 5, -5), 0, "too few to tell");
}

/* The quantiles that the report prints: a bucket's bounds contain its values, 6.25 % at most. */
Test(histogram, every_value_lies_in_its_bucket)
{
    for (uint64_t ns = 8; ns < (1ull << 36); ns += 1 + ns / 97) {
        unsigned b = histogram_bucket(ns);
        cr_assert_leq(histogram_floor(b), ns);
        cr_assert_lt(ns, histogram_floor(b + 1));
        cr_assert_leq(histogram_floor(b + 1) - histogram_floor(b), ns / 8 + 8);
    }
    cr_assert_eq(histogram_bucket(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
}

Test(histogram, quantiles_of_a_ramp)
{
    uint64_t count[HISTOGRAM_BUCKETS] = {0};
    for (uint64_t ns = 1; ns <= 100000; ns++)
        count[histogram_bucket(ns)]++;
    for (double q = 0.05; q < 1; q += 0.05) {
        double value = histogram_quantile(count, q, 1, 100000);
        cr_assert(fabs(value / (q * 100000) - 1) < 0.0625, "q %.2f reads %.0f", q, value);
    }
    cr_assert_float_eq(histogram_quantile(count, 1, 1, 100000), 100000, 0);
}

/* A bucket is wider than what lies in it: no quantile leaves what was seen. */
Test(histogram, quantiles_stay_between_the_least_and_the_greatest)
{
    uint64_t count[HISTOGRAM_BUCKETS] = {0};
    count[histogram_bucket(1023)] = 100;
    cr_assert_float_eq(histogram_quantile(count, 0.01, 1020, 1023), 1020, 0);
    cr_assert_float_eq(histogram_quantile(count, 0.99, 1010, 1011), 1011, 0);
}

/* The paper's three landmarks, whichever of the two times is the longer. */
Test(overlap, ratio)
{
    cr_expect_eq(overlap_ratio(10, 10, 3), 0);
    cr_expect_eq(overlap_ratio(13, 10, 3), 1);
    cr_expect_eq(overlap_ratio(13, 3, 10), 1);
    cr_expect_eq(overlap_ratio(16, 10, 3), 2);
    cr_expect(isnan(overlap_ratio(1, 0, 1)));
    cr_expect(isnan(overlap_ratio(1, 1, 0)));
    cr_expect(isnan(overlap_ratio(1, NAN, 1)));
}
