/* Protects figures: how they are shown, what word they become, and by which rows are sorted. */
#include "base/format.h"
#include "base/histogram.h"
#include "made_profile.h"
#include "report/report.h"

/* The cell in ROW of a table, as in JSON; NaN: it is empty. */
static double cell_of(const struct document *d, const char *table, size_t row, const char *column)
{
    json_t *json = document_json(d);
    const json_t *tables = json_object_get(json, "tables"),
                 *rows = json_object_get(json_object_get(tables, table), "rows"),
                 *cells = json_array_get(rows, row);
    cr_assert(json_object_get(cells, column), "no %s in %s", column, table);
    const json_t *cell = json_object_get(cells, column);
    double value = json_is_number(cell) ? json_number_value(cell) : NAN;
    json_decref(json);
    return value;
}

/* Waiting is unknown in collectives where it is unknown who waits for whom: these rows come last,
 * however long they took. */
Test(figures, rows_without_the_figure_come_last)
{
    struct profile *p RELEASED(profile_end) = profile_new();
    uint32_t comm = profile_add_comm(p, &(struct profile_comm){.site = PROFILE_NONE, .size = 2});
    static const char *const operation[] = {"MPI_Ibcast", "MPI_Barrier", "MPI_Allreduce"};
    for (uint32_t i = 0; i < 3; i++)
        *PUSH(&p->arrivals) = (struct profile_arrival){
            .site = PROFILE_NONE,
            .operation =
                profile_add_operation(p, operation[i], i ? FAMILY_COLLECTIVE : FAMILY_ICOLLECTIVE),
            .comm = comm,
            .instances = 1,
            .wait_ns = i ? 1000 * i : 9000};
    struct document *d RELEASED(document_end) =
        report_document(p, &(struct report_options){.full = true});
    cr_expect_float_eq(cell_of(d, "collectives", 0, "wait"), 2, 1e-9);
    cr_expect_float_eq(cell_of(d, "collectives", 1, "wait"), 1, 1e-9);
    cr_expect(isnan(cell_of(d, "collectives", 2, "wait")));
}

static double figure_of(const struct profile *p, const char *table, const char *column)
{
    struct document *d = report_document(p, &(struct report_options){.full = true});
    double value = cell_of(d, table, 0, column);
    document_free(d);
    return value;
}

/* Two ranks, 2 s each: 0.5 s in MPI, in a region for 0.8 s, late by 2 us of 8 us twice. */
Test(figures, of_ranks_collectives_and_regions)
{
    struct profile *p;
    struct ledger l;
    for (int r = 0; made_next(&p, &l, r, 2); r++) {
        made_calls(&l, 1, OP_BCAST, 8, 10, 50000000)->region = 1;
        l.regions[1].time_ns = 800000000;
        for (uint32_t i = 0; i < 2; i++)
            made_instance(&l, OP_BCAST, i, 0, 10000 * i + (r ? 0 : 2000), 10000 * i + 8000);
    }
    profile_symbolize(p);
    cr_assert_float_eq(figure_of(p, "ranks", "mpi"), 5e5, 1e-9);
    cr_assert_float_eq(figure_of(p, "ranks", "mpi_share"), 25, 1e-9);
    cr_assert_float_eq(figure_of(p, "regions", "mpi_share"), 62.5, 1e-9);
    cr_assert_float_eq(figure_of(p, "regions", "time_per_rank"), 8e5, 1e-9);
    cr_assert_float_eq(figure_of(p, "regions", "mpi_per_rank"), 5e5, 1e-9);
    cr_assert_float_eq(figure_of(p, "regions", "efficiency"), 37.5, 1e-9);
    cr_assert_float_eq(figure_of(p, "regions", "load_balance"), 100, 1e-9);
    cr_assert_float_eq(figure_of(p, "collectives", "wait"), 4, 1e-9);
    cr_assert_float_eq(figure_of(p, "collectives", "waiting"), 400.0 / 28, 1e-9);
    cr_assert_float_eq(figure_of(p, "call_sites", "waiting"), 400.0 / 28, 1e-9);
    cr_assert_float_eq(figure_of(p, "call_sites", "of_run"), 25, 1e-9);
    cr_assert_float_eq(figure_of(p, "call_sites", "share"), 100, 1e-9);
    json_decref(p->arrivals.at[0].late);
    json_decref(p->arrivals.at[0].outside);
    p->arrivals.n = 0;
    cr_assert(isnan(figure_of(p, "call_sites", "waiting")));
    p->trace = (struct profile_trace){.on = true, .covered = 1};
    p->operations.at[p->entries.at[0].operation].family = FAMILY_IO; /* not in the trace */
    cr_assert(isnan(figure_of(p, "call_sites", "waiting")));
    profile_free(p);
}

