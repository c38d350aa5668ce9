/* Protects figures: how they are shown, what word they become, and by which rows are sorted. */
#include "page/figures.h"
#include "base/format.h"
#include "made_profile.h"

#include <criterion/criterion.h>
#include <math.h>

/* On both sides of each threshold: 90 % of 20 requests found done; 5 % and half of their life. */
Test(figures, what_a_request_hides_in_a_word)
{
    static const struct {
        uint64_t hidden, wait;
        const char *word;
    } known[] = {{0, 1000, "hides"},  {0, 1001, "partly"},  {0, 9999, "partly"},
                 {0, 10000, "waits"}, {18, 20000, "hides"}, {17, 20000, "waits"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct ledger l;
        made_ledger(&l, NULL, 0, 1);
        struct ledger_entry *e = made_calls(&l, 1, OP_ISEND, 8, 20, 1);
        e->completed = 20;
        e->hidden = known[i].hidden;
        e->wait_ns = known[i].wait;
        e->span_ns = 20000;
        e->window_ns = 20000 - known[i].wait;
        struct profile *p = made_merged(NULL, &l);
        const struct listing *sites = listing_find("call_sites");
        struct view v;
        struct listed rows;
        char word[20];
        view_open(&v, p, NULL);
        listed_open(&rows, sites, &v, NULL);
        figure_find(sites, "overlap")->text(&v, rows.at, word, sizeof word);
        cr_assert_str_eq(word, known[i].word, "case %zu", i);
        listed_close(&rows);
        view_close(&v);
        profile_free(p);
    }
}

/* A row without the figure that sorts comes after those that have it, however long it took. */
Test(figures, rows_without_the_figure_come_last)
{
    struct ledger l;
    made_ledger(&l, NULL, 0, 1);
    made_calls(&l, 1, OP_BCAST, 8, 1, 1000000);
    struct ledger_entry *isend = made_calls(&l, 2, OP_ISEND, 8, 4, 300);
    isend->completed = 4;
    isend->wait_ns = 800;
    made_calls(&l, 2, OP_BARRIER, 0, 1, 2000000);
    struct profile *p = made_merged(NULL, &l);
    const struct listing *entries = listing_find("entries");
    struct view v;
    struct listed rows;
    view_open(&v, p, NULL);
    listed_open(&rows, entries, &v, "in_wait");
    cr_assert_eq(rows.n, 3);
    for (size_t i = 0; i < rows.n; i++) {
        static const double time[] = {1200, 2000000, 1000000};
        const void *row = rows.at + i * rows.size;
        cr_assert_eq(isnan(figure_find(entries, "in_wait")->get(&v, row)), i > 0);
        cr_assert_float_eq(figure_find(entries, "time")->get(&v, row), time[i], 1e-6);
    }
    listed_close(&rows);
    view_close(&v);
    profile_free(p);
}

/* Quantiles keep the promise of the histogram, 6.25 %, after merging. */
Test(figures, quantiles_within_promise)
{
    struct profile *p = profile_new();
    uint64_t histogram[HISTOGRAM_BUCKETS] = {0};
    struct profile_entry e = {
        .calls = 10000, .min_ns = 100, .max_ns = 1000000, .histogram = histogram};
    for (int i = 0; i < 10000; i++)
        histogram[histogram_bucket(100 + (uint64_t)i * 100)]++;
    profile_add_entry(p, &e);
    profile_add_entry(p, &e);
    for (double q = 0.01; q < 1; q += 0.01) {
        double truth = 100 + q * 1000000;
        cr_assert_lt(fabs(entry_quantile(&p->entries.at[0], q) / truth - 1), 0.0625, "%g", q);
    }
    profile_free(p);
}

Test(figures, with_three_digits)
{
    char text[32];
    cr_assert_str_eq(format_time(text, 0), "0");
    cr_assert_str_eq(format_time(text, 850), "850 ns");
    cr_assert_str_eq(format_time(text, 999.6), "1.00 us");
    cr_assert_str_eq(format_time(text, 12345), "12.3 us");
    cr_assert_str_eq(format_time(text, 999600), "1.00 ms");
    cr_assert_str_eq(format_time(text, 4.56e9), "4.56 s");
    cr_assert_str_eq(format_bytes(text, 0), "0 B");
    cr_assert_str_eq(format_bytes(text, 1023), "1023 B");
    cr_assert_str_eq(format_bytes(text, 65536), "64 KiB");
    cr_assert_str_eq(format_bytes(text, 1.25 * 1073741824), "1.25 GiB");
    cr_assert_str_eq(format_count(text, 999), "999");
    cr_assert_str_eq(format_count(text, 12345), "12,345");
    cr_assert_str_eq(format_count(text, 1002003), "1,002,003");
    cr_assert_str_eq(format_count(text, 12345678), "12.3 M");
    cr_assert_str_eq(format_size_class(text, 0), "0 B");
    cr_assert_str_eq(format_size_class(text, 1), "1 B");
    cr_assert_str_eq(format_size_class(text, 17), "64 KiB to 128 KiB");
}
