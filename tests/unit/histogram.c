/* Protects the quantiles that the report prints: every duration falls into a bucket whose bounds
 * contain it, and a quantile is within the promised 6.25 %. */
#include "base/histogram.h"

#include <criterion/criterion.h>
#include <math.h>

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
