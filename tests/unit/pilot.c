/* Protects which of many pairs need not be measured, and in which order the others are. */
#include "measure/latency/run.h"

#include <criterion/criterion.h>
#include <math.h>

Test(pilot, who_may_be_slower_lies_above_the_lower_end_of_the_slowest_measured)
{
    double least[] = {12, 8, 10, 5}, most[] = {12, 10.05, 10, 5};
    const int rank[] = {0, 2, 1, 3};
    struct pilot s = {.least = least, .most = most, .n = 4};
    struct estimate ten = {10, 10, 10}, wide = {10, 9, 11}, none = {NAN, NAN, NAN},
                    few = {10, NAN, NAN};
    cr_assert_eq(pilot_may_be_slower(&s, rank, 1, 4, ten), 0, "1 % above is not slower");
    most[1] = 10.15;
    cr_assert_eq(pilot_may_be_slower(&s, rank, 1, 4, ten), 1, "the longest counts");
    cr_assert_eq(pilot_may_be_slower(&s, rank, 3, 4, ten), 0, "it is measured");
    most[1] = 10.05, s.error = 0.1;
    cr_assert_eq(pilot_may_be_slower(&s, rank, 1, 4, ten), 2, "the clocks may be off by it");
    s.error = 0;
    cr_assert_eq(pilot_may_be_slower(&s, rank, 1, 4, wide), 2,
                 "it may be as fast as its lower end");
    cr_assert_eq(pilot_may_be_slower(&s, rank, 1, 4, few), 3, "nothing is known of it");
    cr_assert_eq(pilot_may_be_slower(&s, rank, 0, 4, none), 1, "the first is always wanted");
    cr_assert_eq(pilot_may_be_slower(&(struct pilot){0}, rank, 1, 4, ten), 3, "there was no pilot");
    least[3] = most[3] = NAN;
    cr_assert_eq(pilot_may_be_slower(&s, rank, 3, 4, ten), 1, "the pilot did not come to it");
}

Test(pilot, the_slowest_come_first_and_what_is_alike_stays_in_order)
{
    double least[] = {1, 3, 2, 3, 9};
    int rank[] = {3, 0, 2, 1, 4};
    static const int sorted[] = {4, 3, 1, 2, 0};
    pilot_sort(&(struct pilot){.least = least, .n = 5}, rank, 5);
    for (int k = 0; k < 5; k++)
        cr_assert_eq(rank[k], sorted[k], "number %d", k);
    least[0] = least[4] = NAN; /* the pilot did not come to these */
    pilot_sort(&(struct pilot){.least = least, .n = 5}, rank, 5);
    cr_assert(rank[0] == 3 && rank[1] == 1 && rank[2] == 2 && rank[3] == 4 && rank[4] == 0);
}
