/* Protects what is said to differ between runs: the same places in edited programs, causes before
 * effects. */
#include "compare/compare.h"
#include "profile/model.h"
#include "timeline/timeline.h"
#include "unit.h"

enum { STEPS = 40 };
#define MS 1000000

struct made {
    int line;      /* of the first of two sums; the other is ten lines below */
    double before; /* ms that rank 1 spends before the second sum; rank 0: 1 */
    double jitter; /* ms */
    double own;    /* ms more that each of the first sums takes by itself */
    bool apart;    /* rank 1 has no part in the second: the other receives from it */
};

/* One rank of two that sum up in turn at two places; all wait for rank 1. */
static struct profile *made_rank(uint32_t rank, const struct made *m)
{
    struct profile *p = profile_new();
    uint32_t sum = profile_add_operation(p, "MPI_Allreduce", FAMILY_COLLECTIVE);
    uint32_t comm = profile_add_comm(p, &(struct profile_comm){2, 1, .created = 1, .name = "w"});
    double other = fmax(1, m->before) + m->jitter, step = 1 + other + 0.02 + m->own, mpi = 0;
    for (int place = 0; place < (m->apart && rank ? 1 : 2); place++) {
        uint64_t histogram[HISTOGRAM_BUCKETS] = {0};
        const struct profile_frame frame = {.module = PROFILE_NONE,
                                            .address = (uint64_t)(m->line + 10 * place)};
        uint32_t site = profile_add_site(p, &(struct profile_site){.depth = 1, .frame = {frame}});
        double outside = place ? (rank ? m->before : 1) + m->jitter : 1;
        double wait = place ? other - outside : 0;
        double took = wait + 0.01 + (place ? 0 : m->own);
        uint64_t ns = (uint64_t)(took * MS);
        histogram[histogram_bucket(ns)] = STEPS;
        mpi += STEPS * took * MS;
        profile_add_entry(p, &(struct profile_entry){.site = site,
                                                     .operation = sum,
                                                     .comm = comm,
                                                     .region = PROFILE_NONE,
                                                     .calls = STEPS,
                                                     .time_ns = STEPS * ns,
                                                     .min_ns = ns,
                                                     .max_ns = ns,
                                                     .histogram = histogram});
        for (uint32_t i = 0; i < STEPS; i++) {
            double end = i * step + (place ? step : 1.01 + m->own);
            *PUSH(&p->instances) =
                (struct profile_instance){.comm_id = 1,
                                          .exit_ns = (int64_t)(end * MS),
                                          .entry_ns = (int64_t)(end * MS) - (int64_t)ns,
                                          .outside_ns = (int64_t)(outside * MS),
                                          .sequence = 2 * i + (uint32_t)place,
                                          .rank = rank,
                                          .site = site,
                                          .operation = sum,
                                          .comm = comm,
                                          .comm_rank = rank,
                                          .root = -1};
        }
    }
    profile_add_host(p, &(struct profile_host){.name = "alpha", .ranks = 1});
    *PUSH(&p->ranks) = (struct profile_rank){.rank = (int32_t)rank,
                                             .wall = STEPS * step / 1000,
                                             .mpi_ns = (uint64_t)mpi,
                                             .lifecycle_ns = 300 * MS, /* beside wall */
                                             .delayed_ns = -1};
    return p;
}

static struct profile *made_run(struct made m)
{
    struct profile *p = made_rank(0, &m);
    p->stack_depth = 1;
    profile_merge(p, made_rank(1, &m));
    table_sort(p, TABLE_INSTANCES);
    arrivals_find(p);
    for (size_t i = 0; i < p->sites.n; i++) {
        struct profile_frame *f = &p->sites.at[i].frame[0];
        f->line = (uint32_t)f->address;
        f->function = memory_strdup("solve");
        f->file = memory_strdup("solve.c");
    }
    return p;
}

/* ALGORITHM[1] makes the sums of the runs after the N-th, [0] those before; NULL: unknown. */
static const char *algorithm[2], *library = "Open MPI v4.1.4", *later = "Open MPI v4.1.4";

/* Of the runs before and after: the fastest send of 1 KiB, ns, and whether rank 1 has another host
 * than rank 0. */
static uint64_t send_ns[2] = {100, 100}, once[HISTOGRAM_BUCKETS] = {[3] = 1},
                *timed[2] = {once, once};
