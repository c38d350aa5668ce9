/* Protects the findings from a trace and from collectives one by one: causes at call sites, idle
 * waves, phases, and how a change that is simulated is named. */
#include "made_findings.h"
#include "made_page.h"
#include "made_profile.h"
#include "report/report.h"

/* Four ranks, 100 steps with two collectives (lines 10 and 20) before which a rank is outside of
 * MPI for 1 ms and LONGER(step, 0 or 1, rank) more, and for that of step 100 after them. */
static struct profile *steps(double (*longer)(int step, int at, uint32_t rank))
{
    enum { RANKS = 4, STEPS = 100 };
    const struct known k = {.ranks = RANKS};
    struct profile *p = made(&k);
    double now = 0;
    for (int i = 0; i < 2 * STEPS; i++) {
        double outside[RANKS], end = now;
        for (uint32_t r = 0; r < RANKS; r++) {
            outside[r] = 1e-3 + longer(i / 2, i % 2, r);
            end = fmax(end, now + outside[r]);
        }
        for (uint32_t r = 0; r < RANKS; r++) {
            p->ranks.at[r].mpi_ns += ns(end - now - outside[r]);
            *PUSH(&p->instances) = (struct profile_instance){
                .comm_id = 5,
                .sequence = (uint32_t)i,
                .rank = r,
                .comm_rank = r,
                .site = site_in_line(p, i % 2 ? 20 : 10),
                .operation = profile_add_operation(p, "MPI_Allreduce", FAMILY_COLLECTIVE),
                .root = -1,
                .entry_ns = (int64_t)ns(now + outside[r]),
                .exit_ns = (int64_t)ns(end),
                .outside_ns = (int64_t)ns(outside[r])};
        }
        now = end;
    }
    for (uint32_t r = 0; r < RANKS; r++)
        p->ranks.at[r].wall = now + longer(STEPS, 0, r);
    arrivals_find(p);
    return p;
}

static double two_ranks(int step, int at, uint32_t rank)
{
    (void)step;
    return (rank == 1 && at == 0) ? 2e-3 : (rank == 2 && at == 1) ? 3e-3 : 0;
}

static double one_rank(int step, int at, uint32_t rank)
{
    (void)step;
    return rank == 1 ? at ? 2e-3 : 3e-3 : 0;
}

static double a_phase(int step, int at, uint32_t rank)
{
    return rank == 3 && at == 0 && step >= 55 && step < 75 ? 4e-3 : 0;
}

static double delay = 0.08;
static double once(int step, int at, uint32_t rank)
{
    return rank == 1 && at == 0 && step == 40 ? delay : 0;
}

static double noisy(int step, int at, uint32_t rank)
{
    uint32_t x = (uint32_t)(step * 8 + at * 4) + rank;
    for (int i = 0; i < 5; i++)
        x = x * 1664525 + 1013904223 + (x >> 15);
    return (rank == 1 && at == 0 ? 2e-3 : 0) + 1e-3 * (x >> 8) / (1 << 24);
}

static double at_the_end(int step, int at, uint32_t rank)
{
    return rank == 2 && step == 100 ? 0.2 : noisy(step, at + 2, rank) / 10;
}

/* In rising order of the rank in RANKS: the findings, all of them; where the first is awaited. */
static void check_steps(double (*longer)(int step, int at, uint32_t rank), size_t n,
                        const int *ranks, const char *text, double least)
{
    struct document *d RELEASED(document_end) = findings_of(steps(longer));
    FREED char *all = json_dumps(document_finding_list(d), JSON_INDENT(1));
    cr_expect_eq(json_array_size(document_finding_list(d)), n, "%s", all);
    for (size_t i = 0; i < n; i++) {
        const json_t *f = json_array_get(document_finding_list(d), i);
        cr_expect_str_eq(json_string_value(json_object_get(f, "key")), "imbalance", "%s", all);
        cr_expect_eq(json_integer_value(json_array_get(json_object_get(f, "ranks"), 0)), ranks[i],
                     "%s", all);
        cr_expect_geq(json_number_value(json_object_get(f, "low_s")),
                      least * json_number_value(json_object_get(f, "cost_s")), "%s", all);
    }
    cr_expect(!n || strstr(all, text), "no '%s' in %s", text, all);
}

