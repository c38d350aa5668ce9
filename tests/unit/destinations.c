/* Protects what the methods make of the destinations' figures: whether the paper's assumption holds
 * at each, which is the slowest or need not be measured, and what a figure may be off by. */
#include "measure/latency/run.h"
#include "measure/pairs/grid.h"
#include "unit.h"

enum { N = 5 };
enum { GAP, HELD, OL, DIRECT, BARRIER, METHODS };

static struct latency_figure figure[METHODS][N];
static struct latency_result result[METHODS];
static struct latency_outcome made = {.size = N, .result = result, .n_results = METHODS};

static struct estimate within(double value, double part)
{
    return (struct estimate){value, value * (1 - part), value * (1 + part)};
}

/* Root 0. Rank 1 agrees; 2 is far off; 3 could be anything; 4 is 3 % off. */
static void make_outcome(void)
{
    static const char *const names[METHODS] = {"gap", "held", "ol", "direct", "barrier"};
    static const double gap[N] = {3, 10.5, 4, 5, 2}, held[N] = {0, 10, 5, 12, 1},
                        ol[N] = {0, 10, 20, 12, 1.03}, e[N] = {0, 11, 10.4, 13, 10.51};
    static double sample[N][SAMPLES_FOR_INTERVAL];
    for (int m = 0; m < METHODS; m++)
        result[m] = (struct latency_result){.method = latency_method_find(names[m]),
                                            .figure = m == BARRIER ? NULL : figure[m],
                                            .value = within(NAN, 0),
                                            .slowest = -1,
                                            .asked = N - 1,
                                            .violations = -1};
    for (int i = 0; i < N; i++) {
        double part = i == 3 ? 0.3 : 0.001;
        figure[GAP][i] = (struct latency_figure){.value = within(gap[i], 0)};
        figure[HELD][i] = (struct latency_figure){.value = within(held[i], 0.001)};
        figure[HELD][i].curve.settled = true;
        figure[OL][i] = (struct latency_figure){.value = within(ol[i], part)};
        figure[DIRECT][i] = figure[HELD][i];
        for (int k = 0; k < SAMPLES_FOR_INTERVAL; k++)
            sample[i][k] = e[i];
        figure[OL][i].timed[TIMED_OPERATION] =
            (struct samples){.value = sample[i], .n = SAMPLES_FOR_INTERVAL};
        if (i == 0)
            figure[HELD][i].value = figure[OL][i].value = (struct estimate){NAN, NAN, NAN};
    }
}

TestSuite(destinations, .init = make_outcome);

static void judge(void)
{
    result[OL].method->judge(&made, &result[OL]);
}

Test(destinations, where_the_papers_assumption_holds)
{
    static const enum latency_verdict verdict[N] = {VERDICT_NONE, VERDICT_HOLDS, VERDICT_VIOLATED,
                                                    VERDICT_UNKNOWN, VERDICT_VIOLATED};
    judge();
    for (int i = 1; i < N; i++)
        cr_assert_eq(figure[OL][i].verdict, verdict[i], "%d", i);
    cr_assert_eq(result[OL].violations, 2);
    cr_assert_eq(figure[OL][1].check, VERDICT_HOLDS);
    cr_assert_eq(figure[OL][2].check, VERDICT_VIOLATED, "E is below rank 1's gap");
    cr_assert_eq(figure[OL][4].check, VERDICT_VIOLATED, "E is that gap");
    made.clock_cost = 0.01;
    figure[HELD][2].curve.settled = false;
    figure[OL][1].value.low = figure[OL][1].value.high = NAN;
    judge();
    made.clock_cost = 0;
    cr_assert_eq(figure[OL][4].verdict, VERDICT_HOLDS, "it is what the clock's readings cost");
    cr_assert_eq(figure[OL][2].verdict, VERDICT_UNKNOWN, "held may still fall");
    cr_assert_eq(figure[OL][1].verdict, VERDICT_UNKNOWN, "three samples leave no verdict");
}

Test(destinations, what_held_knows_is_said_of_ol_where_both_agree)
{
    result[HELD].value = result[OL].value = within(20, 0.001);
    result[HELD].slowest = 2, result[OL].slowest = 1;
    result[HELD].at_least = true;
    judge();
    cr_assert(!result[OL].at_least, "not by a destination where it is off");
    cr_assert_eq(result[OL].slowest, 2, "it gives the same for both");
    figure[OL][2].value = figure[HELD][2].value = figure[DIRECT][2].value = within(15, 0.001);
    result[OL].slowest = 1;
    judge();
    cr_assert(result[OL].at_least && result[OL].slowest == 1);
}