static bool apart[2];
/* What the runs after say about their rules; a variable of runs but the second, and those after
 * need not have all. */
static const char *refused = "", *variable[2] = {"", ""};
static uint64_t sum_ms[2]; /* what all ranks take in sums of 1.5 KiB at SUM_PLACE, 0 or 1 */
static int sum_place;
/* What all ranks take in sends of 1 KiB, and how many there are. */
static uint64_t send_ms[2], sends[2] = {1, 1};
static double spread = 0.004; /* ms between the jitters of runs */

static struct document *compared; /* the last comparison */
static struct tuned_set *tuned;   /* whose rules the runs after used, or NULL */

static void compare(struct made before, struct made after, size_t n, double limit,
                    enum status *gate)
{
    struct profile *run[2 * 8];
    const char *name[2 * 8];
    for (size_t i = 0; i < 2 * n; i++) {
        struct made m = i < n ? before : after;
        m.jitter = spread * (double)(i % n * 3 % 5);
        run[i] = made_run(m);
        run[i]->ranks.at[1].host +=
            apart[i >= n] ? profile_add_host(run[i], &(struct profile_host){.name = "beta"}) : 0;
        const struct profile_entry sum = run[i]->entries.at[sum_place];
        const uint32_t send = profile_add_operation(run[i], "MPI_Send", FAMILY_SEND);
        for (uint32_t comm = 0; comm < 2; comm++)
            profile_add_entry(run[i],
                              &(struct profile_entry){.site = sum.site,
                                                      .operation = send,
                                                      .comm = comm ? PROFILE_NONE : 0,
                                                      .region = PROFILE_NONE,
                                                      .size_class = size_class_of(1024),
                                                      .calls = sends[i >= n],
                                                      .bytes = 1024 * sends[i >= n],
                                                      .time_ns = send_ms[i >= n] * MS,
                                                      .min_ns = send_ns[i >= n] + 400 * comm,
                                                      .histogram = timed[i >= n]});
        profile_add_entry(run[i], &(struct profile_entry){.site = sum.site,
                                                          .operation = sum.operation,
                                                          .comm = sum.comm,
                                                          .region = PROFILE_NONE,
                                                          .size_class = size_class_of(1024),
                                                          .calls = 2,
                                                          .bytes = 3072,
                                                          .time_ns = sum_ms[i >= n] * MS,
                                                          .histogram = once});
        if (algorithm[i >= n])
            profile_add_finding(run[i], "algorithms",
                                json_pack("{s:s, s:i, s:i, s:i, s:s}", "operation", "MPI_Allreduce",
                                          "ranks", 2, "bytes", 0, "calls", 80, "algorithm",
                                          algorithm[i >= n]));
        profile_add_text(run[i], TABLE_LIBRARIES, i < n ? library : later);
        profile_add_text(run[i], TABLE_WARNINGS, i == n ? refused : "");
        profile_add_text(run[i], TABLE_VARIABLES, i == 1 ? "" : variable[i >= n]);
        run[i]->has_variables = i < n;
        name[i] = i < n ? "before" : "after";
    }
    document_free(compared);
    compared = compare_document(&(struct compare_request){run, n, n, tuned, name, limit}, gate);
    for (size_t i = 0; i < 2 * n; i++)
        profile_free(run[i]);
}

/* The text of the finding KEY; "": there is none. */
static const char *found_text(const struct document *d, const char *key)
{
    const json_t *f;
    for (size_t i = 0; (f = json_array_get(document_finding_list(d), i)); i++)
        if (!strcmp(json_string_value(json_object_get(f, "key")), key))
            return json_string_value(json_object_get(f, "text"));
    return "";
}

/* The text of the I-th finding after that about the set-up; "" behind the last. */
static const char *finding(size_t i)
{
    i += *found_text(compared, "setup") != '\0';
    return json_text_at(json_array_get(document_finding_list(compared), i), "text");
}

#define SAYS(i, part) cr_expect(strstr(finding(i), part), "%s", finding(i))

/* Behind the run, the first finding begins as EXPECTED. */
static void expect_first(struct made before, struct made after, const char *expected)
{
    compare(before, after, 5, NAN, NULL);
    SAYS(1, expected);
}

static const char sums_longer[] =
    "MPI_Allreduce of 0 B on 2 ranks (w) at solve.c:10 solve takes longer";
