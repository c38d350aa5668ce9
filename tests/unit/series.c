/* Protects what is said of two estimates: that they differ, by how much they could, and that too
 * few samples say nothing. */
#include "measure/series.h"

#include <criterion/criterion.h>
#include <math.h>

static const struct estimate low = {10, 9, 11}, middle = {11.5, 10.5, 12.5}, high = {20, 19, 21};
static const struct estimate lone = {30, NAN, NAN};

Test(series, estimates_differ_beyond_both_intervals_and_the_tolerance)
{
    cr_assert(estimates_differ(low, high, 0.01));
    cr_assert(estimates_differ(high, low, 0.01), "in either order");
    cr_assert_not(estimates_differ(low, middle, 0.01), "their intervals overlap");
    cr_assert_not(estimates_differ(low, high, 1.01), "within the tolerance");
    cr_assert(estimates_differ(low, high, 0.99));
}

Test(series, without_an_interval_nothing_is_known)
{
    cr_assert_not(estimates_differ(low, lone, 0.01));
    cr_assert_not(estimates_differ(lone, low, 0.01));
    cr_assert_not(estimate_has_interval(lone));
    cr_assert(estimate_has_interval(low));
    cr_assert(isnan(estimates_apart_at_most(low, lone)));
}

Test(series, the_largest_difference_that_intervals_allow)
{
    cr_assert_float_eq(estimates_apart_at_most(low, high), 12, 1e-12);
    cr_assert_float_eq(estimates_apart_at_most(high, low), 12, 1e-12);
    cr_assert_float_eq(estimates_apart_at_most(low, low), 2, 1e-12);
}

Test(series, five_samples_have_no_interval_six_have_one)
{
    double x[] = {3, 1, 2, 5, 4, 6};
    struct samples s = {.value = x, .n = 5};
    struct estimate e = samples_estimate(&s);
    cr_assert_float_eq(e.value, 3, 1e-12);
    cr_assert(isnan(e.low) && isnan(e.high));
    s.n = 6;
    e = samples_estimate(&s);
    cr_assert_float_eq(e.value, 3.5, 1e-12);
    cr_assert_float_eq(e.low, 1, 1e-12);
    cr_assert_float_eq(e.high, 6, 1e-12);
    s.n = 0;
    cr_assert(isnan(samples_estimate(&s).value));
}
