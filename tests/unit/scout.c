/* Protects who of many destinations need not be measured, and the chance that is stated where some
 * that need were not. */
#include "measure/scout.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

enum { N = 20 };

Test(scout, who_may_be_slower_lies_above_the_lower_end_of_the_slowest_measured)
{
    double exit[3 * 4] = {12, 8, 10, 5, 12, 9, 10, 5, 12, 10.05, 10, 5};
    const int rank[] = {0, 2, 1, 3};
    struct scout s = {.exit = exit, .looks = 3, .size = 4};
    struct estimate ten = {10, 10, 10}, wide = {10, 9, 11}, none = {NAN, NAN, NAN},
                    few = {10, NAN, NAN};
    cr_assert_eq(scout_may_be_slower(&s, rank, 1, 4, ten), 0, "1 % above is not slower");
    exit[9] = 10.15;
    cr_assert_eq(scout_may_be_slower(&s, rank, 1, 4, ten), 1, "the latest look counts");
    cr_assert_eq(scout_may_be_slower(&s, rank, 3, 4, ten), 0, "it is measured");
    exit[9] = 10.05, s.error = 0.1;
    cr_assert_eq(scout_may_be_slower(&s, rank, 1, 4, ten), 2, "the clocks may be off by it");
    s.error = 0;
    cr_assert_eq(scout_may_be_slower(&s, rank, 1, 4, wide), 2,
                 "it may be as fast as its lower end");
    cr_assert_eq(scout_may_be_slower(&s, rank, 1, 4, few), 3, "nothing is known of it");
    cr_assert_eq(scout_may_be_slower(&s, rank, 0, 4, none), 1, "the first is always wanted");
    cr_assert_eq(scout_may_be_slower(&(struct scout){0}, rank, 1, 4, ten), 3, "nobody looked");
}

Test(scout, the_slowest_come_first_and_what_is_alike_stays_in_order)
{
    double exit[] = {1, 3, 2, 3, 9, 5, 3, 2, 3, 0, 1, 3, 2, 3, 9};
    int rank[] = {3, 0, 2, 1, 4};
    static const int sorted[] = {4, 3, 1, 2, 0};
    scout_sort(&(struct scout){.exit = exit, .looks = 3, .size = 5}, rank, 5);
    for (int k = 0; k < 5; k++)
        cr_assert_eq(rank[k], sorted[k], "number %d", k);
}

static double draw(void)
{
    return (double)rand() / RAND_MAX;
}

/* Destinations SPREAD apart, with noise from 0 to 1: how often the slowest of a further operation
 * is among the first MEASURED, and the mean of the chance that is stated. */
static void try_many(double spread, int measured, double *seen, double *stated)
{
    enum { TRIES = 20000 };
    double exit[3 * N];
    static struct scout s;
    s = (struct scout){.exit = exit, .looks = 3, .size = N};
    for (int t = 0; t < TRIES; t++) {
        int rank[N], slowest = 0;
        double latest = 0;
        for (int i = 0; i < N; i++) {
            rank[i] = i;
            double further = spread * i + draw();
            if (further > latest)
                latest = further, slowest = i;
        }
        for (int k = 0; k < 3 * N; k++)
            exit[k] = spread * (k % N) + draw();
        scout_sort(&s, rank, N);
        *stated += scout_chance(&s, rank, measured, N) / TRIES;
        for (int k = 0; k < measured; k++)
            *seen += rank[k] == slowest ? 1.0 / TRIES : 0;
    }
}

Test(scout, the_stated_chance_is_never_more_than_it_happens)
{
    const double spreads[] = {0, 0.02, 0.1, 1};
    for (int k = 0; k < 4; k++)
        for (int measured = 2; measured <= 10; measured *= 2) {
            double seen = 0, stated = 0;
            try_many(spreads[k], measured, &seen, &stated);
            cr_assert_lt(stated, seen + 0.01, "%g, %d: %g, but %g", spreads[k], measured, stated,
                         seen);
            cr_assert_gt(stated, 0.7 * seen, "%g, %d: %g of %g", spreads[k], measured, stated,
                         seen);
            if (spreads[k] == 0)
                cr_assert_float_eq(stated, measured / (double)N, 0.01, "all alike: one as likely");
        }
}

Test(scout, where_nobody_looked_or_once_each_is_as_likely)
{
    double exit[] = {3, 2, 1};
    const int rank[] = {0, 1, 2};
    cr_assert_float_eq(scout_chance(&(struct scout){0}, rank, 1, 4), 0.25, 1e-12);
    cr_assert_float_eq(
        scout_chance(&(struct scout){.exit = exit, .looks = 1, .size = 3}, rank, 1, 3), 1 / 3.0,
        1e-12);
}
