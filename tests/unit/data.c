/* Protects the tables that programs read: CSV, and what a page gives a browser. */
#include "data/data.h"
#include "data/html.h"
#include "made_page.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    view_open(&v, p);
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
    data_html(p, NULL, NULL, out);
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
    data_html(p, &part, NULL, out);
    fclose(out);
    assert_has(text, "<h2>Shown</h2><ul><li>Only --only=Bcast: ");
    cr_assert_null(strstr(text, "<h2>Findings"));
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

/* Rank 0 sends to rank 1, whose thread 1 sends what nobody receives; rank 2 exchanges with rank 3.
 */
static struct profile *made_trace(void)
{
    static const struct act acts[] = {
        {12000, 14000, 12000, 7, 100, 0, 0, 0, 1, 0, 5, .kind = ACT_SEND},
        {11000, 16500, 11000, 7, 100, 1, 0, 1, 0, 0, 5, .kind = ACT_RECEIVED},
        {21000, 22000, 21000, 7, 8, 1, 0, 0, 3, 0, 6, .kind = ACT_SEND, .thread = 1},
        {30000, 36000, 30000, 7, 64, 2, 0, 1, 3, 0, 7, .kind = ACT_RECEIVED},
        {30000, 36000, 30000, 7, 32, 2, 0, 1, 3, 0, 9, .kind = ACT_SEND},
        {31000, 35000, 31000, 7, 64, 3, 0, 1, 2, 0, 7, .kind = ACT_SEND},
        {31000, 35000, 31000, 7, TIMELINE_UNKNOWN_BYTES, 3, 0, 1, 2, 0, 9, .kind = ACT_RECEIVED}};
    struct profile *p = made_four_ranks();
    p->trace = (struct profile_trace){.on = true, .first_ns = 2000, .last_ns = 42000};
    p->started_unix = 1700000000;
    snprintf(PUSH(&p->hosts)->name, sizeof p->hosts.at->name, "other");
    p->ranks.at[3].host = (uint32_t)p->hosts.n - 1;
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
        *PUSH(&p->acts) = acts[i];
    return p;
}

