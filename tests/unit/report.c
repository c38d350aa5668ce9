/* Protects the report: one screen, every table in full, what is asked for alone, and JSON. */
#include "report/report.h"
#include "made_page.h"
#include "report/findings.h"

static size_t lines_of(const char *text, size_t width)
{
    size_t lines = 0;
    for (const char *at = text, *end; (end = strchr(at, '\n')); at = end + 1, lines++)
        cr_expect_leq((size_t)(end - at), width, "too wide: %.*s", (int)(end - at), at);
    return lines;
}

Test(report, is_one_screen)
{
    struct profile *p RELEASED(profile_end) = made_four_ranks();
    static const char words[] =
        "that is as long as such remarks are, and so would not be on one line of eighty columns";
    for (int i = 0; i < 3; i++)
        profile_add_finding(p, "algorithms",
                            json_pack("{s:s, s:s+}", "operation", p->operations.at[i % 2].name,
                                      "algorithm", i ? words : "unknown", i ? words : ""));
    for (int i = 0; i < 30; i++)
        profile_warn(p, "remark %d %s", i, words);
    p->ranks.at[2].state = LEDGER_ABORTED;
    p->crashed = true;
    char *text = text_of(p, &(struct report_options){.text.width = 80});
    cr_expect_leq(lines_of(text, 80), REPORT_LINES, "%s", text);
    assert_has(text, "collprof: application on 4 ranks, alpha, 2.00 s");
    assert_has(text, "\n! remark 0");
    assert_has(text, "Parallel efficiency ");
    assert_has(text, "more: collprof report --full");
    assert_has(text, "MPI_Allreduce     40     75.0ms    3.8%");
    assert_has(text, "\nAlgorithms in use: collprof report --table=algorithms\n");
    assert_has(text, "\nNext: ");
    cr_expect_null(algorithm_of(p, 0), "not of all calls");
}

/* Whole sentences, and a legend of eighty columns where all three figures have two digits. */
Test(report, cuts_no_text)
{
    struct profile *p RELEASED(profile_end) = made_four_ranks();
    char words[700] = "";
    while (strlen(words) < 400)
        strcat(words, "many words ");
    strcat(words, "and the end.");
    profile_add_finding(p, "verdict", json_pack("{s:s, s:s}", "kind", "x", "text", words));
    for (size_t i = 0; i < p->ranks.n; i++) {
        p->ranks.at[i].wall = 1;
        p->ranks.at[i].mpi_ns = i ? 700000000 : 300000000;
    }
    char *text = text_of(p, &(struct report_options){.text.width = 80});
    cr_expect_leq(lines_of(text, 80), REPORT_LINES, "%s", text);
    assert_has(text,
               "# compute 40.0 %  = waiting for other ranks 30.0 %  - other time in MPI 30.0 %");
    assert_has(text, "and the end.\n");
    assert_lacks(text, " ..\n");
}

/* Little time in MPI comes before doubts; one rank alone has nothing to wait for. */
Test(report, begins_with_what_matters)
{
    struct profile *p RELEASED(profile_end) = made_four_ranks();
    for (size_t i = 0; i < p->ranks.n; i++) {
        p->ranks.at[i].wall = 1;
        p->ranks.at[i].mpi_ns = 1000000;
        p->ranks.at[i].delayed_ns = 0;
    }
    char *text = text_of(p, &(struct report_options){.text.width = 80});
    const char *little = strstr(text, "little to be gained"),
               *doubt = strstr(text, "cannot be read here");
    cr_expect(little && doubt && little < doubt, "%s", text);
    p->ranks.n = p->size = 1;
    p->ranks.at[0].delayed_ns = 300000000;
    text = text_of(p, &(struct report_options){.text.width = 80});
    assert_has(
        text,
        "\nNext: to measure communication, start several ranks: mpiexec -n N collprof ./app\n");
    assert_has(text, "CPU contention");
}

Test(report, in_full_has_every_table_that_has_rows)
{
    struct profile *p RELEASED(profile_end) = made_four_ranks();
    char *text = text_of(p, &(struct report_options){.text.width = 120, .full = true});
    struct document *d RELEASED(document_end) =
        report_document(p, &(struct report_options){.full = true});
    for (size_t i = 0; i < n_report_tables; i++) {
        char title[100];
        snprintf(title, sizeof title, "\n%s%s", report_tables[i].title,
                 report_tables[i].option ? " (--" : "\n");
        cr_expect_eq(strstr(text, title) != NULL,
                     table_rows(document_find_table(d, report_tables[i].name)) > 0, "%s in %s",
                     report_tables[i].title, text);
    }
    for (int i = 0; i < 2; i++)
        *PUSH(&p->causes) = (struct root_cause){.direct_ns = 1000000, .passed_ns = 500000};
    p->trace.on = true;
    p->trace.wait_ns = 3000000;
    text = text_of(p, &(struct report_options){.text.width = 120, .full = true});
    assert_lacks(text, "at least");
    p->ranks.at[2].state = PROFILE_CUT_OFF;
    p->ranks.at[3].wall += 1; /* rank 2 may have lived longer than its last call */
    text = text_of(p, &(struct report_options){.text.width = 120, .full = true});
    assert_has(text, "alpha, at least 3.00 s");
    assert_has(text, "wall time: at least 3.00 s");
    cr_expect(profile_longest_known(&(struct profile){0}));
}

Test(report, shows_one_table_and_explains_it)
{
    struct profile *p RELEASED(profile_end) = made_four_ranks();
    const struct report_options o = {.text = {100, 2, .explain = true},
                                     .table = report_table_find("ranks")};
    char *text = text_of(p, &o);
    assert_has(text, "and 2 more");
    assert_has(text, "in MPI: time in MPI, all threads together");
    assert_lacks(text, "MPI_Bcast");
    text = text_of(p, &(struct report_options){.table = report_table_find("ack")});
    cr_assert_str_eq(text, "The run has no ack: collprof run --ack records it, if there is any.\n");
    for (int traced = 0; traced < 2; traced++) {
        p->trace.on = traced;
        text = text_of(p, &(struct report_options){.table = report_table_find("causes")});
        cr_expect_eq(strstr(text, "collprof run --trace records") == NULL, traced, "%s", text);
    }
}

Test(report, measurements_are_tables)
{
    struct profile *p RELEASED(profile_end) = made_four_ranks();
    profile_add_finding(p, "benchmark",
                        json_pack("{s:s, s:i, s:i, s:i, s:[{s:s, s:f, s:n}]}", "operation",
                                  "MPI_Bcast", "communicator_index", 0, "root", 0, "bytes", 8,
                                  "methods", "method", "held", "time_us", 12.5, "low_us"));
    profile_add_finding(p, "broadcast",
                        json_pack("{s:s, s:i, s:i, s:s, s:i, s:s}", "communicator", "row", "root",
                                  1, "bytes", 16, "algorithm", "grid", "calls", 7, "remark",
                                  "why it is so"));
    char *text = text_of(p, &(struct report_options){.text.width = 200, .full = true});
    assert_has(text, "MPI_Bcast  MPI_COMM_WORLD     0     8B  held    12.5us");
    assert_has(text, "grid");
    assert_has(text, "why it is so");
}
