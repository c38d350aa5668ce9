/* What other programs read: CSV, OTF2, Perfetto, the page of a run, and its pictures. */
#include "export/export.h"
#include "made_page.h"
#include "scratch.h"

#include <jansson.h>
#include <math.h>

static size_t times_in(const char *text, const char *part)
{
    size_t n = 0;
    for (; (text = strstr(text, part)); text++)
        n++;
    return n;
}

/* NULL: this build has no such format. */
static const struct export_format *format(const char *name)
{
    size_t i = 0;
    while (i < n_export_formats && strcmp(export_formats[i]->name, name) != 0)
        i++;
    return i < n_export_formats ? export_formats[i] : NULL;
}

static const struct timeline_view whole = {NAN, NAN};

/* Until the next call. */
static char *exported(const char *name, struct profile *p, size_t rows)
{
    struct export_request r = {.options.text.rows = rows, .view = whole};
    static char *text;
    free(text);
    return text = WRITTEN(cr_assert(format(name)->write(&r, p, out)));
}

/* Quotes, commas and lines in a name do not break the table. */
Test(export, csv_quotes_what_must_be)
{
    struct ledger l;
    made_ledger(&l, NULL, 0, 1);
    strcpy(l.regions[1].name, "=a,\"b\"\nc");
    made_calls(&l, 1, OP_BCAST, 8, 1, 1000)->region = 1;
    struct profile *p RELEASED(profile_end) = made_merged(NULL, &l);
    struct document *d RELEASED(document_end) =
        report_document(p, &(struct report_options){.full = true});
    FREED char *text = WRITTEN(table_csv_write(document_find_table(d, "regions"), out));
    assert_has(text, "\n\"'=a,\"\"b\"\" c\",3,"); /* nor is it a formula, or two lines */
}

/* Rank 0 sends to rank 1, whose thread 1 sends what nobody receives; ranks 2 and 3 exchange. */
static struct profile *made_trace(void)
{
    static const struct event events[] = {
        {12000, 14000, 12000, 7, 100, 0, 0, 0, 1, 0, 5, .kind = EVENT_SEND},
        {11000, 16500, 11000, 7, 100, 1, 0, 1, 0, 0, 5, .kind = EVENT_RECEIVED},
        {21000, 22000, 21000, 7, 8, 1, 0, 0, 3, 0, 6, .kind = EVENT_SEND, .thread = 1},
        {30000, 36000, 30000, 7, 64, 2, 0, 1, 3, 0, 7, .kind = EVENT_RECEIVED},
        {30000, 36000, 30000, 7, 32, 2, 0, 1, 3, 0, 9, .kind = EVENT_SEND},
        {31000, 35000, 31000, 7, 64, 3, 0, 1, 2, 0, 7, .kind = EVENT_SEND},
        {31000, 35000, 31000, 7, TIMELINE_UNKNOWN_BYTES, 3, 0, 1, 2, 0, 9, .kind = EVENT_RECEIVED}};
    struct profile *p = made_four_ranks();
    p->trace = (struct profile_trace){.on = true, .first_ns = 2000, .last_ns = 42000};
    p->started_unix = 1700000000;
    snprintf(PUSH(&p->hosts)->name, sizeof p->hosts.at->name, "other");
    p->ranks.at[3].host = (uint32_t)p->hosts.n - 1;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        *PUSH(&p->events) = events[i];
    return p;
}

/* What otf2-print tells of P's archive. */
static void print_archive(struct profile *p, char *text, size_t room)
{
    char path[60], command[300];
    scratch_make();
    snprintf(path, sizeof path, "%s/o", scratch);
    const struct export_format *f = format("otf2");
    if (!f || system("command -v otf2-print >/dev/null")) {
        scratch_remove();
        cr_skip("without OTF2, or otf2-print");
    }
    cr_assert(f->write(&(struct export_request){.path = path}, p, NULL));
    snprintf(command, sizeof command,
             "{ TZ=UTC otf2-print -G %s/traces.otf2; otf2-print %s/traces.otf2; } | "
             "tr -s ' '",
             path, path);
    FILE *out = popen(command, "r");
    text[fread(text, 1, room - 1, out)] = '\0';
    pclose(out);
    scratch_remove();
}

#define CALL(ev, at, name) ev " " at " Region: \"MPI_" name ">\n"
#define MESSAGE(ev, at, other, index, location, what)                                              \
    "MPI_" ev " " at " " other ": " index " (\"thread 0\" <" location ">), "                       \
    "Communicator: \"MPI_COMM_WORLD\" <0>, " what "\n"