/* What otf2-print tells of P's archive. */
static void print_archive(const struct profile *p, char *text, size_t room)
{
    char directory[] = "/tmp/otf2.XXXXXX", path[40], command[300];
    cr_assert(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/o", directory);
    const char *why = data_otf2(p, path);
    if ((why && strstr(why, "without OTF2")) || system("command -v otf2-print >/dev/null"))
        cr_skip("%s", why ? why : "without otf2-print");
    cr_assert_null(why, "%s", why);
    snprintf(command, sizeof command,
             "{ TZ=UTC otf2-print -G %s/traces.otf2; otf2-print %s/traces.otf2; } | "
             "tr -s ' '; rm -r %s",
             path, path, directory);
    FILE *out = popen(command, "r");
    text[fread(text, 1, room - 1, out)] = '\0';
    pclose(out);
}

#define CALL(ev, at, name) ev " " at " Region: \"MPI_" name ">\n"
#define MESSAGE(ev, at, other, index, location, what)                                              \
    "MPI_" ev " " at " " other ": " index " (\"thread 0\" <" location ">), "                       \
    "Communicator: \"MPI_COMM_WORLD\" <0>, " what "\n"

/* A message has both ends or none; what a call sends comes before what it receives. */
Test(data, an_archive_is_what_was_traced)
{
    static const char events[] = CALL("ENTER", "256 9000", "Bcast\" <1") CALL(
        "ENTER", "0 10000",
        "Allreduce\" <0") MESSAGE("SEND", "0 10000", "Receiver", "1", "256",
                                  "Tag: 5, Length: 100") CALL("LEAVE", "0 12000", "Allreduce\" <0")
        MESSAGE("RECV", "256 14500", "Sender", "0", "0", "Tag: 5, Length: 100") CALL(
            "LEAVE", "256 14500", "Bcast\" <1") CALL("ENTER", "257 19000", "Allreduce\" <0")
            CALL("LEAVE", "257 20000", "Allreduce\" <0") CALL("ENTER", "512 28000", "Bcast\" <1")
                MESSAGE("SEND", "512 28000", "Receiver", "3", "768", "Tag: 9, Length: 32")
                    CALL("ENTER", "768 29000", "Bcast\" <1")
                        MESSAGE("SEND", "768 29000", "Receiver", "2", "512", "Tag: 7, Length: 64")
                            MESSAGE("RECV", "768 33000", "Sender", "2", "512", "Tag: 9, Length: 32")
                                CALL("LEAVE", "768 33000", "Bcast\" <1") MESSAGE(
                                    "RECV", "512 34000", "Sender", "3", "768", "Tag: 7, Length: 64")
                                    CALL("LEAVE", "512 34000", "Bcast\" <1");
    static const char *const said[] = {
        events,
        "Ticks per Seconds: 1000000000, Global Offset: 0, Length: 40000, Date: 2023-11-14 22:13:20",
        "LOCATION_GROUP 2 Name: \"MPI Rank 2\" <8>, Type: PROCESS, Parent: \"node::alpha\"",
        "LOCATION_GROUP 3 Name: \"MPI Rank 3\" <9>, Type: PROCESS, Parent: \"node::other\"",
        "LOCATION 257 Name: \"thread 1\" <12>, Type: CPU_THREAD, # Events: 2, Group: \"MPI Rank "
        "1\""};
    char text[20000];
    struct profile *p = made_trace();
    print_archive(p, text, sizeof text);
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        assert_has(text, said[i]);
    /* Where rank 0 has left no record, messages still name those that they went to. */
    memmove(p->ranks.at, p->ranks.at + 1, --p->ranks.n * sizeof *p->ranks.at);
    memmove(p->acts.at, p->acts.at + 1, --p->acts.n * sizeof *p->acts.at);
    print_archive(p, text, sizeof text);
    assert_has(text, MESSAGE("SEND", "512 28000", "Receiver", "2", "768", "Tag: 9, Length: 32"));
    assert_has(text, MESSAGE("RECV", "512 34000", "Sender", "2", "768", "Tag: 7, Length: 64"));
    profile_free(p);
}

/* Of a process per rank, numbered from 1: a slice per call, an arrow per message, and how many are
 * under way. */
Test(data, a_page_of_perfetto_is_what_was_traced)
{
    static const char *const said[] = {
        "\"name\":\"MPI_Allreduce\",\"cat\":\"mpi\",\"ts\":10.000,\"pid\":1,\"tid\":1,\"dur\":2."
        "000,",
        "\"ts\":19.000,\"pid\":2,\"tid\":2,\"dur\":1.000,",
        "\"bytes\":100,\"peer\":1,\"tag\":5",
        "\"ph\":\"s\",\"id\":1,\"name\":\"message\",\"cat\":\"message\",\"ts\":10.000,\"pid\":1,",
        "\"bytes\":96,\"wait\"",
        "\"ts\":14.499,\"pid\":2,",
        "\"ts\":10.000,\"pid\":2,\"tid\":1,\"args\":{\"messages\":1}",
        "\"ts\":14.500,\"pid\":2,\"tid\":1,\"args\":{\"messages\":0}",
        "\"messages drawn\":3,\"messages sent\":4,\"messages received\":3,"};
    char *text = NULL;
    size_t size;
    struct profile *p = made_trace();
    FILE *out = open_memstream(&text, &size);
    data_perfetto(p, out);
    fclose(out);
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        assert_has(text, said[i]);
    free(text);
    profile_free(p);
}

/* Rank 2 sends to 0, that to 1: lines join where they are drawn. */
Test(data, a_tree_is_drawn_from_the_root_down)
{
    char *text = NULL;
    size_t size;
    json_t *schedule =
        json_pack("{s:s, s:i, s:i, s:[[i], [], [i]], s:[f, f, f]}", "algorithm", "grid", "root", 2,
                  "bytes", 64, "children", 1, 0, "arrival_us", 20.0, 40.0, 0.0);
    FILE *out = open_memstream(&text, &size);
    html_schedule(schedule, out);
    fclose(out);
    assert_has(text, "grid, 64 B, arrivals as predicted");
    assert_has(text, "d=\"M8.0 9V27H288.0\"");
    assert_has(text, "d=\"M288.0 27V45H568.0\"");
    assert_has(text, "rank 2, root<");
    free(text);
    json_decref(schedule);
}

/* Collectives of a run without a trace: each in the row of its rank, by its own communicator. */
Test(data, collectives_are_slices_by_rank)
{
    char *text = NULL;
    size_t size;
    struct profile *p = made_four_ranks(), *none = profile_new();
    *PUSH(&p->comms) = (struct profile_comm){.size = 2, .root_world_rank = 1, .site = PROFILE_NONE};
    snprintf(p->comms.at[p->comms.n - 1].name, 64, "rows");
    p->events.at[3].comm = (uint32_t)p->comms.n - 1;
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(data_trace(p, out), p->events.n);
    cr_assert_eq(data_trace(none, out), 0);
    fclose(out);
    cr_assert_eq(times_in(text, "\"communicator\":\"rows\""), 1, "%s", text);
    free(text);
    profile_free(p);
    profile_free(none);
}
