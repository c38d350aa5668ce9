/* Protects what a person reads of a profile. */
#include "base/format.h"
#include "data/data.h"
#include "made_page.h"
#include "picture/pictures.h"
#include "report/layout.h"
#include "report/rows.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The page answers: where does the time go, who is worst, who is late. */
Test(page, page_says_what_it_must)
{
    struct profile *p = made_four_ranks();
    char *text = text_of(p, NULL);
    assert_has(text, "application on 4 ranks");
    assert_has(text, "MPICH Version: 4.0.2");
    assert_has(text, "alpha; 64 processors");
    assert_has(text, "wall time     2.00 s");
    assert_has(text, "CLOCK_MONOTONIC; one for all ranks");
    assert_has(text, "Most time in MPI goes to MPI_Allreduce (99.9 %)");
    assert_has(text, "3 x1.60"); /* 120 ms against a mean of 75 ms */
    assert_has(text, "from 30.1 ms (rank 0) to 120 ms (rank 3)");
    assert_has(text, "1 KiB to 2 KiB         400  400KiB");
    assert_has(text, "400KiB");
    assert_has(text, "application+0x2000"); /* no such file: module and address */
    assert_has(text, "0, 100 %");           /* the root is last in every broadcast */
    assert_has(text, "cannot be read here");
    /* No line is wider than the page. */
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        cr_assert_leq(strlen(line), 114, "%s", line);
    free(text);
    profile_free(p);
}

Test(page, lines_and_order)
{
    struct profile *p = made_four_ranks();
    char *text = text_of(p, &(struct report_options){.top = 1, .sort = "calls"});
    const char *table = strstr(text, "by operation");
    const char *bcast = table ? strstr(table, "\n  Bcast") : NULL;
    const char *more = table ? strstr(table, "and 1 more operation") : NULL;
    bool good = bcast && more && bcast < more;
    free(text);
    profile_free(p);
    cr_assert(good);
}

/* More ranks than processors: every figure is doubtful, and the page says so at the top. */
Test(page, crowded_hosts_are_called_so)
{
    struct profile *p = NULL;
    for (int r = 0; r < 4; r++) {
        struct ledger l;
        made_one_of_four(&l, r);
        l.header->processors = 2;
        l.header->section[LEDGER_SITES].dropped = 3;
        p = made_merged(p, &l);
    }
    profile_symbolize(p);
    char *text = text_of(p, NULL);
    assert_has(text, "4 ranks on 2 processors of alpha");
    assert_has(text, "not meaningful");
    assert_has(text, "dropped 12 call sites");
    free(text);
    profile_free(p);
}

/* Measurements of any shape become tables: units, intervals and parts are read off the keys. */
Test(page, findings_of_any_shape)
{
    struct profile *p = made_four_ranks();
    for (int i = 0; i < 2; i++)
        profile_add_finding(p, "other",
                            json_pack("{s:s, s:i, s:f, s:f, s:f, s:f, s:n}", "communicator", "c",
                                      "bytes", 65536, "ol_us", 6.5, "ol_low_us", 6.25, "ol_high_us",
                                      7.75, "late_percent", 12.5, "late_by_us"));
    profile_add_finding(p, "benchmark",
                        json_pack("{s:s, s:[{s:s, s:f}]}", "operation", "MPI_Bcast", "methods",
                                  "method", "held", "time_us", 3.0));
    char *text = text_of(p, NULL);
    assert_has(text, "communicator  bytes      ol     ol interval   late  late by");
    assert_has(text, "c             64KiB  6.50us  6.25us..7.75us  12.5%        -");
    assert_has(text, "operation MPI_Bcast");
    assert_has(text, "held    3.00us");
    /* Not measured: a sentence, no table whose columns have no room. */
    profile_add_finding(p, "benchmark",
                        json_pack("{s:s, s:[], s:s}", "operation", "MPI_Scan", "methods",
                                  "not_measured", "one takes 911 ms"));
    free(text);
    text = text_of(p, NULL);
    assert_has(text, "\n  operation MPI_Scan, not measured: one takes 911 ms\n");
    free(text);
    profile_free(p);
}

