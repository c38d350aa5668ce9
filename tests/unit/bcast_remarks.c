/* What is said beside the figures of a broadcast, from outcomes made by hand. */
#include "bcast_remarks.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct bcast_method held = {.name = "held", .meaning = BCAST_LATENCY},
                                 direct = {.name = "direct", .meaning = BCAST_LATENCY},
                                 ol = {.name = "ol", .meaning = BCAST_LATENCY_IF},
                                 barrier = {.name = "barrier", .meaning = BCAST_UPPER_BOUND},
                                 rounds = {.name = "rounds", .meaning = BCAST_LOWER_BOUND},
                                 gap = {.name = "gap", .meaning = BCAST_GAP},
                                 overhead = {.name = "overhead", .meaning = BCAST_OVERHEAD},
                                 imb = {.name = "imb", .meaning = BCAST_SUITE};

enum { MOST = 4 };
struct made {
    struct bcast_figure figure[MOST];
    struct bcast_result result[MOST];
    struct bcast_outcome outcome;
    struct bcast_row row;
};

/* A result of US microseconds, known within 1 %, with nothing to be said against it. */
static struct bcast_result *add(struct made *m, const struct bcast_method *method, double us)
{
    size_t i = m->outcome.n_results++;
    struct bcast_result *r = &m->result[i];
    *r = (struct bcast_result){.method = method,
                               .value = {us * 1e-6, us * 0.99e-6, us * 1.01e-6},
                               .series = {.repetitions = 100},
                               .slowest = -1,
                               .measured = 7,
                               .asked = 7};
    m->outcome.result = m->result;
    m->row = (struct bcast_row){.outcome = &m->outcome, .repetitions = 100};
    return r;
}

static struct bcast_figure *with_figure(struct made *m, struct bcast_result *r)
{
    r->figure = m->figure;
    r->slowest = 1;
    return &m->figure[1];
}

static void no_interval(struct bcast_result *r)
{
    r->value.low = r->value.high = NAN;
}

static void says(const struct made *m, size_t i, const char *expected)
{
    char text[256] = "left over";
    row_remark(&m->row, &m->result[i], text, sizeof text);
    cr_expect_str_eq(text, expected, "%s: %s", m->result[i].method->name, text);
}

Test(bcast_remarks, of_latencies_the_one_to_rely_on_is_believed_and_held_rather_than_direct)
{
    struct made m = {0};
    add(&m, &ol, 10);
    cr_expect_null(row_latency(&m.row));
    add(&m, &direct, 11);
    struct bcast_result *h = add(&m, &held, 12);
    add(&m, &barrier, 15);
    cr_expect(row_latency(&m.row) == h);
    h->at_least = true;
    cr_expect(row_latency(&m.row) == &m.result[1]);
    no_interval(&m.result[1]);
    cr_expect(row_latency(&m.row) == h);
    h->value.value = NAN;
    cr_expect(row_latency(&m.row) == &m.result[1]);
}

Test(bcast_remarks, bounds_hold_only_beside_a_latency_that_is_known)
{
    struct made m = {0};
    struct bcast_result *h = add(&m, &held, 10), *b = add(&m, &barrier, 12);
    cr_expect_str_eq(row_bounds(&m.row).text, "hold");
    cr_expect(!row_bounds(&m.row).broken);
    h->at_least = true;
    cr_expect_str_eq(row_bounds(&m.row).text, "");
    h->at_least = false;
    no_interval(b);
    cr_expect_str_eq(row_bounds(&m.row).text, "");
    *b = (struct bcast_result){.method = &barrier, .value = {12e-6, 11e-6, 13e-6}};
    struct bcast_figure *f = with_figure(&m, h);
    f->curve.n = 2;
    cr_expect_str_eq(row_bounds(&m.row).text, "", "not settled");
    f->curve.settled = true;
    cr_expect_str_eq(row_bounds(&m.row).text, "hold");
    m.row.spoiled = true;
    cr_expect_str_eq(row_bounds(&m.row).text, "");
}

Test(bcast_remarks, a_bound_is_broken_by_more_than_5_percent_and_100_ns_and_their_intervals)
{
    static const struct {
        double held, barrier, wide;
        bool broken;
    } cases[] = {{10, 9, 0, true},   {10, 9.6, 0, false},    {1, 0.95, 0, false},
                 {1, 0.85, 0, true}, {10, 9, 1.2e-6, false}, {10, 12, 0, false}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct made m = {0};
        add(&m, &held, cases[k].held)->value.low -= cases[k].wide;
        add(&m, &barrier, cases[k].barrier);
        struct bounds b = row_bounds(&m.row);
        cr_expect(b.broken == cases[k].broken, "case %zu: %s", k, b.text);
        cr_expect_str_eq(b.text, cases[k].broken ? "held > barrier" : "hold");
        m.row.spoiled = true;
        cr_expect(!row_bounds(&m.row).broken);
    }
}

Test(bcast_remarks, rounds_above_the_latency_are_of_other_roots)
{
    struct made m = {0};
    struct bcast_result *h = add(&m, &held, 10), *r = add(&m, &rounds, 9);
    cr_expect(!row_bounds(&m.row).slower_roots);
    r->value = (struct estimate){12e-6, 11.9e-6, 12.1e-6};
    cr_expect(row_bounds(&m.row).slower_roots);
    cr_expect_str_eq(row_bounds(&m.row).text, "rounds > held");
    m.row.fresh = true;
    cr_expect(!row_bounds(&m.row).slower_roots,
              "of broadcasts that nobody has written the data of");
    m.row.fresh = false;
    h->at_least = true;
    cr_expect(!row_bounds(&m.row).slower_roots);
    h->at_least = false;
    no_interval(r);
    cr_expect(!row_bounds(&m.row).slower_roots);
}

