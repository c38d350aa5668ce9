/* Protects the tables that programs read: CSV, and what a page gives a browser. */
#include "data/data.h"
#include "made_page.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The cell of COLUMN in the line that begins with ROW of a table without quotes; NULL: none. */
static const char *cell_of(const char *table, const char *row, const char *column)
{
    static char text[100];
    size_t at = 0, length = strcspn(table, "\n");
    char head[2000], line[2000];
    snprintf(head, sizeof head, "%.*s", (int)length, table);
    const char *found = strstr(table, row);
    if (!found)
        return NULL;
    found += *found == '\n';
    snprintf(line, sizeof line, "%.*s", (int)strcspn(found, "\n"), found);
    for (char *rest = head, *name; (name = strsep(&rest, ",")); at++)
        if (!strcmp(name, column))
            break;
    char *rest = line, *cell = strsep(&rest, ",");
    while (cell && at-- > 0)
        cell = strsep(&rest, ",");
    snprintf(text, sizeof text, "%s", cell ? cell : "");
    return text;
}

static char *csv_of(const struct profile *p, const char *name)
{
    char *text = NULL;
    size_t size;
    struct view v;
    FILE *out = open_memstream(&text, &size);
    view_open(&v, p, NULL);
    data_csv(listing_find(name), &v, out);
    view_close(&v);
    fclose(out);
    return text;
}