/* At 80 columns the columns that have no room are not explained either. */
Test(page, findings_explain_the_columns_that_they_show)
{
    struct profile *p = made_four_ranks();
    profile_add_finding(
        p, "ack",
        json_pack("{s:s, s:f, s:[{s:i, s:f, s:f, s:f, s:f, s:i, s:f, s:f, s:f, s:f, s:f}]}",
                  "operation", "MPI_Bcast", "cost_percent", 3.0, "destinations", "destination", 1,
                  "direct_us", 2.5, "direct_low_us", 2.25, "direct_high_us", 2.75, "ol_us", 14.5,
                  "acknowledged", 40000, "rtl_us", 5.5, "early_percent", 12.5, "late_percent", 25.0,
                  "late_by_us", 7877.5, "behind_percent", 12.5));
    for (int wide = 0; wide < 2; wide++) {
        char *text = text_of(p, &(struct report_options){.width = wide ? 120 : 80});
        assert_has(text, "  operation MPI_Bcast, part of the run that it cost 3 %\n");
        assert_has(text, "  to rank  latency        interval  late  late by  behind  by acks");
        assert_has(text, "by acks: ");
        cr_assert_eq(strstr(text, "round trip: of") != NULL, wide, "%s", text);
        free(text);
    }
    profile_free(p);
}

/* What would make two rows look alike: calls in one line, communicators of one size; and what one
 * row stands for. */
Test(page, no_two_rows_look_alike)
{
    struct profile *p = NULL;
    for (int r = 0; r < 2; r++) {
        struct ledger l;
        made_ledger(&l, NULL, r, 2);
        made_calls(&l, 1, OP_BCAST, 8, 10, 1000);
        made_calls(&l, 2, OP_BCAST, 8, 10, 2000);
        made_instance(&l, OP_BCAST, 0, 0, 1000, 9000);
        p = made_merged(p, &l);
    }
    profile_symbolize(p);
    for (size_t i = 0; i < p->sites.n; i++) {
        p->sites.at[i].frame[0].file = memory_strdup("heat.c");
        p->sites.at[i].frame[0].line = 7;
        p->sites.at[i].depth = p->sites.at[i].depth ? 1 : 0;
    }
    *PUSH(&p->comms) = p->comms.at[p->arrivals.at[0].comm];
    snprintf(p->comms.at[p->comms.n - 1].name, sizeof p->comms.at[0].name, "columns");
    *PUSH(&p->arrivals) = p->arrivals.at[0];
    p->arrivals.at[p->arrivals.n - 1].comm = (uint32_t)p->comms.n - 1;
    p->threads_at_once = true;
    p->ranks.at[1].mpi_ns = 9000000000;
    char *text = text_of(p, &(struct report_options){.width = 200});
    assert_has(text, "heat.c:7, call 1\n");
    assert_has(text, "heat.c:7, call 2\n");
    assert_has(text, " on columns\n");
    assert_has(text, " on MPI_COMM_WORLD\n");
    assert_has(text, "sums over a rank's threads, which is why they are more than the run");
    free(text);
    size_t size;
    FILE *out = open_memstream(&text, &size);
    data_html(p, NULL, NULL, out);
    fclose(out);
    assert_has(text, ">Bcast heat.c:7, call 1 on columns</text>");
    free(text);
    profile_free(p);
}

/* A measured operation beside the application's calls of it: said where these take half as much
 * again. */
