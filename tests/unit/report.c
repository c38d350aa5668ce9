/* Protects the report: one screen, every table in full, what is asked for alone, and JSON. */
#include "report/report.h"
#include "made_page.h"
#include "report/findings.h"
#include "report/listings.h"
#include "report/measured.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static size_t lines_of(const char *text, size_t width)
{
    size_t lines = 0;
    for (const char *at = text, *end; (end = strchr(at, '\n')); at = end + 1, lines++)
        cr_expect_leq((size_t)(end - at), width, "too wide: %.*s", (int)(end - at), at);
    return lines;
}

Test(report, is_one_screen)
{
    struct profile *p = made_four_ranks();
    for (int i = 0; i < 30; i++)
        profile_warn(p,
                     "remark %d that is as long as such remarks are, and so would not be on one "
                     "line of eighty columns",
                     i);
    p->ranks.at[2].state = LEDGER_ABORTED;
    char *text = text_of(p, &(struct report_options){.width = 80});
    cr_expect_leq(lines_of(text, 80), REPORT_LINES, "%s", text);
    assert_has(text, "collprof: application on 4 ranks, alpha, 2.00 s");
    assert_has(text, "\n! remark 0");
    assert_has(text, "Parallel efficiency ");
    assert_has(text, "more remarks: collprof report --full");
    assert_has(text, "MPI_Allreduce     40     75.0ms    3.8%");
    assert_has(text, "\nNext: ");
    free(text);
    profile_free(p);
}

Test(report, in_full_has_every_table_that_has_rows)
{
    struct profile *p = made_four_ranks();
    char *text = text_of(p, &(struct report_options){.width = 120, .full = true});
    for (size_t i = 0; i < n_listings; i++) {
        struct view v;
        struct listed rows;
        char title[100];
        view_open(&v, p);
        listed_open(&rows, &listings[i], &v, NULL);
        snprintf(title, sizeof title, "\n%s\n", listings[i].title);
        cr_expect_eq(strstr(text, title) != NULL, rows.n && !listings[i].data_only, "%s in %s",
                     listings[i].title, text);
        listed_close(&rows);
        view_close(&v);
    }
    free(text);
    profile_free(p);
}

Test(report, shows_one_table_and_explains_it)
{
    struct profile *p = made_four_ranks();
    const struct report_options o = {.width = 100, .table = "ranks", .explain = true, .top = 2};
    char *text = text_of(p, &o);
    assert_has(text, "and 2 more");
    assert_has(text, "in MPI: time in MPI, all threads together");
    assert_lacks(text, "MPI_Bcast");
    free(text);
    text = text_of(p, &(struct report_options){.table = "ack"});
    cr_assert_str_eq(text, "The run has no ack.\n");
    free(text);
    profile_free(p);
}

Test(report, measurements_are_tables)
{
    struct profile *p = made_four_ranks();
    profile_add_finding(p, "benchmark",
                        json_pack("{s:s, s:s, s:i, s:i, s:[{s:s, s:f, s:n}]}", "operation",
                                  "MPI_Bcast", "communicator", "MPI_COMM_WORLD", "root", 0, "bytes",
                                  8, "methods", "method", "held", "time_us", 12.5, "low_us"));
    profile_add_finding(p, "broadcast",
                        json_pack("{s:s, s:i, s:i, s:s, s:i, s:s}", "communicator", "row", "root",
                                  1, "bytes", 16, "algorithm", "grid", "calls", 7, "remark",
                                  "why it is so"));
    char *text = text_of(p, &(struct report_options){.width = 200, .table = "benchmark"});
    assert_has(text, "MPI_Bcast  MPI_COMM_WORLD     0     8B  held    12.5us");
    free(text);
    text = text_of(p, &(struct report_options){.width = 200, .table = "broadcast"});
    assert_has(text, "grid");
    assert_has(text, "why it is so");
    free(text);
    profile_free(p);
}

Test(report, of_a_part_says_what_it_is)
{
    struct profile *p = made_four_ranks();
    struct filter f = {.only = "bcast"};
    char why[1000];
    cr_assert(filter_apply(p, &f, why, sizeof why));
    cr_assert_eq(f.calls, 400);
    char *text = text_of(p, &(struct report_options){.filter = &f});
    assert_has(text, "Only --only=bcast: 400 of 440 calls");
    assert_lacks(text, "MPI_Allreduce");
    free(text);
    json_t *json = report_json(p, &f);
    cr_assert_null(json_object_get(json, "diagnosis"));
    cr_assert(made_warns(p, "Only --only=bcast"));
    json_decref(json);
    profile_free(p);
}

Test(report, of_a_part_that_is_empty_says_what_there_is)
{
    struct profile *p = made_four_ranks();
    struct filter f = {.only = "Bcats"}, none = {.one_rank = true, .rank = 9};
    char why[1000];
    cr_assert_not(filter_apply(p, &f, why, sizeof why));
    assert_has(why, "did you mean MPI_Bcast? The run called MPI_Allreduce MPI_Bcast");
    cr_assert_not(filter_apply(p, &none, why, sizeof why));
    assert_has(why, "expected 0 to 3");
    profile_free(p);
}

Test(report, of_a_rank_is_where_it_spends_most)
{
    struct profile *p = made_four_ranks();
    struct filter f = {.one_rank = true, .rank = 3};
    char why[1000];
    cr_assert(filter_apply(p, &f, why, sizeof why));
    cr_assert_eq(p->entries.n, 1);
    cr_assert_str_eq(p->operations.at[p->entries.at[0].operation].name, "MPI_Allreduce");
    filter_ranks(p, &f);
    cr_assert_eq(p->ranks.n, 1);
    profile_free(p);
}

Test(report, json_has_the_findings)
{
    struct profile *p = made_four_ranks();
    json_t *json = report_json(p, NULL), *all = json_object_get(json, "diagnosis");
    cr_assert(json_is_array(all));
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *one = json_array_get(all, i);
        cr_expect(json_is_string(json_object_get(one, "key")) &&
                  json_is_string(json_object_get(one, "text")) &&
                  json_is_array(json_object_get(one, "ranks")));
    }
    json_decref(json);
    profile_free(p);
}