Test(bcast_remarks, what_is_missing_has_a_reason)
{
    struct made m = {0};
    struct bcast_result *h = add(&m, &held, 10);
    says(&m, 0, "");
    h->value.high = 10.31e-6;
    says(&m, 0, "9.90 to 10.31 us, with 95 %");
    h->value.high = 10.29e-6;
    says(&m, 0, "");
    add(&m, &barrier, 10)->value.high = 100e-6;
    says(&m, 1, "");
    no_interval(h);
    says(&m, 0, "too few samples for an interval");
    h->value.value = NAN;
    says(&m, 0, "no result");
    h->over_budget = true;
    says(&m, 0, "no result within the budget");
    h->dropped = 3;
    says(&m, 0, "no result: a rank was late for all");
    h->impossible = 2;
    says(&m, 0, "negative, so no result, at 2");
}

Test(bcast_remarks, a_gap_of_a_short_row_is_at_least_that)
{
    struct made m = {0};
    struct bcast_result *g = add(&m, &gap, 10);
    says(&m, 0, "");
    g->series.repetitions = 3;
    says(&m, 0, "at least: of 3 in a row, not 100");
    add(&m, &held, 20)->series.repetitions = 3;
    says(&m, 1, "");
    char text[200];
    row_remarks(&m.row, NULL, text, sizeof text);
    cr_expect_str_eq(text, "gap: at least: of 3 in a row, not 100");
}

Test(bcast_remarks, what_was_left_out_is_said_with_what_is_known_of_it)
{
    struct made m = {0};
    struct bcast_result *h = add(&m, &held, 10);
    struct bcast_figure *f = with_figure(&m, h);
    h->measured = 3;
    says(&m, 0, "");
    h->at_least = true;
    h->chance = 0.75;
    says(&m, 0, "at least: 3 of 7 measured, the slowest among them with 75 %");
    f->curve.n = 2;
    says(&m, 0,
         "3 of 7 measured, the slowest among them with 75 %, not settled: an upper bound of these");
    f->curve.settled = true;
    f->verdict = VERDICT_UNKNOWN;
    h->chance = 0;
    says(&m, 0, "3 of 7 measured, not known to be right");
    f->verdict = VERDICT_VIOLATED;
    says(&m, 0, "3 of 7 measured, wrong");
    add(&m, &imb, 5)->measured = 2;
    says(&m, 1, "from 2 of 7 roots only");
}

Test(bcast_remarks, two_ways_of_seeing_the_same_must_agree)
{
    struct made m = {0};
    struct bcast_result *h = add(&m, &held, 10), *d = add(&m, &direct, 10.5);
    says(&m, 0, "direct says otherwise");
    says(&m, 1, "held says otherwise");
    d->clock_bound = 0.6e-6;
    says(&m, 0, "");
    says(&m, 1, "+-0.60 us by the clocks");
    d->clock_bound = 0;
    m.outcome.clock_cost = 0.2e-6;
    says(&m, 0, "");
    m.outcome.clock_cost = 0;
    d->value = (struct estimate){10.05e-6, 10.04e-6, 10.06e-6};
    h->value = (struct estimate){10e-6, 10e-6, 10e-6};
    says(&m, 0, "");
    d->value = (struct estimate){11e-6, 10.9e-6, 11.1e-6};
    d->at_least = true;
    says(&m, 0, "");
    d->at_least = false;
    m.row.spoiled = true;
    says(&m, 0, "");
    h->way_error = 0.25e-6;
    says(&m, 0, "+-0.25 us if the two ways differ");
}

Test(bcast_remarks, an_overhead_with_the_way_in_it_is_none)
{
    struct made m = {0};
    struct bcast_result *o = add(&m, &overhead, 12);
    struct bcast_figure *f = with_figure(&m, o);
    add(&m, &held, 10);
    f->part = PART_OF_WAY;
    says(&m, 0, "with the message's way, so not o_i");
    f->part = PART_UNKNOWN;
    says(&m, 0, "not known whether with the message's way");
    f->part = PART_OWN;
    says(&m, 0, "above held");
    m.row.fresh = true;
    says(&m, 0, "");
}

Test(bcast_remarks, equal_remarks_share_their_methods_names)
{
    struct made m = {0};
    char text[200];
    no_interval(add(&m, &barrier, 12));
    add(&m, &held, 10)->way_error = 1e-6;
    no_interval(add(&m, &direct, 10));
    row_remarks(&m.row, NULL, text, sizeof text);
    cr_expect_str_eq(text,
                     "barrier, direct: too few samples for an interval; held: +-1.00 us if "
                     "the two ways differ",
                     "%s", text);
    row_remarks(&m.row, "rank 1 had no processor", text, sizeof text);
    cr_expect_eq(strncmp(text, "rank 1 had no processor; barrier", 32), 0, "%s", text);
    m.outcome.n_results = 1;
    m.result[0].value = (struct estimate){1e-6, 0.9e-6, 1.1e-6};
    row_remarks(&m.row, NULL, text, sizeof text);
    cr_expect_str_eq(text, "");
}