static const struct made usual = {10, 1, 0, 0, false};

Test(compare, the_cause_comes_before_its_effect)
{
    compare(usual, (struct made){10, 1.5, 0, 0, false}, 5, NAN, NULL);
    SAYS(0, " ms), +25 %, exact rank test p = 0.0079: slower");
    SAYS(1, "Rank 1 spends more time outside of MPI: 80.");
    SAYS(2, "In MPI_Allreduce at solve.c:20 solve ranks wait longer for the last rank: 0 -> 10.0 ");
    SAYS(2,
         "ms per rank, median change +10.0 ms (95 % CI +10.0 ms to +10.0 ms), +12 % of the run.");
    cr_expect_str_eq(finding(3), "");
    /* Whatever its share: the rank's time grows more than the run; then the sums' more than it. */
    expect_first((struct made){10, 1, 0, 0.2, false}, (struct made){10, 1.5, 0, 0, false},
                 "Rank 1 spends more time outside of MPI");
    expect_first(usual, (struct made){10, 1.2, 0, 0.6, false}, sums_longer);
    SAYS(2, "Rank 1 spends more time outside of MPI");
    /* Nor what is larger, but against the run: rank 0 computes longer than either. */
    expect_first((struct made){10, 0.2, 0, 0.3, false}, (struct made){10, 0.9, 0, 0, false},
                 "MPI_Allreduce of 0 B on 2 ranks (w) at solve.c:10 solve takes less time by");
    SAYS(2, "Rank 1 spends more time outside of MPI");
}

Test(compare, what_runs_show_comes_first_if_they_differ)
{
    const struct made slower = {14, 1, 0, 0.5, false};
    send_ns[1] = 300;
    expect_first(usual, slower,
                 "fastest MPI_Send of 1 KiB or more took 100 ns in A and 300 ns in B: it may");
    SAYS(2, sums_longer);
    apart[1] = true; /* explains slower sends */
    expect_first(usual, slower, "Pairs of ranks that share a host: no longer 0-1.");
    compare(usual, usual, 5, NAN, NULL);
    cr_expect_str_eq(finding(1), "");
    apart[1] = false;
    send_ns[0] = 0;
    timed[0] = NULL;
    expect_first(usual, slower, sums_longer); /* its line has moved */
    SAYS(1, " takes longer by 500 us a call, without waiting");
    cr_expect_str_eq(finding(2), "");
    send_ns[0] = 100;
    send_ns[1] = 299;
    timed[0] = once;
    expect_first(usual, slower, sums_longer);
    apart[0] = true;
    expect_first(usual, slower, "Pairs of ranks that share a host: now 0-1.");
}

Test(compare, what_the_runs_were_started_with)
{
    later = "MPICH 4.0.2";
    apart[1] = true;
    variable[0] = "UCX_AB=2";
    variable[1] = "UCX_A=3";
    compare(usual, usual, 2, NAN, NULL);
    cr_expect_str_eq(json_text_at(json_array_get(document_finding_list(compared), 0), "text"),
                     "The runs differ in: MPI library Open MPI v4.1.4 -> MPICH 4.0.2; hosts 1 -> "
                     "2; UCX_AB several -> unknown; UCX_A not set -> 3.");
}

Test(compare, names_the_size_that_changes_most)
{
    sum_ms[0] = sum_ms[1] = 300;
    expect_first(usual, (struct made){10, 1, 0, 0.5, false}, sums_longer);
    sum_ms[1] = 400;
    sum_place = 1;
    expect_first(
        usual, (struct made){10, 1, 0, 0.5, false},
        "Allreduce of 1.50 KiB on 2 ranks (w) at solve.c:20 solve takes longer by 50.0 ms a call");
    SAYS(2, sums_longer);
    sum_ms[1] = 300;
    send_ms[1] = 200;
    expect_first(usual, usual, "Send of 1 KiB at solve.c:20 solve takes longer by 200 ms a call");
    sends[1] = 2;
    expect_first(usual, usual,
                 "Send of 1 KiB at solve.c:20 solve takes longer in 1 -> 2 calls a rank");
}