Test(page, what_was_measured_beside_what_was_seen)
{
    for (int k = 0; k < 4; k++) {
        struct profile *p = made_four_ranks();
        const struct profile_entry *e = NULL;
        for (size_t i = 0; i < p->entries.n; i++)
            if (p->entries.at[i].comm != PROFILE_NONE && p->entries.at[i].size_class &&
                (!e || e->time_ns < p->entries.at[i].time_ns))
                e = &p->entries.at[i];
        cr_assert_not_null(e);
        double calls = 0, time = 0;
        for (size_t i = 0; i < p->entries.n; i++)
            if (p->entries.at[i].operation == e->operation && p->entries.at[i].comm == e->comm &&
                p->entries.at[i].size_class == e->size_class) {
                calls += (double)p->entries.at[i].calls;
                time += (double)p->entries.at[i].time_ns;
            }
        /* Measured: 1.6 and 1.4 times shorter, of another size, without an interval. */
        double us = time / calls / 1e3 / (k == 1 ? 1.4 : 1.6);
        long long bytes = 1LL << (e->size_class - (k != 2));
        profile_add_finding(p, "benchmark",
                            json_pack("{s:s, s:s, s:I, s:[{s:s, s:f}, {s:s, s:f, s:f, s:o, s:b}]}",
                                      "operation", p->operations.at[e->operation].name,
                                      "communicator", p->comms.at[e->comm].name, "bytes", bytes,
                                      "methods", "method", "held", "time_us", us, "method",
                                      "direct", "time_us", us, "low_us", us, "high_us",
                                      k == 3 ? json_null() : json_real(us), "at_least", 1));
        char *text = text_of(p, NULL);
        cr_assert_eq(strstr(text, "with all ranks there, as measured") != NULL, k == 0, "%s", text);
        assert_has(text, ">= ");
        free(text);
        profile_free(p);
    }
}

/* A narrow page loses columns, never its edge; what is explained is what is shown. */
Test(page, pages_fit)
{
    struct profile *p = made_four_ranks();
    for (int width = 80; width < 200; width += 17) {
        char *text = text_of(p, &(struct report_options){.width = width, .explain = width > 150});
        cr_assert_eq(strstr(text, "half of the calls were shorter") != NULL, width > 150);
        cr_assert_not_null(strstr(text, "mean  "));
        cr_assert_null(strstr(text, "no room for"));
        cr_assert_eq(strstr(text, "mean  median  call site") != NULL, width < 90, "%s", text);
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
            cr_assert_leq(layout_length(line), (size_t)width, "%s", line);
        free(text);
    }
    char *narrow = text_of(p, &(struct report_options){.width = 80, .explain = true});
    assert_has(narrow, "no room for (--width): ");
    const char *sites = strstr(narrow, "Time in MPI, by call site");
    cr_assert(sites && !strstr(sites, "99 of 100"), "explained, and not shown: %s", narrow);
    const char *late = strstr(narrow, "Collective operations");
    cr_assert(late && !strstr(late, "  duration ") && !strstr(late, "the largest duration"),
              "two columns are named max: %s", narrow);
    free(narrow);
    profile_free(p);
}

/* What is waited for has its whole name on a narrow page, too; that nothing was is said. */
Test(page, wait_states_have_their_names)
{
    struct profile *p = made_four_ranks();
    p->trace = (struct profile_trace){.on = true, .covered = 1, .wait_ns = 40000000};
    *PUSH(&p->waits) =
        (struct wait){.state = WAIT_WRONG_ORDER, .rank = 0, .calls = 10, .wait_ns = 39300000};
    p->waits.at[0].site = p->entries.at[0].site;
    for (int width = 80; width < 130; width += 20) {
        char *text = text_of(p, &(struct report_options){.width = width});
        assert_has(text, "\n  late sender, wrong order  ");
        free(text);
    }
    p->waits.n = 0;
    char *text = text_of(p, NULL);
    assert_has(text, "\nWaiting, by what was waited for\n  No call waited for a rank, as far as "
                     "can be seen; whether a root waited");
    cr_assert(!strstr(text, "is not judged"), "%s", text);
    free(text);
    uint64_t others = 0;
    for (size_t i = 1; i < p->entries.n; i++)
        others += p->entries.at[i].time_ns;
    p->entries.at[0].operation = profile_add_operation(p, "MPI_Win_fence", FAMILY_ONE_SIDED);
    p->entries.at[0].time_ns = 9 * others;
    text = text_of(p, NULL);
    assert_has(text, "90.0 % of the time in MPI is in calls on windows, files and communicators:");
    free(text);
    profile_free(p);
}

