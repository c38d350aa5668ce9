/* Protects what is said beside a figure: each rule where it applies and not where it does not, and
 * which figure others are held against. */
#include "latency_bench.h"
#include "unit.h"

enum { HELD, DIRECT, OL, BARRIER, ROUNDS, GAP, OVERHEAD, IMB, N };

static struct latency_figure figure[N][2];
static struct latency_result result[N];
static struct latency_outcome outcome = {.size = 2, .result = result, .n_results = N};
static struct latency_row row = {.outcome = &outcome, .repetitions = 100};

static struct estimate within(double value, double part)
{
    return (struct estimate){value, value * (1 - part), value * (1 + part)};
}

/* All are 10 us, and nothing speaks against any; bounds as they should be. */
static void make_row(void)
{
    static const char *const names[N] = {"held",   "direct", "ol",       "barrier",
                                         "rounds", "gap",    "overhead", "imb"};
    row = (struct latency_row){.outcome = &outcome, .repetitions = 100};
    for (int m = 0; m < N; m++) {
        result[m] = (struct latency_result){
            .method = latency_method_find(names[m]),
            .value = within(1e-5, 0.001),
            .figure = m == BARRIER || m == ROUNDS || m == IMB ? NULL : figure[m],
            .n_figures = 2,
            .slowest = 1,
            .measured = 1,
            .asked = 1,
            .entry_spread = NAN,
            .violations = -1};
        if (!result[m].figure)
            result[m].slowest = -1;
        memset(figure[m], 0, sizeof figure[m]);
        figure[m][1].curve = (struct curve){.hold = 2, .settled = true};
        result[m].series.repetitions = 100;
    }
    result[ROUNDS].value = within(8e-6, 0.001);
    result[OVERHEAD].value = within(1e-6, 0.001);
    result[BARRIER].value = within(2e-5, 0.001);
}

TestSuite(latency_rules, .init = make_row);

/* How many findings there are of KEY about method M; NULL: of all keys. */
static size_t said(int m, const char *key)
{
    static const struct column column = {"x", NULL, COLUMN_INTEGER, 0, NULL};
    struct document *d = document_new("test/1");
    struct table *t = document_table(d, "t", NULL, &column, 1);
    table_integer(t, 1);
    row_remark(&row, &result[m], t);
    json_t *json = document_json(d), *rows, *remarks, *remark;
    size_t i, n = 0;
    rows = json_object_get(json_object_get(json_object_get(json, "tables"), "t"), "rows");
    remarks = json_object_get(json_array_get(rows, 0), "remarks");
    json_array_foreach(remarks, i, remark) {
        n += !key || !strcmp(json_string_value(json_object_get(remark, "key")), key);
    }
    json_decref(json);
    document_free(d);
    return n;
}

/* Whether M's row has these times, us; -1: none. */
static bool shows(int m, double value, double low, double high)
{
    double error;
    struct estimate e = latency_within(&result[m], NULL, &error);
    const double seen[] = {e.value, e.low, e.high}, want[] = {value, low, high};
    for (int i = 0; i < 3; i++)
        if (want[i] < 0 ? !isnan(seen[i]) : !(fabs(1e6 * seen[i] - want[i]) < 0.1))
            return false;
    return true;
}