Test(findings, of_slow_ranks)
{
    check_steps(two_ranks, 2, (int[]){2, 1}, "solve.c:20 solve.", 0.83);
    check_steps(one_rank, 1, (int[]){1},
                "which wait for it mostly in MPI_Allreduce at solve.c:10 solve.", 0.83);
    check_steps(a_phase, 1, (int[]){3}, "in MPI_Allreduce at solve.c:10 solve.", 0.4);
    check_steps(at_the_end, 1, (int[]){2}, "in MPI_Finalize.", 0);
    check_steps(once, 0, NULL, NULL, 0); /* which is noise; that is no second cause, either: */
    delay = 0.8;
    check_steps(once, 1, (int[]){1}, "ms longer, once, than the mean", 0.7);
    check_steps(noisy, 1, (int[]){1}, "solve.c:10 solve.", 0.6);
    struct profile *p = steps(once); /* an outlier of sampled calls: not in the rank's own time */
    p->ranks.at[1].mpi_ns += 800000000;
    struct document *d RELEASED(document_end) = findings_of(p);
    FREED char *all = json_dumps(document_finding_list(d), 0);
    cr_expect(!strstr(all, "\"imbalance\""), "%s", all);
}

Test(findings, are_numbered_on_the_screen)
{
    struct profile *p RELEASED(profile_end) = steps(two_ranks);
    char *text = text_of(p, &(struct report_options){.text.width = 80});
    assert_has(text, "\n 1. ");
    assert_has(text, "\n 2. ");
}

/* Of a thinned trace a cause is reported by the lower end of its interval; an idle wave by its
 * ranks, its pace and its end. */
Test(findings, intervals_and_idle_waves)
{
    static const struct {
        double error;
        uint32_t ranks;
        double low; /* of the cost, seconds; negative: no finding */
        bool wave;
    } cases[] = {
        {0, 4, 0.2, true}, {0.1, 4, 0.15, true}, {0.39, 3, -1, false}, {NAN, 3, 0.2, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct profile *p = made(&(struct known){
            .mpi = {0.4, 0.4},
            .simulated = true,
            .waits = {{60, 1, WAIT_LATE_SENDER, 0.2}, {61, 0, WAIT_LATE_SENDER, 0.2}},
            .passed_on = true});
        struct root_cause *c = &p->causes.at[0];
        c->error_ns = 1e9 * cases[i].error;
        c->wave_ranks = cases[i].ranks;
        c->wave_ns = 6000000;
        c->wave_end = 7;
        struct document *d = findings_of(p);
        const json_t *f = found(d, "late_sender");
        cr_assert_eq(f != NULL, cases[i].low >= 0, "case %zu", i);
        if (f) {
            const char *text = json_string_value(json_object_get(f, "text"));
            const char *wave =
                "It passes as an idle wave through 4 ranks, one rank per 2.00 ms, up to rank 7.";
            cr_expect_eq(strstr(text, wave) != NULL, cases[i].wave, "%s", text);
            cr_expect_float_eq(json_number_value(json_object_get(f, "low_s")), cases[i].low, 1e-6,
                               "case %zu: %g", i, json_number_value(json_object_get(f, "low_s")));
        }
        document_free(d);
    }
}

/* A rank serves those that receive from it where most of the waiting is, and also send to it. */
Test(findings, a_server_and_its_clients)
{
    for (int lacks = 0; lacks < 6; lacks++) { /* the last client one of five conditions, or none */
        const uint32_t line = lacks == 0 ? 61 : 60, peer = lacks == 1, to = lacks == 2;
        struct profile *p = made(&(struct known){.ranks = 4,
                                                 .mpi = {0.4, 0.4, 0.4, 0.4},
                                                 .simulated = true,
                                                 .waits = {{60, 0, WAIT_LATE_SENDER, 0.4}}});
        const uint32_t receive = profile_add_operation(p, "MPI_Recv", FAMILY_RECV),
                       send = profile_add_operation(p, "MPI_Send", FAMILY_SEND);
        for (uint32_t r = 1; r < 4; r++) {
            const bool last = r == 3;
            *PUSH(&p->peers) =
                (struct profile_peer){.rank = r,
                                      .received = !last || lacks != 3,
                                      .peer = last ? peer : 0,
                                      .site = site_in_line(p, last ? line : 60),
                                      .operation = last && lacks == 4 ? send : receive};
            *PUSH(&p->peers) =
                (struct profile_peer){.rank = r, .peer = last ? to : 0, .messages = 1};
        }
        struct document *d = findings_of(p);
        cr_expect_eq(found(d, "intensive_server") != NULL, lacks == 5, "case %d", lacks);
        document_free(d);
    }
}

/* Two ranks: in each of 64 steps they take 1 and 3 us before line 12, and 0.5 us before line 20. */
static struct profile *made_trace(void)
{
    struct profile *p = made(&(struct known){0});
    const uint32_t line[] = {site_in_line(p, 12), site_in_line(p, 20)},
                   barrier = profile_add_operation(p, "MPI_Barrier", FAMILY_COLLECTIVE);
    int64_t now = 1000;
    p->trace.on = true;
    p->trace.first_ns = now;
    for (uint32_t i = 0; i < 128; i++) {
        const int64_t own[] = {i % 2 ? 500 : 1000, i % 2 ? 500 : 3000};
        for (uint32_t r = 0; r < 2; r++) {
            struct event *e = PUSH(&p->events);
            *e = made_collective(r, i, now + own[r], now + own[1]);
            e->site = line[i % 2];
            e->operation = barrier;
        }
        now += own[1];
    }
    p->trace.last_ns = now + 100;
    for (uint32_t r = 0; r < 2; r++) {
        p->ranks.at[r].end_ns = now + (r ? 0 : 100);
        p->ranks.at[r].wall = 1e-9 * (double)(p->ranks.at[r].end_ns - 1000);
    }
    return p;
}

/* What is changed is named by call sites. */
Test(findings, what_if_changes_are_named)
{
    static const struct {
        const char *change, *says; /* NULL: it is refused */
    } cases[] = {
        {"balance:solve.c:12",
         "would take 160 us instead of 224 us (95 % CI 160 us to 160 us), 28"},
        {"balance:solve.c:20..solve.c:12", "would take 161 us"}, /* not what MPI_Init begins */
        {"faster:MPI_Init..solve.c:12,100", "would take 221 us"},
        {"faster:solve.c:20,50", "would take 208 us"},
        {"faster:solve.c:20 solve,50%", "would take 208 us"},
        {"faster:MPI_Barrier at solve.c:12 solve,10", "would take 205 us"},
        {"no-transfer", "would take 224 us"},
        {"faster:solve.c:20..MPI_Finalize,50", NULL},
        {"balance:", NULL},
        {"balance:solve.c:1", NULL},
        {"faster:solve.c:12", NULL},
        {"faster:solve.c:12,101", NULL},
        {"faster:solve.c:12,5x", NULL},
        {"no-transfer:solve.c:12", NULL}};
    struct profile *p RELEASED(profile_end) = made_trace();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = NULL;
        size_t size;
        FILE *out = memory_open_text(&text, &size);
        const bool good = report_what_if(p, cases[i].change, out);
        fclose(out);
        cr_expect_eq(good, cases[i].says != NULL, "%s", cases[i].change);
        cr_expect(!cases[i].says || (text && strstr(text, cases[i].says)), "%s: %s",
                  cases[i].change, text);
        free(text);
    }
}