Test(compare, the_interval_of_a_run_must_lie_beyond_its_floor)
{
    compare(usual, (struct made){10, 1, 0, 0.014, false}, 5, NAN, NULL);
    SAYS(0, "p = 0.016: undecided with 5 + 5 runs");
    compare(usual, (struct made){10, 1, 0, 0.02, false}, 5, NAN, NULL);
    SAYS(0, "slower");
    spread = 0.0001;
    compare(usual, (struct made){10, 1, 0, 0.001, false}, 5, NAN, NULL);
    SAYS(0, "p = 0.0079: no difference above 0.25 %");
}

Test(compare, nothing_is_found_between_equal_runs_or_with_too_few)
{
    compare(usual, usual, 5, NAN, NULL);
    SAYS(0, "undecided with 5 + 5 runs");
    cr_expect_str_eq(finding(1), "");
    compare(usual, (struct made){10, 1.5, 0, 0, false}, 1, NAN, NULL);
    SAYS(0, "undecided with 1 + 1 runs");
    cr_expect_str_eq(finding(1), "");
}

Test(compare, the_gate_has_three_outcomes)
{
    static const struct {
        double before, limit;
        size_t runs;
        enum status gate;
        const char *key, *text;
    } row[] = {{1.5, 0.05, 5, STATUS_SLOWER, "gate_failed", "Limit of 5 %: failed"},
               {1.5, 0.5, 5, STATUS_GOOD, "gate_passed", "Limit of 50 %: passed"},
               {1.5, 0.05, 3, STATUS_UNDECIDED, "gate_undecided", "Limit of 5 %: undecided"},
               {1, 0.05, 5, STATUS_GOOD, "gate_passed", "Limit of 5 %: passed"}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        enum status gate = STATUS_SLOWER;
        compare(usual, (struct made){10, row[i].before, 0, 0, false}, row[i].runs, row[i].limit,
                &gate);
        cr_expect(gate == row[i].gate && strstr(found_text(compared, row[i].key), row[i].text),
                  "%zu", i);
    }
}

/* --- runs with different numbers of ranks --- */

/* The last of RANKS computes for LONGEST s, the others for 1 s; the run takes WALL s. */
static struct profile *made_scaled(int ranks, double longest, double wall)
{
    struct profile *p = profile_new();
    p->size = ranks;
    for (int r = 0; r < ranks; r++)
        *PUSH(&p->ranks) = (struct profile_rank){
            .rank = r,
            .wall = wall,
            .mpi_ns = (uint64_t)(1e9 * (wall - (r + 1 == ranks ? longest : 1)) + 0.5)};
    return p;
}

static double scaled(const struct document *scaling, size_t row, const char *column)
{
    json_t *json = document_json(scaling);
    const json_t *table = json_object_get(json_object_get(json, "tables"), "scale");
    const double x = json_number_at(json_array_get(json_object_get(table, "rows"), row), column);
    json_decref(json);
    return x;
}

Test(scale, factors_have_closed_forms)
{
    /* The fastest run of 2 ranks, given twice, is the reference. Those of 4 have a trace. */
    struct profile *run[4] = {made_scaled(4, 2, 4), made_scaled(2, 1, 5), made_scaled(2, 1, 1.25)};
    enum status gate;
    run[3] = run[2];
    run[0]->trace.replay = (struct replay_check){.replayed_ns = 4000, .ideal_ns = 3000};
    for (int weak = 0; weak < 2; weak++) {
        const double least = weak ? 0.2 : 0.4 * 0.3125;
        struct document *scaling = scaling_document(run, 4, weak, least * 1.01, &gate);
        cr_expect_eq(gate, STATUS_SLOWER);
        cr_expect_eq(scaled(scaling, 0, "ranks"), 2);
        cr_expect_float_eq(scaled(scaling, 0, "parallel"), 80, 1e-6);
        cr_expect(isnan(scaled(scaling, 0, "transfer")));
        cr_expect_float_eq(scaled(scaling, 1, "parallel"), 20, 1e-6);
        cr_expect_float_eq(scaled(scaling, 2, "parallel"), 100 * 1.25 / 4, 1e-6);
        cr_expect_float_eq(scaled(scaling, 2, "load_balance"), 100 * 1.25 / 2, 1e-6);
        cr_expect_float_eq(scaled(scaling, 2, "speedup"), 1.25 / 4, 1e-6);
        cr_expect_float_eq(scaled(scaling, 2, "communication"), 50, 1e-6);
        cr_expect_float_eq(scaled(scaling, 2, "transfer"), 75, 1e-6);
        cr_expect_float_eq(scaled(scaling, 2, "serialisation"), 100 * 2.0 / 3, 1e-6);
        cr_expect_float_eq(scaled(scaling, 2, "computation"), weak ? 80 : 40, 1e-6);
        cr_expect(weak || strstr(found_text(scaling, "falls_most"),
                                 "computation scaling falls most: from 100.0 % to 40.0 %"));
        document_free(scaling);
        document_free(scaling_document(run, 3, weak, least * 0.99, &gate));
        cr_expect_eq(gate, STATUS_GOOD);
    }
    run[0]->ranks.at[1].in_call = true; /* it was cut off, and is given twice */
    run[3] = run[0];
    struct document *scaling = scaling_document(run, 4, false, 0.19, &gate);
    cr_expect_eq(gate, STATUS_UNDECIDED);
    cr_expect(strstr(found_text(scaling, "unknown_factors"), "of 1 of 3 runs"));
    document_free(scaling);
    /* Among runs of 2 ranks nothing falls; one cut off outside of calls is no reference. */
    for (int cut = 0; cut < 2; cut++) {
        run[2]->ranks.at[0].state = cut ? PROFILE_CUT_OFF : LEDGER_FINALIZED;
        scaling = scaling_document(run + 1, 2, false, NAN, &gate);
        cr_expect_eq(gate, STATUS_GOOD);
        cr_expect_float_eq(scaled(scaling, 0, "parallel"), cut ? 20 : 80, 1e-6);
        cr_expect_str_eq(found_text(scaling, "falls_most"), "");
        document_free(scaling);
    }
    for (size_t i = 0; i < 3; i++)
        profile_free(run[i]);
}