/* Rank 1 takes 0.6 s in a region, all of it outside of MPI; rank 0 0.2 s, half of it in MPI; a
 * third one was killed in it, so that its time there is unknown. */
Test(figures, of_regions_that_are_not_balanced)
{
    struct profile *p RELEASED(profile_end) = NULL;
    for (int r = 0; r < 3; r++) {
        struct ledger l;
        made_ledger(&l, NULL, r, 3);
        made_calls(&l, 1, OP_BCAST, 8, 1, r == 2 ? 700000000 : r ? 0 : 100000000)->region = 1;
        l.regions[1].time_ns = r ? 600000000 : 200000000;
        p = made_merged(p, &l);
        if (r != 1)
            continue;
        profile_symbolize(p);
        cr_expect_float_eq(figure_of(p, "regions", "efficiency"), 100 * 350.0 / 600, 1e-9);
        cr_expect_float_eq(figure_of(p, "regions", "load_balance"), 100 * 350.0 / 600, 1e-9);
        cr_expect_eq(figure_of(p, "regions", "slowest"), 1);
    }
    cr_expect_eq(p->regions.at[0].outside.ranks, 2);
}

/* One row of each, of two ranks, with numbers of which no two figures are alike; in us. */
Test(figures, of_one_row_of_each_table)
{
    static const struct {
        const char *table, *key;
        double value;
    } known[] = {{"operations", "calls", 10},
                 {"operations", "bytes", 640},
                 {"operations", "time_per_rank", 2},
                 {"operations", "mean", 0.5},
                 {"operations", "max", 1.1},
                 {"operations", "excluded", 2},
                 {"operations", "slowest_rank", 1},
                 {"operations", "slowest_ratio", 1.5},
                 {"requests", "requests", 5},
                 {"requests", "compute", 3},
                 {"requests", "complete", 60},
                 {"requests", "wait_per_rank", 7},
                 {"collectives", "members", 2},
                 {"collectives", "instances", 8},
                 {"collectives", "population", 16},
                 {"collectives", "skew", 0.3},
                 {"collectives", "cost_rank", 1},
                 {"collectives", "wait", 0.6},
                 {"collectives", "waiting", 30},
                 {"collectives", "duration", 0.7},
                 {"waits", "time", 0.2},
                 {"waits", "calls", 4},
                 {"waits", "for_rank", 3},
                 {"messages", "rank", 1},
                 {"messages", "peer", 2},
                 {"transport", "sends", 10},
                 {"transport", "receives", 12},
                 {"transport", "same_call", 62.5},
                 {"transport", "other_call", 25},
                 {"transport", "outside", 12.5},
                 {"slices", "efficiency", 45},
                 {"slices", "load_balance", 50},
                 {"slices", "communication", 90},
                 {"slices", "slowest", 6},
                 {"causes", "error", 0.05},
                 {"slices", "begin", 2},
                 {"slices", "end", 3}};
    struct profile *p RELEASED(profile_end) = profile_new();
    uint64_t histogram[HISTOGRAM_BUCKETS] = {[3] = 8};
    uint32_t bcast = profile_add_operation(p, "MPI_Bcast", FAMILY_COLLECTIVE),
             comm = profile_add_comm(p, &(struct profile_comm){.site = PROFILE_NONE, .size = 2}),
             site = profile_add_site(
                 p, &(struct profile_site){.depth = 1, .frame = {{.module = PROFILE_NONE}}});
    PUSH(&p->hosts)->ranks = 2;
    for (int r = 0; r < 2; r++)
        *PUSH(&p->ranks) = (struct profile_rank){.rank = r, .state = LEDGER_FINALIZED, .wall = 1};
    profile_add_entry(p, &(struct profile_entry){.site = site,
                                                 .operation = bcast,
                                                 .comm = comm,
                                                 .region = PROFILE_NONE,
                                                 .calls = 10,
                                                 .excluded = 2,
                                                 .bytes = 640,
                                                 .time_ns = 4000,
                                                 .max_ns = 1100,
                                                 .completed = 5,
                                                 .post_to_wait_ns = 15000,
                                                 .complete_at_wait = 3,
                                                 .wait_ns = 14000,
                                                 .histogram = histogram});
    profile_group(p, PROFILE_NONE, bcast)->spread =
        (struct spread){.sum = 4000, .min = 1000, .max = 3000, .ranks = 2, .worst = 1};
    *PUSH(&p->arrivals) = (struct profile_arrival){.site = site,
                                                   .operation = bcast,
                                                   .comm = comm,
                                                   .instances = 8,
                                                   .population = 16,
                                                   .skew_median_ns = 300,
                                                   .duration_median_ns = 700,
                                                   .time_ns = 2000,
                                                   .wait_ns = 600,
                                                   .cost_rank = 1,
                                                   .cost_ns = 500};
    p->trace.wait_ns = 400, p->trace.calls_ns = 1000;
    *PUSH(&p->waits) = (struct wait){.operation = bcast, .rank = 3, .calls = 4, .wait_ns = 200};
    *PUSH(&p->peers) = (struct profile_peer){.site = PROFILE_NONE,
                                             .operation = bcast,
                                             .rank = 1,
                                             .peer = 2,
                                             .messages = 3,
                                             .bytes = 192};
    *PUSH(&p->below) = (struct net_row){.operation = bcast,
                                        .sends = 10,
                                        .receives = 12,
                                        .same_call = 5,
                                        .other_call = 2,
                                        .outside = 1};
    *PUSH(&p->causes) = (struct root_cause){.operation = bcast, .direct_ns = 100, .error_ns = 50};
    *PUSH(&p->slices) = (struct run_slice){2000, 3000, 0.45, 0.9, 6};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double value = figure_of(p, known[i].table, known[i].key);
        cr_expect_float_eq(value, known[i].value, 1e-9, "%s of %s: %g", known[i].key,
                           known[i].table, value);
    }
    p->arrivals.at[0].cost_ns = 0;
    cr_expect(isnan(figure_of(p, "collectives", "cost_rank")));
    p->ranks.at[0].in_call = ++p->entries.at[0].calls; /* in which it was killed */
    cr_expect(isnan(figure_of(p, "operations", "time_per_rank")));
}

