/* The overlap ratio: the paper's three landmarks, whichever of the two times is the longer. */
#include "base/overlap.h"

#include <criterion/criterion.h>

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
