/* Sizes and ranges: a misread unit or a wrapped number would measure something else than was
 * asked, silently. */
#include "bench.h"

#include <criterion/criterion.h>

Test(bench_parse, sizes_with_units)
{
    static const struct {
        const char *text;
        size_t bytes;
    } good[] = {{"0", 0},       {"64", 64},      {"64K", 65536},
                {"64k", 65536}, {"1M", 1 << 20}, {"2G", 2ul << 30}};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        size_t bytes = 1234;
        cr_assert(bench_parse_size(good[i].text, &bytes), "%s refused", good[i].text);
        cr_assert_eq(bytes, good[i].bytes, "%s is %zu", good[i].text, bytes);
    }
}

Test(bench_parse, what_is_no_size_is_refused_and_leaves_the_value)
{
    static const char *const bad[] = {"",
                                      "-1",
                                      "+1",
                                      " 1",
                                      "K",
                                      "1KB",
                                      "1.5K",
                                      "1e3",
                                      "0x8",
                                      "64 K",
                                      "99999999999999999999",
                                      "18446744073709551615K"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        size_t bytes = 1234;
        cr_assert_not(bench_parse_size(bad[i], &bytes), "'%s' taken", bad[i]);
        cr_assert_eq(bytes, 1234);
    }
}

Test(bench_parse, ranges)
{
    struct bench_range r = {0};
    cr_assert(bench_parse_range("8:64K", &r));
    cr_assert(r.min == 8 && r.max == 65536);
    cr_assert(bench_parse_range("100", &r));
    cr_assert(r.min == 100 && r.max == 100);
    static const char *const bad[] = {"", ":", "8:", ":8", "9:8", "1:2:3", "a:b"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_assert_not(bench_parse_range(bad[i], &r), "'%s' taken", bad[i]);
        cr_assert(r.min == 100 && r.max == 100);
    }
}

/* The sweep: powers of two from MIN, and MAX itself even where it is none. */
Test(bench_parse, a_sweep_ends_at_its_maximum)
{
    struct bench_range r = {3, 20, 0};
    size_t expected[] = {3, 6, 12, 20}, n = 0, v = r.min;
    do {
        cr_assert_lt(n, 4);
        cr_assert_eq(v, expected[n++]);
    } while (bench_next(&r, &v));
    cr_assert_eq(n, 4);

    struct bench_range from_zero = {0, 1, 0};
    v = 0;
    cr_assert(bench_next(&from_zero, &v) && v == 1);
    cr_assert_not(bench_next(&from_zero, &v));

    struct bench_range huge = {SIZE_MAX - 1, SIZE_MAX, 0};
    v = huge.min;
    cr_assert(bench_next(&huge, &v) && v == SIZE_MAX);
}

Test(bench_parse, a_sweep_in_steps)
{
    struct bench_range r = {2, 9, 3};
    size_t v = r.min;
    cr_assert(bench_next(&r, &v) && v == 5);
    cr_assert(bench_next(&r, &v) && v == 8);
    cr_assert(bench_next(&r, &v) && v == 9);
    cr_assert_not(bench_next(&r, &v));
}