/* What gnuplot is given for a picture of P; a stand-in for it keeps that. */
static const char *drawn(const struct profile *p, const char *name)
{
    static char text[1 << 16];
    char place[] = "/tmp/page-XXXXXX", plotter[100], picture[100], script[100];
    size_t i = 0;
    cr_assert(mkdtemp(place));
    snprintf(plotter, sizeof plotter, "%s/plotter", place);
    snprintf(picture, sizeof picture, "%s/x.png", place);
    snprintf(script, sizeof script, "%s/script", place);
    FILE *file = fopen(plotter, "w");
    fprintf(file, "#!/bin/sh\ncat >%s\necho IEND\n", script);
    cr_assert_eq(fchmod(fileno(file), 0700), 0);
    fclose(file);
    setenv("GNUPLOT", plotter, 1);
    while (strcmp(pictures[i].name, name))
        i++;
    cr_assert_eq(pictures[i].draw(p, picture, &(struct picture_view){.top = 6}), PICTURE_DRAWN);
    cr_assert_not_null(file = fopen(script, "r"));
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    unlink(script);
    unlink(picture);
    unlink(plotter);
    rmdir(place);
    return text;
}

/* A line over time goes forwards, whichever communicator its points are of. */
Test(page, arrivals_are_drawn_in_the_order_of_time)
{
    struct profile *p = made_four_ranks();
    double x, before = -1;
    size_t n = 0;
    for (size_t i = 0; i < p->events.n; i++)
        p->events.at[i].entry_ns += 20000 * (int64_t)(10 - p->events.at[i].sequence);
    const char *at = strchr(strstr(drawn(p, "arrivals"), "\nplot ") + 1, '\n');
    for (; sscanf(at, "%lf", &x) == 1; n++, before = x, at = strchr(at + 1, '\n'))
        cr_assert_gt(x, before);
    cr_assert_eq(n, 10);
    profile_free(p);
}

/* Names of any length leave a picture its room. */
Test(page, pictures_have_room_beside_their_keys)
{
    struct profile *p = made_four_ranks();
    for (size_t i = 0; i < p->sites.n; i++)
        for (size_t f = 0; f < p->sites.at[i].depth; f++) {
            p->sites.at[i].frame[f].line = (uint32_t)i + 41;
            p->sites.at[i].frame[f].file = memory_strdup("solver.cpp");
            p->sites.at[i].frame[f].function = memory_strdup(
                "solver::exchange<std::array<double, 3>, std::allocator<double>>::run_to_the_end");
        }
    const char *text = drawn(p, "durations");
    size_t seen = 0;
    for (const char *at = text; (at = strstr(at, "MPI_")); seen++) {
        at += strcspn(at, " ");
        cr_assert(strcspn(at, "'") <= 29 && !strncmp(at, " solver.cpp:4", 13), "%.99s", at);
    }
    cr_assert_gt(seen, 0, "%s", text);
    profile_free(p);
}

/* Every key that a table of the page names is there: an unknown one would be missing in silence. */
Test(page, every_table_has_its_columns)
{
    struct profile *p = made_four_ranks();
    char *text = text_of(p, &(struct report_options){.width = 300});
    assert_has(
        text,
        "operation  calls   bytes  time/rank  % MPI    mean  median     p99     max    worst\n");
    assert_has(text, "max    worst  call site\n");
    assert_has(text,
               "ranks  instances    skew     max  last rank  waiting  duration     max  call");
    assert_has(text, "rank   wall  in MPI  % run  calls  last in  ended      host\n");
    assert_has(text, "region  entered  time/rank  MPI/rank  % MPI  MPI calls\n");
    free(text);
    profile_free(p);
}

/* Nothing was recorded is not that nothing took any time. */
Test(page, what_was_never_recorded_is_no_zero)
{
    struct profile *p = made_four_ranks();
    p->entries.n = 0;
    for (size_t i = 0; i < p->ranks.n; i++)
        p->ranks.at[i].calls = 0;
    char *text = text_of(p, NULL);
    assert_has(text, "time in MPI   not recorded: recording was never on (--start=no");
    cr_assert_null(strstr(text, "MPI calls"));
    free(text);
    profile_free(p);
}