/* A message has both ends or none; what a call sends comes before what it receives. */
Test(export, an_archive_is_what_was_traced)
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
    struct profile *p RELEASED(profile_end) = made_trace();
    print_archive(p, text, sizeof text);
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        assert_has(text, said[i]);
    /* Where rank 0 has left no record, messages still name those that they went to. */
    memmove(p->ranks.at, p->ranks.at + 1, --p->ranks.n * sizeof *p->ranks.at);
    memmove(p->events.at, p->events.at + 1, --p->events.n * sizeof *p->events.at);
    print_archive(p, text, sizeof text);
    assert_has(text, MESSAGE("SEND", "512 28000", "Receiver", "2", "768", "Tag: 9, Length: 32"));
    assert_has(text, MESSAGE("RECV", "512 34000", "Sender", "2", "768", "Tag: 7, Length: 64"));
}

/* Of made_ledger.c's counts; call sites with one name are one sample, whose name is quoted. */
Test(export, metrics_are_the_counts_of_all_ranks)
{
    struct profile *p RELEASED(profile_end) = made_four_ranks();
    for (size_t i = 0; i < p->sites.n; i++)
        for (uint32_t k = 0; k < p->sites.at[i].depth; k++) {
            p->sites.at[i].frame[k].file = memory_strdup("a \"b\\.c");
            p->sites.at[i].frame[k].line = 7;
        }
    char *text = exported("openmetrics", p, 20);
    assert_has(text, "\ncollprof_ranks 4\n");
    assert_has(text, "\ncollprof_site_calls_total{operation=\"MPI_Bcast\",site=\"a \\\"b\\\\.c:7");
    cr_assert_eq(times_in(text, "collprof_site_calls_total{operation=\"MPI_Bcast\""), 1, "%s",
                 text);
    cr_assert_str_eq(text + strlen(text) - 6, "# EOF\n");
    text = exported("openmetrics", p, 1);
    cr_assert_eq(times_in(text, "\ncollprof_site_calls_total"), 1, "%s", text);
}

/* Of a process per rank, numbered from 1: a slice per call, an arrow per message. */
Test(export, a_page_of_perfetto_is_what_was_traced)
{
    static const char *const said[] = {
        "\"name\":\"MPI_Allreduce\",\"cat\":\"mpi\",\"ts\":10.0,\"pid\":1,\"tid\":1,",
        "\"dur\":2.0}",
        "\"ts\":19.0,\"pid\":2,\"tid\":2,",
        "\"bytes\":100,\"peer\":1,\"tag\":5",
        "\"ph\":\"s\",\"name\":\"message\",\"cat\":\"message\",\"ts\":10.0,\"pid\":1,\"tid\":1,"
        "\"id\":1}",
        "\"bytes\":32,\"wait\":\"late sender\",\"waited for rank\":3,\"waited us\":1.0}",
        "\"ts\":14.499,\"pid\":2,"};
    struct profile *p RELEASED(profile_end) = made_trace();
    char *text = exported("perfetto", p, 0);
    json_auto_t *json = json_loads(text, 0, NULL);
    cr_assert_not_null(json, "%s", text);
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        assert_has(text, said[i]);
}

/* The document that a page carries. */
static json_t *document_of(const char *page)
{
    static const char begin[] = "<script type=\"application/json\" id=document>";
    char *json = strstr(page, begin);
    cr_assert_not_null(json);
    json += sizeof begin - 1;
    *strstr(json, "</script>") = '\0';
    json_error_t error;
    json_t *document = json_loads(json, 0, &error);
    cr_assert_not_null(document, "%s", error.text);
    return document;
}

static json_t *page_document_of(struct profile *p)
{
    return document_of(exported("html", p, 0));
}

static json_t *table_rows_of(const json_t *document, const char *table)
{
    return json_object_get(json_object_get(json_object_get(document, "tables"), table), "rows");
}

static double number_in(const json_t *rows, size_t row, const char *key)
{
    return json_number_value(json_object_get(json_array_get(rows, row), key));
}

/* Names of anybody's choice end no element, and the script finds each table. */
Test(export, a_page_carries_its_document)
{
    struct profile *p RELEASED(profile_end) = made_four_ranks();
    snprintf(p->comms.at[0].name, sizeof p->comms.at[0].name, "</script><b>&");
    char *text = exported("html", p, 0);
    const char *title = strstr(text, "<title>collprof: "), *head = strstr(text, "<h1>collprof: ");
    cr_assert(title && head);
    title += strlen("<title>collprof: ");
    head += strlen("<h1>collprof: ");
    cr_expect(strcspn(title, "<") > 0 && !strncmp(title, head, strcspn(title, "<") + 1));
    cr_assert_eq(times_in(text, "<b>&"), 0);
    json_t *document = document_of(text), *rows = table_rows_of(document, "operations");
    cr_assert_eq(json_array_size(rows), 2);
    cr_assert_eq(number_in(rows, 1, "bytes"), 409600);
    json_decref(document);
}