Test(latency_rules, a_row_contains_its_error)
{
    figure[HELD][1].error = 4e-6;
    figure[HELD][0] = (struct latency_figure){.value = within(9e-6, 0), .error = 7e-6};
    cr_assert(said(HELD, "at_most") == 0 && shows(HELD, 10, 6, 16), "another may be the largest");
    result[HELD].at_least = true;
    cr_assert(said(HELD, "pairs_left_out") == 0 && shows(HELD, 10, 6, -1), "only a least time");
    result[DIRECT].clock_bound = 10.5e-6;
    cr_assert(said(DIRECT, "at_most") == 0 && shows(DIRECT, 10, 0, 20.5));
    result[DIRECT].at_least = true;
    cr_assert(shows(DIRECT, -1, 0, -1), "a least time below its error says nothing");
    result[DIRECT].at_least = false;
    result[DIRECT].clock_bound = 12e-6;
    cr_assert(said(DIRECT, "at_most") == 1 && shows(DIRECT, -1, 0, 22));
    figure[OL][1].curve.settled = false;
    cr_assert(said(OL, "unsettled") == 1 && shows(OL, 10, 0, 10));
    result[OVERHEAD].value = within(-1e-9, 0);
    cr_assert(said(OVERHEAD, NULL) == 0 && shows(OVERHEAD, 0, 0, 0), "no error, though below 0");
    result[OL].value = (struct estimate){1e-5, NAN, NAN};
    cr_assert(said(OL, "few_samples") == 1 && shows(OL, 10, -1, -1));
    double drifting[] = {8e-6, 9e-6, 1e-5, 11e-6, 12e-6, 13e-6};
    figure[OL][1].curve.settled = true, figure[OL][1].error = 6e-6;
    figure[OL][1].timed[TIMED_OPERATION] = (struct samples){.value = drifting, .n = 6};
    cr_assert(said(OL, "few_samples") == 0 && shows(OL, 10, 2, 19),
              "they vary less than the clocks");
    figure[OL][1].timed[TIMED_OPERATION].n = 5;
    cr_assert_eq(said(OL, "few_samples"), 1);
}

Test(latency_rules, nothing_is_said_of_what_is_right)
{
    for (int m = 0; m < N; m++)
        cr_assert_eq(said(m, NULL), 0, "%d", m);
}

Test(latency_rules, how_well_a_figure_is_known)
{
    result[HELD].value = within(1e-5, 0.03);
    cr_assert_eq(said(HELD, "wide_interval"), 1);
    result[HELD].value = within(1e-6, 0.03);
    cr_assert_eq(said(HELD, "wide_interval"), 0, "these are readings of a clock");
    result[HELD].value = (struct estimate){NAN, NAN, NAN};
    cr_assert_eq(said(HELD, "no_result"), 1);
    result[HELD].impossible = 1;
    cr_assert(said(HELD, "no_result") == 0 && said(HELD, "impossible") == 1);
    result[GAP].series.repetitions = 3;
    cr_assert_eq(said(GAP, "short_row"), 1);
    result[DIRECT].dropped = 2;
    cr_assert_eq(said(DIRECT, "late_ranks"), 1);
    result[DIRECT].clock_bound = 2e-7;
    cr_assert_eq(said(DIRECT, "clock_bound"), 1);
    figure[HELD][1].error = 1e-7;
    cr_assert_eq(said(HELD, "ways_differ"), 1);
}

Test(latency_rules, what_was_left_out)
{
    result[HELD].asked = 3;
    cr_assert_eq(said(HELD, NULL), 0, "those are no slower");
    result[HELD].at_least = true;
    cr_assert_eq(said(HELD, "pairs_left_out"), 1);
    result[IMB].asked = 3;
    cr_assert_eq(said(IMB, "pairs_left_out"), 1);
}

Test(latency_rules, the_papers_assumption)
{
    result[OL].violations = 1;
    cr_assert(said(OL, "violated") == 1 && said(OL, "wrong") == 0, "not at the slowest");
    figure[OL][1].verdict = VERDICT_VIOLATED;
    cr_assert_eq(said(OL, "wrong"), 1);
    row.spoiled = true;
    cr_assert(said(OL, "not_known_right") == 1 && said(OL, NULL) == 1, "CPU contention may be it");
    row.spoiled = false;
    figure[OL][1].verdict = VERDICT_UNKNOWN;
    cr_assert_eq(said(OL, "not_known_right"), 1);
    figure[OVERHEAD][1].has_message = true;
    cr_assert_eq(said(OVERHEAD, "not_overhead"), 1);
}

Test(latency_rules, figures_that_contradict_each_other)
{
    result[DIRECT].value = within(1.1e-5, 0.001);
    cr_assert(said(HELD, "contradicted") == 1 && said(DIRECT, "contradicted") == 1);
    result[DIRECT].clock_bound = 2e-6;
    cr_assert_eq(said(HELD, "contradicted"), 0, "the clocks may be apart by it");
    result[DIRECT].clock_bound = 0, figure[HELD][1].error = 2e-6;
    cr_assert_eq(said(DIRECT, "contradicted"), 0, "directions may differ by it");
    row.spoiled = true;
    result[DIRECT].clock_bound = 0;
    cr_assert_eq(said(HELD, "contradicted"), 0, "CPU contention may be it");
}