/* What no row can name is said, if it matters; where no call sites were asked for it is no loss. */
Test(page, time_without_a_call_site_is_said)
{
    static const struct {
        uint64_t time; /* of 100,000 */
        uint32_t stack_depth;
        uint64_t dropped;
        const char *said;
    } known[] = {{990, 4, 7, NULL},
                 {1010, 4, 7, "1.0 % of the time in MPI has no call site: the table"},
                 {50000, 4, 0, "50.0 % of the time in MPI has no call site.\n"},
                 {50000, 0, 0, NULL}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct profile *p = profile_new();
        struct profile_site site = {.depth = 1, .frame[0].module = PROFILE_NONE};
        struct profile_entry e = {.site = profile_add_site(p, &site),
                                  .operation = profile_add_operation(p, "MPI_Send", FAMILY_SEND),
                                  .comm = PROFILE_NONE,
                                  .region = PROFILE_NONE,
                                  .calls = 1,
                                  .time_ns = 100000 - known[i].time};
        uint64_t histogram[HISTOGRAM_BUCKETS] = {1};
        e.histogram = histogram;
        profile_add_entry(p, &e);
        e.site = PROFILE_NONE;
        e.time_ns = known[i].time;
        profile_add_entry(p, &e);
        /* The start of MPI has no call site, and is not in the time in MPI. */
        e.operation = profile_add_operation(p, "MPI_Init", FAMILY_LIFECYCLE);
        e.time_ns = 200000;
        profile_add_entry(p, &e);
        struct profile_rank *rank = PUSH(&p->ranks);
        *rank = (struct profile_rank){
            .state = LEDGER_FINALIZED, .calls = 2, .mpi_ns = 100000, .wall = 2e-4};
        rank->dropped[LEDGER_SITES] = known[i].dropped;
        rank->host = profile_add_host(p, &(struct profile_host){.name = "alpha", .ranks = 1});
        p->stack_depth = known[i].stack_depth;
        char *text = text_of(p, NULL);
        cr_assert_eq(strstr(text, "has no call site") != NULL, known[i].said != NULL,
                     "case %zu: %s", i, text);
        cr_assert(!known[i].said || strstr(text, known[i].said), "case %zu: %s", i, text);
        free(text);
        profile_free(p);
    }
}

/* Sums of a damaged record may exceed every integer; converting such a double is undefined. */
Test(page, counts_beyond_integers)
{
    static const struct {
        double sum;
        uint64_t count;
    } of[] = {{-1, 0},
              {NAN, 0},
              {0, 0},
              {7, 7},
              {0x1p63, 1ULL << 63},
              {0x1p64, UINT64_MAX},
              {INFINITY, UINT64_MAX}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        cr_assert_eq(whole_count(of[i].sum), of[i].count, "%g", of[i].sum);
    cr_assert_eq(within_far(1e300), FAR_NS);
    cr_assert_eq(within_far(-1e300), -FAR_NS);
    cr_assert_eq(whole_ns(1e300), FAR_NS);
    struct figure calls = {.key = "calls", .unit = UNIT_COUNT};
    char text[32];
    figure_show(&calls, 0x1p64, text, sizeof text);
    cr_assert_str_eq(text, "18446744074G", "%s", text);
}

/* One rank that broadcasts, without call sites, requests or anything sent. */
Test(page, tables_that_have_nothing_to_say_are_not_there)
{
    static const char *const title[] = {"Time in MPI, by call site", "Non-blocking requests",
                                        "Messages, by sender", "Ranks, most time"};
    for (int all = 0; all < 2; all++) {
        struct profile *p = NULL;
        for (int r = 0; r <= all; r++) {
            struct ledger l;
            made_ledger(&l, NULL, r, 1 + all);
            made_calls(&l, 1, all ? OP_ISEND : OP_BCAST, 8, 4, 1000)->completed = all ? 4 : 0;
            p = made_merged(p, &l);
        }
        profile_symbolize(p);
        p->stack_depth = all ? 3 : 0;
        *PUSH(&p->peers) = (struct profile_peer){
            .site = PROFILE_NONE, .operation = PROFILE_NONE, .received = !all, .messages = 1};
        char *text = text_of(p, &(struct report_options){.top = 10, .width = 120});
        for (size_t i = 0; i < sizeof title / sizeof *title; i++)
            cr_expect_eq(strstr(text, title[i]) != NULL, all, "%s: %s", title[i], text);
        free(text);
        profile_free(p);
    }
}