/* Of traced runs a factor of communication, not their product; the fastest with 4 ranks. */
Test(scale, factors_of_traces)
{
    struct profile *run[] = {made_scaled(2, 1, 1.25), made_scaled(4, 2, 50), made_scaled(4, 2, 5)};
    enum status gate;
    run[0]->run_id = run[2]->run_id = 7; /* as in a simulation, whose time begins anew */
    run[0]->trace.replay = (struct replay_check){.replayed_ns = 1250, .ideal_ns = 1000};
    run[2]->trace.replay = (struct replay_check){.replayed_ns = 4000, .ideal_ns = 3000};
    struct document *scaling = scaling_document(run, 3, true, NAN, &gate);
    cr_expect_str_eq(found_text(scaling, "falls_most"),
                     "From 2 to 4 ranks, serialisation falls most: from 100.0 % to 53.3 %.");
    document_free(scaling);
    /* By its trace 4 ranks would take less than the longest computation: that is all transfer. */
    run[2]->trace.replay.ideal_ns = 1000;
    scaling = scaling_document(run, 3, true, NAN, &gate);
    cr_expect_float_eq(scaled(scaling, 1, "serialisation"), 100, 1e-6);
    cr_expect_float_eq(scaled(scaling, 1, "transfer"), 40, 1e-6);
    document_free(scaling);
    for (size_t i = 0; i < 3; i++)
        profile_free(run[i]);
}

static const char *tuned_for = "Open MPI v4.1.4";
static int tuned_ranks = 2;

/* The verdict on the rule for the sums, of which the runs BEFORE take OWN ms more in half of them,
 * the runs AFTER with AFTER_OWN; the tuning predicts a half of what the 80 calls take in the
 * runs BEFORE, whatever it has measured and their number was. */
static const char *verdict_on_rule(double own, double after_own, size_t n, struct tuned *t,
                                   double *predicted_us)
{
    static char verdict[32];
    struct tuned_set set = {0};
    strcpy(set.library, tuned_for);
    *PUSH(&set.list) = (struct tuned){.operation = tuned_operation_find("MPI_Allreduce"),
                                      .ranks = tuned_ranks,
                                      .n = 2,
                                      .calls = 1000,
                                      .candidate = {{"default", -1, 0}, {"ring", 4, 0}},
                                      .time = {{1e-4, NAN, NAN}, {5e-5, NAN, NAN}},
                                      .ratio = {{1, 1, 1}, {0.5, 0.49, 0.51}},
                                      .best = 1};
    tuned = &set;
    compare((struct made){10, 1, 0, own, false}, (struct made){10, 1, 0, after_own, false}, n, NAN,
            NULL);
    json_t *json = document_json(compared);
    const json_t *row = json_array_get(
        json_object_get(json_object_get(json_object_get(json, "tables"), "gains"), "rows"), 0);
    snprintf(verdict, sizeof verdict, "%s", json_string_value(json_object_get(row, "verdict")));
    *predicted_us = json_number_at(row, "predicted");
    cr_expect(!row || fabs(json_number_at(row, "predicted_low") / *predicted_us - 0.98) < 1e-6);
    *t = set.list.at[0];
    json_decref(json);
    free(set.list.at);
    return verdict;
}