/* Around a typical one of the waits that cost most together, not the longest one: each call is what
 * of it was waiting, and the rest. */
Test(export, a_timeline_is_around_a_typical_wait)
{
    static const struct event late[] = {
        {60000, 61000, 60000, 7, 8, 3, 9, 0, 2, 1, 8, .kind = EVENT_SEND},
        {45000, 61000, 45000, 7, 8, 2, 9, 1, 3, 1, 8, .kind = EVENT_RECEIVED}};
    struct profile *p RELEASED(profile_end) = made_trace();
    for (size_t i = 0; i < sizeof late / sizeof *late; i++)
        *PUSH(&p->events) = late[i];
    p->trace.last_ns = 62000;
    *PUSH(&p->waits) = (struct wait){9, 1, WAIT_LATE_SENDER, 3, 1, 15000};
    *PUSH(&p->waits) = (struct wait){0, 1, WAIT_LATE_SENDER, 0, 20, 20000};
    struct document *d = document_new("x/1");
    cr_assert(picture_timeline(d, p, &whole));
    json_t *json = document_json(d), *rows = table_rows_of(json, "timeline"),
           *messages = table_rows_of(json, "timeline_messages"), *row;
    size_t i, waits = 0;
    json_array_foreach(rows, i, row) {
        cr_assert_lt(number_in(rows, i, "begin"), number_in(rows, i, "end"));
        waits +=
            !strcmp(json_string_value(json_object_get(row, "kind")), "waiting for another rank");
    }
    cr_assert(waits > 0 && json_array_size(messages) > 0);
    cr_expect_leq(number_in(rows, json_array_size(rows) - 1, "end"), 15.5); /* us of the run */
    json_decref(json);
    document_free(d);
    d = document_new("x/1");
    p->trace.last_ns = 1000000000;
    p->trace.time_mask = 1 << 20;
    cr_expect_not(picture_timeline(d, p, &(struct timeline_view){0.5, 0.6}), "gaps are no calls");
    document_free(d);
}

/* Rank 0 waits for rank 1, which is outside of MPI for 0.5 s longer: 0.05 s in collectives, so at
 * least 0.45 s in messages. MPI_Init and MPI_Finalize are beside the run. */
Test(export, parts_of_a_rank_are_its_run)
{
    static const struct {
        const char *part;
        double time;
    } want[] = {{"outside", 0.4e6},
                {"waiting", 0.5e6},
                {"messages", 0.04e6},
                {"collectives", 0.05e6},
                {"other", 0.01e6}};
    struct profile *p RELEASED(profile_end) = profile_new();
    PUSH(&p->hosts)->ranks = 2;
    *PUSH(&p->ranks) = (struct profile_rank){.wall = 1,
                                             .mpi_ns = 600000000,
                                             .message_ns = 490000000,
                                             .collective_ns = 100000000,
                                             .collective_wait_ns = 50000000,
                                             .lifecycle_ns = 500000000};
    *PUSH(&p->ranks) = (struct profile_rank){.rank = 1, .wall = 1, .mpi_ns = 100000000};
    json_t *json = page_document_of(p), *rows = table_rows_of(json, "ranks");
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        cr_expect_float_eq(number_in(rows, 0, want[i].part), want[i].time, 1, "%s", want[i].part);
    json_decref(json);
}

/* Three lines: parallel efficiency, and the two factors whose product it is. */
Test(export, efficiency_over_time)
{
    struct profile *p RELEASED(profile_end) = profile_new();
    PUSH(&p->hosts)->ranks = 1;
    *PUSH(&p->ranks) = (struct profile_rank){.wall = 1};
    *PUSH(&p->slices) = (struct run_slice){0, 2000000, 0.45, 0.9, 1};
    *PUSH(&p->slices) = (struct run_slice){2000000, 4000000, 0.8, 0.8, 1};
    json_t *json = page_document_of(p), *rows = table_rows_of(json, "slices"), *name;
    const json_t *picture = json_array_get(json_object_get(json, "pictures"), 0);
    static const double shares[] = {45, 50, 90, 80, 100, 80};
    size_t k;
    json_array_foreach(json_object_get(picture, "columns"), k, name)
        for (size_t i = 0; i < 2; i++)
            cr_expect_float_eq(number_in(rows, i, json_string_value(name)), shares[3 * i + k],
                               1e-9);
    cr_expect_eq(k, 3);
    json_decref(json);
}

/* Nothing sent, one rank, no trace: no picture. */
Test(export, there_is_no_picture_of_nothing)
{
    struct profile *p RELEASED(profile_end) = profile_new();
    struct document *d RELEASED(document_end) = document_new("x/1");
    json_auto_t *json = page_document_of(p);
    cr_expect_eq(json_array_size(json_object_get(json, "pictures")), 0);
    cr_expect_not(picture_timeline(d, p, &whole));
}
