/* Protects how sure a difference is: the tests against worked examples and drawn values. */
#include "compare/evidence.h"
#include "unit.h"

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

static double normal(unsigned short *state)
{
    return sqrt(-2 * log(1 - erand48(state))) * cos(2 * M_PI * erand48(state));
}

enum { ROWS = 20, RUNS = 10, TRIALS = 50 };

/* Share of the trials in which the first row, and any other, was told. */
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
        evidence_permutation_test(&value[0][0], ROWS, 5, 5, 0.0025, p);
        for (int r = 1; r < ROWS; r++)
            any = any || p[r] <= EVIDENCE_LEVEL_TOGETHER;
        *told += p[0] <= EVIDENCE_LEVEL_TOGETHER;
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

/* Two of the 252 deals are as far as the one that was seen: itself, and the other way round. Deals
 * are drawn. */
Test(evidence, the_deal_that_was_seen_counts)
{
    double value[] = {100, 101, 102, 103, 104, 110, 111, 112, 113, 114}, p;
    evidence_permutation_test(value, 1, 5, 5, 0.1, &p);
    cr_assert_float_eq(p, 2.0 / 252, 0.002, "%g", p);
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
        evidence_permutation_test(value, 1, EACH, EACH, 0.1, &p);
        cr_assert_eq(p <= EVIDENCE_LEVEL_TOGETHER, change > 0, "%g", p);
    }
}

/* The 3rd smallest and 3rd largest of the 25 differences: P(U <= 2) is 4 of 252. */
Test(evidence, complete_separation_is_detected)
{
    double a[] = {337, 523, 536, 409, 401}, b[] = {223, 217, 314, 282, 312};
    struct estimate e = evidence_shift(a, 5, b, 5);
    NEAR(evidence_rank_test(a, 5, b, 5), 2.0 / 252);
    cr_assert(e.value > -200 && e.value < -100 && e.low < e.value && e.high < 0, "%g, %g to %g",
              e.value, e.low, e.high);
    double few = evidence_shift(a, 3, b, 3).low;
    cr_assert(isnan(few), "%g", few);
    cr_assert_eq(evidence_runs_needed((struct estimate){-10, -30, 10}, 0, 5), 20);
    cr_assert_eq(evidence_runs_needed((struct estimate){0.01, -30, 10}, 0, 5), 0);
    cr_assert_eq(evidence_runs_needed((struct estimate){10, NAN, NAN}, 0, 1), 5);
}

/* Whatever the two are drawn from, 95 % of the intervals hold the shift. */
Test(evidence, the_interval_of_a_shift_covers)
{
    unsigned short state[3] = {4, 5, 6};
    int covered = 0;
    for (int t = 0; t < 1000; t++) {
        double a[6], b[7];
        for (int i = 0; i < 7; i++) {
            if (i < 6)
                a[i] = -log(1 - erand48(state));
            b[i] = 3 - log(1 - erand48(state));
        }
        struct estimate e = evidence_shift(a, 6, b, 7);
        covered += e.low <= 3 && e.high >= 3;
    }
    cr_assert(covered >= 945 && covered <= 985, "%d of 1000", covered);
}