/* Calls that take 160 us save no share of what tuning took for them on a slower machine. */
Test(compare, savings_of_a_slower_machine)
{
    struct profile *p RELEASED(profile_end) = made_run((struct made){10, 1, 0, 0.3, false});
    for (int now = 80; now <= 320; now *= 4)
        profile_add_finding(p, "tune",
                            json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:s}", "operation",
                                      "MPI_Allreduce", "ranks", 2, "bytes", 0, "now_us", now,
                                      "faster_us", now - 50, "faster_low_us", now - 60, "calls", 3,
                                      "best", "ring"));
    profile_add_savings(p);
    for (int i = 0; i < 2; i++) {
        const json_t *f = p->findings.at[i].value;
        cr_expect_float_eq(json_number_at(f, "saves_us"), 3 * (i ? 25 : 50), 1.5);
        cr_expect_float_eq(json_number_at(f, "saves_high_us"), 3 * (i ? 30 : 60), 1.5);
    }
}

/* What was not seen in the application is not kept. */
Test(compare, gains_of_a_tuning)
{
    struct tuned t;
    double predicted_us;
    cr_expect_str_eq(verdict_on_rule(0.3, 0.1, 5, &t, &predicted_us), "faster");
    cr_expect(!t.refuted);
    cr_expect_float_eq(predicted_us, 40 * (10 + 310) / 2, 0.01);
    cr_expect_str_eq(verdict_on_rule(0.1, 0.3, 5, &t, &predicted_us), "slower");
    cr_expect(t.refuted);
    cr_expect_str_eq(verdict_on_rule(0.1, 0.1, 5, &t, &predicted_us), "undecided");
    cr_expect(t.refuted);
    cr_expect_str_eq(verdict_on_rule(0.3, 0.1, 3, &t, &predicted_us), "undecided");
    cr_expect(!t.refuted, "three runs are too few to decide");
    tuned_ranks = 3;
    cr_expect_str_eq(verdict_on_rule(0.1, 0.3, 5, &t, &predicted_us), "(null)", "no calls");
    cr_expect(!t.refuted);
    tuned_ranks = 2;
    tuned_for = library = later = "MPICH 4.0.2";
    cr_expect_str_eq(verdict_on_rule(0.3, 0.1, 5, &t, &predicted_us), "faster");
    refused = PROFILE_NOT_CHANGED "x is not used";
    for (int i = 0; i < 2; i++, tuned_for = "MPICH 4.1", refused = "") {
        cr_expect_str_eq(verdict_on_rule(0.1, 0.3, 5, &t, &predicted_us), "(null)");
        SAYS(0, ": slower."); /* the comparison remains */
        cr_expect(strstr(found_text(compared, "gains"),
                         i ? "(another library" : "(nothing was changed: --tuned=x"));
        cr_expect(!t.refuted);
    }
}

/* The sentence about algorithms, if there is one, with A's and B's. */
static const char *said_of(const char *a, const char *b)
{
    algorithm[0] = a;
    algorithm[1] = b;
    compare((struct made){10, 1, 0, 0.1, false}, (struct made){10, 1, 0, 0.3, false}, 5, NAN, NULL);
    algorithm[0] = algorithm[1] = NULL;
    return found_text(compared, "algorithm");
}

Test(compare, names_the_algorithm_that_changed)
{
    cr_expect_str_eq(said_of("recursive doubling", "ring"),
                     "MPI_Allreduce of 0 B on 2 ranks (w): recursive doubling -> ring, +100 us a "
                     "call (95 % CI +100 us to +100 us).");
    SAYS(1, "-> ring"); /* before what a test of times finds */
    cr_expect_str_eq(said_of("ring", "ring"), "");
    cr_expect_str_eq(said_of("ring", "unknown"), "");
    cr_expect_str_eq(said_of(NULL, "ring"), "");
}