/* Columns are found by their names, and say what the counts of made_ledger.c must give. */
Test(data, csv_has_the_figures)
{
    struct profile *p = made_four_ranks();
    char *text = csv_of(p, "operations");
    static const char *const known[][3] = {{"MPI_Bcast,", "calls", "400"},
                                           {"MPI_Bcast,", "bytes", "409600"},
                                           {"MPI_Bcast,", "time_us", "400"},
                                           {"MPI_Bcast,", "mean_us", "1"},
                                           {"MPI_Bcast,", "time_per_rank_us", "100"},
                                           {"MPI_Bcast,", "min_us", "1"},
                                           {"MPI_Allreduce,", "max_us", "12000"},
                                           {"MPI_Allreduce,", "min_us", "3000"},
                                           {"MPI_Allreduce,", "worst_rank", "3"},
                                           {"MPI_Allreduce,", "rank_max_us", "120000"},
                                           {"MPI_Allreduce,", "rank_min_us", "30000"},
                                           {"MPI_Allreduce,", "ranks", "4"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const char *is = cell_of(text, known[i][0], known[i][1]);
        cr_expect_str_eq(is ? is : "(none)", known[i][2], "%s %s in\n%s", known[i][0], known[i][1],
                         text);
    }
    free(text);
    text = csv_of(p, "ranks");
    cr_assert_str_eq(cell_of(text, "\n2,", "mpi_us"), "90100", "%s", text);
    free(text);
    profile_free(p);
}

/* Quotes, commas and lines in a name do not break the table. */
Test(data, csv_quotes_what_must_be)
{
    struct ledger l;
    made_ledger(&l, NULL, 0, 1);
    strcpy(l.regions[1].name, "=a,\"b\"\nc");
    made_calls(&l, 1, OP_BCAST, 8, 1, 1000)->region = 1;
    struct profile *p = made_merged(NULL, &l);
    char *text = csv_of(p, "regions");
    assert_has(text, "\n\"'=a,\"\"b\"\" c\",3,"); /* nor is it a formula, or two lines */
    free(text);
    profile_free(p);
}

/* A message has two ends; whoever adds up the rows of the page for a browser has it once. What is
 * said of no row is no column. */
Test(data, tables_for_a_browser_have_what_there_is)
{
    struct profile *p = made_four_ranks();
    char *text = NULL;
    size_t size;
    for (int received = 0; received < 2; received++)
        *PUSH(&p->peers) = (struct profile_peer){.rank = (uint32_t)received,
                                                 .peer = (uint32_t)!received,
                                                 .messages = 200,
                                                 .bytes = 4711,
                                                 .site = p->entries.at[0].site,
                                                 .operation = p->entries.at[0].operation,
                                                 .received = received};
    p->ranks.at[1].delayed_ns = 20000000; /* of 2 s and the ends, which are drawn 10rem high */
    FILE *out = open_memstream(&text, &size);
    data_html(p, NULL, NULL, NULL, out);
    fclose(out);
    cr_assert(strstr(text, "up to 20.0 ms, on the same scale") && strstr(text, "(1px,0.100rem)"));
    char *table = strstr(text, "<section class=l id=messages>");
    cr_assert_not_null(table);
    *strstr(table, "</section>") = '\0';
    char *row = strstr(table, "data-v=\"4711\"");
    cr_assert(row && !strstr(row + 1, "data-v=\"4711\""), "%s", table);
    table = strstr(text, "<section class=l id=operations>");
    cr_assert(strstr(table, "data-key=\"bytes\"") && !strstr(table, "data-key=\"apart\""));
    free(text);
    profile_free(p);
}

/* What a benchmark's figures are worth comes first; a method's name is not run together with what
 * it is. */
Test(data, results_for_a_browser_begin_with_their_worth)
{
    for (int spoiled = 0; spoiled < 2; spoiled++) {
        json_t *document = json_pack(
            "{s:s, s:{s:s, s:s}, s:[s, s], s:{}}", "schema", "collbench-bcast/1", "header",
            "program", "collbench-bcast", "processors",
            spoiled ? "rank 1 had none: figures of such a run are not to be relied on" : "all",
            "notes", "gap              the gap (g_j)", "bounds: one is wrong", "tables");
        char *text = NULL;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        data_html_document(document, out);
        fclose(out);
        const char *doubt = strstr(text, "<li>processors: rank 1 had none");
        cr_assert_eq(doubt && doubt < strstr(text, "<dl>"), spoiled, "%s", text);
        cr_assert_eq(strstr(text, "class=\"box bad\"") != NULL, spoiled, "%s", text);
        assert_has(text, "<li>gap: the gap (g_j)<li>bounds: one is wrong</ul>");
        free(text);
        json_decref(document);
    }
}

/* Of a part of a run nothing is said as if it were the whole. */
Test(data, a_part_for_a_browser_says_what_it_is)
{
    struct profile *p = made_four_ranks();
    struct filter part = {.only = "Bcast"};
    char why[200], *text = NULL;
    size_t size;
    cr_assert(filter_apply(p, &part, why, sizeof why));
    FILE *out = open_memstream(&text, &size);
    data_html(p, NULL, &part, NULL, out);
    fclose(out);
    assert_has(text, "<h2>Shown</h2><ul><li>Only what matches --only=Bcast: ");
    cr_assert_null(strstr(text, "In short"));
    free(text);
    profile_free(p);
}

/* The page of a benchmark's results: of each of N methods two points in us. */
static char *page_of_curves(int n, const char *name, double first, double last)
{
    json_t *rows = json_array();
    for (int i = 0; i < 2 * n; i++) {
        char method[60];
        snprintf(method, sizeof method, name, i / 2, i);
        json_array_append_new(rows, json_pack("{s:s, s:s, s:i, s:i, s:f, s:n, s:n}", "algorithm",
                                              "native", "method", method, "ranks", 2, "size",
                                              i % 2 ? 64 : 8, "value", i % 2 ? last : first, "low",
                                              "high"));
    }
    json_t *d =
        json_pack("{s:s, s:{}, s:[], s:{s:{s:s, s:[], s:o}}}", "schema", "collbench-bcast/1",
                  "header", "notes", "tables", "statistics", "title", "s", "columns", "rows", rows);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    data_html_document(d, out);
    fclose(out);
    json_decref(d);
    return text;
}

/* "grid" stands for whichever tree it was in a row: a line of several is not named by one of them.
 */
Test(data, a_line_has_the_name_that_its_points_share)
{
    char *text = page_of_curves(1, "grid%d (tree %d)", 10, 1000);
    assert_has(text, ">grid0<");
    assert_has(text, "[&quot;size&quot;,&quot;grid0&quot;]");
    free(text);
}

static int times_in(const char *text, const char *word)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
        n++;
    return n;
}

/* However near to each other the figures are, the axis says how long they are. */
Test(data, an_axis_has_numbers)
{
    static const double known[][2] = {{1.2, 1.5}, {7, 7}, {0.9, 2}, {1, 6}, {1, 900}, {1, 1e6}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char *text = page_of_curves(1, "m%d", known[i][0], known[i][1]);
        int n = times_in(text, "text-anchor=end");
        cr_assert(n >= 3 && n <= 12, "%d numbers from %g to %g", n, known[i][0], known[i][1]);
        free(text);
    }
}

/* Lines that cannot be told apart would be worse than none; what is not drawn is counted. */
Test(data, many_lines_are_drawn_or_counted)
{
    for (int n = 23; n <= 26; n++) {
        char *text = page_of_curves(n, "m%d", 10, 1000);
        int drawn = n < 24 ? n : 24;
        cr_assert_eq(times_in(text, "<g fill=none"), drawn);
        cr_assert_eq(times_in(text, " (dotted)<"), drawn - 16);
        cr_assert_eq(times_in(text, "stroke-dasharray=\"2 3\""), drawn - 16);
        cr_assert_eq(times_in(text, "2 more are in the tables alone"), n == 26, "%s", text);
        free(text);
    }
}
