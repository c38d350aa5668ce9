/* Protects how sure a difference is: the tests against worked examples and drawn values. */
#include "compare/evidence.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEAR(x, right) cr_assert_float_eq(x, right, 1e-9, "%s is %.12g", #x, x)

/* Probabilities counted by hand: of C(10, 5) = 252 deals, of C(7, 3) = 35. */
Test(evidence, rank_test_is_exact)
{
    double low[] = {1, 2, 3, 4, 5}, high[] = {6, 7, 8, 9, 10}, mixed[] = {1, 3, 5, 7},
           in[] = {2, 4, 6};
    NEAR(evidence_rank_test(low, 5, high, 5), 2.0 / 252);
    NEAR(evidence_rank_test(high, 5, low, 5), 2.0 / 252);
    NEAR(evidence_rank_test(mixed, 4, in, 3), 1);
    /* Sum of the first three ranks 1 + 2 + 4 = 7: one more deal is as far on this side. */
    double a[] = {1, 2, 4}, b[] = {3, 5, 6, 7};
    NEAR(evidence_rank_test(a, 3, b, 4), 4.0 / 35);
    /* All the same: every deal is as far. One tie across the sides: {1, 2} and {2, 3}, ranks
     * 1, 2.5, 2.5, 4; the sum 3.5 or 6.5 has 2 deals each of 6. */
    double same[] = {2, 2, 2, 2};
    NEAR(evidence_rank_test(same, 4, same, 4), 1);
    double tie[] = {1, 2}, other[] = {2, 3};
    NEAR(evidence_rank_test(tie, 2, other, 2), 4.0 / 6);
}

/* Beyond what is counted, the normal approximation: on both sides of the limit about the same. */
Test(evidence, rank_test_of_many)
{
    double a[40], b[40];
    for (int i = 0; i < 40; i++) {
        a[i] = i * 7 % 40;
        b[i] = i * 7 % 40 + 6;
    }
    double exact = evidence_rank_test(a, 25, b, 25), near = evidence_rank_test(a, 26, b, 26);
    cr_assert(fabs(log(exact / near)) < 0.7, "%g and %g", exact, near);
    cr_assert(exact > 1e-4 && exact < 0.5, "%g", exact);
}

Test(evidence, so_many_runs_are_enough)
{
    cr_assert(evidence_enough(5, 5) && evidence_enough(4, 6) && evidence_enough(3, 10));
    cr_assert(!evidence_enough(4, 4) && !evidence_enough(1, 1) && !evidence_enough(1, 100));
    cr_assert(!evidence_enough(0, 300));
}

static double normal(unsigned short *state)
{
    return sqrt(-2 * log(1 - erand48(state))) * cos(2 * M_PI * erand48(state));
}

enum { ROWS = 20, RUNS = 10, TRIALS = 200 };

/* Share of 200 trials in which the first row, and any other, was told. */
static void trials(double effect, double *told, double *wrong)
{
    unsigned short state[3] = {1, 2, 3};
    *told = *wrong = 0;
    for (int t = 0; t < TRIALS; t++) {
        double value[ROWS][RUNS], p[ROWS];
        bool any = false;
        for (int r = 0; r < ROWS; r++)
            for (int i = 0; i < RUNS; i++) {
                double spike = erand48(state) < 0.02 ? -0.05 * log(1 - erand48(state)) : 0;
                value[r][i] = 0.1 + 0.01 * normal(state) + spike + (!r && i >= 5 ? effect : 0);
            }
        evidence_together(&value[0][0], ROWS, 5, 5, 0.0025, p);
        for (int r = 1; r < ROWS; r++)
            any = any || p[r] <= EVIDENCE_LEVEL;
        *told += p[0] <= EVIDENCE_LEVEL;
        *wrong += any;
    }
    *told /= TRIALS;
    *wrong /= TRIALS;
}

Test(evidence, of_twenty_rows_hardly_any_is_told_by_chance)
{
    double told, wrong;
    trials(0, &told, &wrong);
    cr_assert(told + wrong <= 0.04, "%g and %g of the trials", told, wrong);
    trials(0.1, &told, &wrong);
    cr_assert(told >= 0.9, "a change of ten times the noise is told in %g", told);
    cr_assert(wrong <= 0.04, "%g", wrong);
}

/* Two of the 252 deals are as far as the one that was seen: itself, and the other way round. */
Test(evidence, the_deal_that_was_seen_counts)
{
    double value[] = {100, 101, 102, 103, 104, 110, 111, 112, 113, 114}, p;
    evidence_together(value, 1, 5, 5, 0.1, &p);
    NEAR(p, 2.0 / 252);
}

/* One run that something fell upon hides no change, and makes none. */
Test(evidence, runs_that_lie_far_out_are_pulled_in)
{
    enum { EACH = 12 };
    double value[2 * EACH], p;
    for (int change = 10; change >= 0; change -= 10) {
        for (int i = 0; i < 2 * EACH; i++)
            value[i] = i < EACH ? 100 + 0.1 * i : 100 + 0.1 * (i - EACH) + change;
        value[EACH - 1] = 9000;
        evidence_together(value, 1, EACH, EACH, 0.1, &p);
        cr_assert_eq(p <= EVIDENCE_LEVEL, change > 0, "%g", p);
    }
}

Test(evidence, interval_and_pairs)
{
    double a[] = {10, 11, 12, 13, 14}, b[] = {20, 21, 22, 23, 24}, low, high;
    evidence_interval(a, 5, b, 5, &low, &high);
    cr_assert(low >= 6 && low < 10 && high > 10 && high <= 14, "%g to %g", low, high);
    NEAR(evidence_superiority(a, 5, b, 5), 1);
    NEAR(evidence_superiority(a, 5, a, 5), 0.5);
    evidence_interval(a, 1, b, 2, &low, &high);
    NEAR(low, 10);
    NEAR(high, 11);
}