Test(destinations, the_largest_figure_is_the_latency)
{
    static const double value[N] = {0, 5, 9, -1, 7}, loop[N] = {0, 6, 8, 20, 10};
    struct latency_case c = {.kind = COLLECTIVE_FROM_ROOT};
    struct latency_run r = {.c = &c, .size = N, .keeps = true, .result = &result[HELD]};
    result[HELD].loop_mean = NAN;
    figure[HELD][4].curve.hold = 1, figure[HELD][4].curve.settled = false;
    for (r.to = 1; r.to < N; r.to++)
        figure_set_value(&r, within(value[r.to], 0), loop[r.to]);
    const struct latency_result *held = &result[HELD];
    cr_assert(held->slowest == 2 && held->value.value == 9 && held->loop_mean == 10);
    cr_assert(held->impossible == 1 && held->over_budget);
    cr_assert_eq(figure[HELD][3].value.value, 12, "no latency is below 0");

    struct estimate way = latency_of((struct estimate){10, 9, 11}, (struct estimate){3, 2, 5});
    cr_assert(way.value == 7 && way.low == 4 && way.high == 9);
}

/* Whether a broadcast is quicker by figures of "direct". Clocks are off by BOUND, that of rank 2 is
 * AHEAD of all others by that and then changed by DRIFT. */
static bool quicker(const double *a, const double *b, double bound, double ahead, double drift)
{
    struct latency_figure of[2][N];
    struct latency_result found[2];
    struct latency_outcome out[2];
    struct pairs p;
    cr_assert(pairs_new(&p, N) && pairs_add_size(&p, 64, 1));
    for (int i = 0; i < N * N; i++) {
        p.size[0].of[PAIRS_AHEAD][i] =
            (i % (N + 1) ? bound : 0) + ahead * ((i % N == 2) - (i / N == 2));
    }
    for (int k = 0; k < 2; k++) {
        found[k] = (struct latency_result){.value = within(0, 0.001), .figure = of[k]};
        out[k] = (struct latency_outcome){.size = N, .result = &found[k], .n_results = 1};
        for (int i = 0; i < N; i++) {
            of[k][i] = (struct latency_figure){.value = within((k ? b : a)[i], 0.001)};
            if (i > 0 && of[k][i].value.value > found[k].value.value)
                found[k].value = of[k][i].value;
        }
    }
    bool is = bcast_grid_is_quicker(&out[0], &out[1], 0, &p, drift);
    out[0].n_results = out[0].size = 0;
    cr_assert(!bcast_grid_is_quicker(&out[0], &out[1], 0, &p, 0));
    pairs_free(&p);
    return is;
}

Test(destinations, a_broadcast_is_quicker_whatever_the_clocks_are_off_by)
{
    const double native[N] = {20, 4, 12, 10, 9}, tree[N] = {2, 5, 9, 9, 8},
                 all_earlier[N] = {2, 3, 9, 9, 8}, alike[N] = {1, 4, 11.9, 9.9, 8.9},
                 little[N] = {2, 4.1, 9, 9, 8};
    cr_assert(quicker(tree, native, 6, 0, 0) && quicker(little, native, 0, 0, 0));
    cr_assert_not(quicker(tree, native, 8, 0, 0), "rank 1 is later, and clocks may hide how much");
    cr_assert_not(quicker(tree, native, 6, 5, 0), "rank 2 was in truth earlier with native");
    cr_assert_not(quicker(tree, native, 6, 0, 2), "clocks have changed");
    cr_assert(quicker(all_earlier, native, 1000, 0, 0), "each rank's own clock shows it");
    cr_assert_not(quicker(little, native, 1000, 0, 0), "3 %% of a time that clocks lengthened");
    cr_assert_not(quicker(native, tree, 0, 0, 0) || quicker(alike, native, 0, 0, 0), "by 2 %%");
    cr_assert_not(quicker(tree, (double[N]){20, NAN, NAN, NAN, NAN}, 0, 0, 0));
}

Test(pilot, who_may_be_slower_lies_above_the_lower_end_of_the_slowest_measured)
{
    double least[] = {12, 8, 10, 5}, most[] = {12, 10.05, 10, 5};
    const struct candidate rank[] = {{.index = 0}, {.index = 2}, {.index = 1}, {.index = 3}};
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