/* Communicators without a name are called by their ranks, and those of several names say so. */
Test(figures, of_communicators_without_one_name)
{
    static const char *const known[][2] = {
        {"x", "x"}, {"", "2 ranks from 1"}, {"(several names)", "2 ranks from 1, several names"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct profile *p = profile_new();
        struct profile_comm comm = {.site = PROFILE_NONE, .size = 2, .root_world_rank = 1};
        char text[COMM_LABEL];
        strcpy(comm.name, known[i][0]);
        comm_label(p, profile_add_comm(p, &comm), text);
        cr_assert_str_eq(text, known[i][1]);
        profile_free(p);
    }
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
    cr_assert_str_eq(format_shift(text, 12345), "+12.3 us");
    cr_assert_str_eq(format_shift(text, -850), "-850 ns");
    cr_assert_str_eq(format_shift(text, NAN), "unknown");
    cr_assert_str_eq(format_bytes(text, 0), "0 B");
    cr_assert_str_eq(format_bytes(text, 1023), "1023 B");
    cr_assert_str_eq(format_bytes(text, 65536), "64 KiB");
    cr_assert_str_eq(format_bytes(text, 1.25 * 1073741824), "1.25 GiB");
    cr_assert_str_eq(format_count(text, 999), "999");
    cr_assert_str_eq(format_count(text, 12345), "12,345");
    cr_assert_str_eq(format_count(text, 1002003), "1,002,003");
    cr_assert_str_eq(format_count(text, 12345678), "12.3 M");
}