/* A phase has its times and efficiencies; one that is not beyond chance is no finding. */
Test(findings, a_phase_of_the_run)
{
    static const struct {
        size_t first, last;
        const char *span; /* NULL: nothing is found */
    } cases[] = {{0, 10, "From 0 to 10.0 ms of the run parallel efficiency is 45 %, elsewhere 90"},
                 {10, 20, "From 10.0 ms to 20.0 ms of the run parallel efficiency"},
                 {20, 40, "From 20.0 ms to 40.0 ms of the run parallel efficiency"},
                 {10, 11, NULL},
                 {0, 0, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct profile *p = made(&(struct known){0});
        for (size_t k = 0; k < 40; k++) {
            const bool low = k >= cases[i].first && k < cases[i].last;
            *PUSH(&p->slices) =
                (struct run_slice){.begin_ns = (int64_t)k * 1000000,
                                   .end_ns = (int64_t)(k + 1) * 1000000,
                                   .efficiency = low ? 0.45 : 0.9 + (k % 2 ? 0.01 : -0.01),
                                   .most = 0.95,
                                   .rank = low ? 1 : 0};
        }
        struct document *d = findings_of(p);
        const char *text = text_in(d, "phase", "text");
        cr_assert_eq(*text != '\0', cases[i].span != NULL, "case %zu", i);
        if (*text) {
            cr_expect(strstr(text, cases[i].span), "%s", text);
            cr_expect(strstr(text_in(d, "phase", "advice"), "collprof run --trace PROGRAM"));
        }
        document_free(d);
    }
}
