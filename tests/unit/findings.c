/* Protects the findings: which key, rank, call site and cost follow from which figures, on both
 * sides of every threshold. */
#include "report/findings.h"
#include "report/what_if.h"

#include "base/clock.h"
#include "profile/model.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A run of one second of RANKS ranks (0: 2). */
struct known {
    const char *key, *absent; /* a finding that must be there, and one that must not; or NULL */
    int rank;                 /* of KEY's; -1: it names none */
    double share;             /* of KEY's, percent; 0: not checked */
    /* In what KEY says; or NULL. SITE "": it names none. */
    const char *text, *site, *advice, *severity;
    uint32_t ranks;
    double mpi[4]; /* seconds in MPI */
    double delayed[4];
    double cpu[4];          /* seconds on a processor; 0: unknown */
    double late_message[4]; /* of a trace: waited for messages */
    double message[4];      /* in calls for messages */
    double excluded; /* seconds of half of the first calls, delayed by experiments on rank 0 */
    const char *program, *arguments;
    struct {
        const char *operation;
        uint32_t line, best, worst;
        double least, sum; /* seconds in these calls, of the rank with least, of all */
        uint64_t completed, complete;
        double wait;    /* in completing calls */
        uint32_t ranks; /* that make them; 0: all */
    } calls[3];
    struct {
        double wait, cost, low; /* of all ranks in MPI_Barrier in line 40 */
    } late;
    struct {
        uint32_t line, rank, state;
        double wait; /* of all ranks */
        uint64_t followed, in_turn;
    } waits[4];
    bool passed_on; /* by all but rank 0, which causes all waits */
    bool simulated, traced;
};

static const struct known known[] = {
    /* Time outside of MPI: the mean is 0.8 s, rank 1 has 0.2 s more. */
    {.key = "imbalance",
     .rank = 1,
     .share = 20,
     .mpi = {0.4, 0},
     .calls = {{"MPI_Sendrecv", 9, 1, 0, 0.01, 0.41}}},
    /* 2 % of the run and, as processors differ, 6 % without an interval; in simulation 2 %. */
    {.key = "imbalance", .rank = 1, .mpi = {0.162, 0}},
    {.absent = "imbalance", .mpi = {0.160, 0}},
    {.key = "imbalance", .rank = 1, .mpi = {0.041, 0}, .simulated = true},
    {.absent = "imbalance", .mpi = {0.039, 0}, .simulated = true},
    {.absent = "imbalance", .mpi = {0.3, 0.3}},
    {.key = "imbalance", .rank = 1, .share = 20, .mpi = {0.4, 0}, .delayed = {0.3, 0.09}},
    /* What rank 1 lost to others is not its own work; what rank 0 lost was in a wait. */
    {.key = "imbalance", .rank = 1, .share = 20, .mpi = {0.4, 0}, .delayed = {0.3, 0.24}},
    {.key = "cpu_contention",
     .rank = 1,
     .absent = "imbalance",
     .mpi = {0.4, 0},
     .delayed = {0.3, 0.26}},
    {.absent = "cpu_contention", .mpi = {0.4, 0}, .delayed = {0.4, 0}},
    {.key = "cpu_contention", .rank = 0, .mpi = {0.4, 0.4}, .delayed = {0.011, 0}},
    {.absent = "cpu_contention", .mpi = {0.4, 0.4}, .delayed = {0.009, 0}},
    {.key = "cpu_contention", .rank = 0, .mpi = {0.4, 0.4}, .delayed = {0.3, 0.29}},
    {.absent = "cpu_contention",
     .mpi = {0.4, 0.4},
     .delayed = {0.3, 0.29},
     .late_message = {0.3, 0.29}},
    /* Several slow ranks are one finding. */
    {.key = "imbalance", .rank = 0, .ranks = 4, .share = 20, .mpi = {0.1, 0.1, 0.5, 0.5}},
    {.key = "mpi_is_little", .rank = -1, .mpi = {0.009, 0.01}},
    {.absent = "mpi_is_little", .mpi = {0.011, 0.011}},
    /* Collectives: a late rank that the imbalance does not show, and one that it does. */
    {.key = "late_arrival",
     .rank = 1,
     .share = 10,
     .absent = "imbalance",
     .mpi = {0.3, 0.3},
     .late = {0.2, 0.15, 0.11}},
    {.key = "late_arrival", .rank = -1, .mpi = {0.3, 0.3}, .late = {0.2, 0.09, 0.05}},
    {.key = "late_arrival", .rank = -1, .mpi = {0.3, 0.3}, .late = {0.2, 0.15, 0.09}},
    {.absent = "late_arrival", .mpi = {0.3, 0.3}, .late = {0.039, 0.039, 0.019}},
    {.key = "imbalance",
     .rank = 1,
     .absent = "late_arrival",
     .mpi = {0.4, 0},
     .late = {0.4, 0.4, 0.3}},
    /* A trace names the state; the imbalance of the same rank is the same finding. */
    {.key = "late_sender",
     .rank = 1,
     .absent = "imbalance",
     .mpi = {0.4, 0},
     .waits = {{9, 1, WAIT_LATE_SENDER, 0.4}}},
    {.key = "late_receiver",
     .rank = 0,
     .mpi = {0.3, 0.3},
     .waits = {{9, 0, WAIT_LATE_RECEIVER, 0.2}}},
    {.absent = "late_receiver", .mpi = {0.3, 0.3}, .waits = {{9, 0, WAIT_LATE_RECEIVER, 0.039}}},
    /* Rank 0 works longer; rank 1 waits for it, and passes the delay on to rank 2 and that to 3. */
    {.key = "late_sender",
     .rank = 0,
     .absent = "n_to_n",
     .ranks = 4,
     .mpi = {0, 0.3, 0.3, 0.3},
     .passed_on = true,
     .waits = {{9, 0, WAIT_LATE_SENDER, 0.3},
               {10, 1, WAIT_N_TO_N, 0.3},
               {11, 2, WAIT_N_TO_N, 0.3}}},
    {.key = "diffuse_procedure",
     .rank = -1,
     .mpi = {0.3, 0.3},
     .waits = {{9, 0, WAIT_N_TO_N, 0.05, 10, 9},
               {9, 1, WAIT_N_TO_N, 0.05, 10, 9},
               {9, 2, WAIT_N_TO_N, 0.05, 10, 10}}},
    {.key = "random_barrier",
     .rank = -1,
     .mpi = {0.3, 0.3},
     .waits = {{9, 0, WAIT_N_TO_N, 0.05, 10, 6},
               {9, 1, WAIT_N_TO_N, 0.05, 10, 6},
               {9, 2, WAIT_N_TO_N, 0.05, 10, 6}}},
    /* The call in which the others wait for as long, and none in which they wait for a tenth. */
    {.key = "imbalance",
     .rank = 1,
     .text = "Rank 1 is outside of MPI for 390 ms longer than the mean of the others, which wait "
             "for it in MPI_Sendrecv at solve.c:9 solve.",
     .site = "MPI_Sendrecv at solve.c:9 solve",
     .advice = "balance the work before MPI_Sendrecv",
     .mpi = {0.4, 0.01},
     .calls = {{"MPI_Sendrecv", 9, 1, 0, 0.005, 0.4}, {"MPI_Barrier", 10, 0, 1, 0.001, 0.1}}},
    {.key = "imbalance",
     .rank = 1,
     .text = "in MPI_Finalize.",
     .site = "",
     .mpi = {0.4, 0.01},
     .calls = {{"MPI_Sendrecv", 9, 1, 0, 0.001, 0.038}}},
    /* A slow rank sends late, or receives late: the other one waits in its own call. */
    {.key = "imbalance",
     .rank = 0,
     .site = "MPI_Recv",
     .mpi = {0.01, 0.4},
     .calls = {{"MPI_Send", 6, 0, 0, 0.01, 0.01, .ranks = 1},
               {"MPI_Recv", 8, 1, 1, 0.4, 0.4, .ranks = 1}}},
    {.key = "imbalance",
     .rank = 1,
     .site = "MPI_Send",
     .mpi = {0.4, 0.01},
     .calls = {{"MPI_Send", 6, 0, 0, 0.4, 0.4, .ranks = 1},
               {"MPI_Recv", 8, 1, 1, 0.01, 0.01, .ranks = 1}}},
    /* Outside of MPI is computing as far as a processor was used; in MPI it may have been. */
    {.key = "imbalance", .rank = 1, .text = "Rank 1 computes ", .mpi = {0.5, 0.1}, .cpu = {0, 0.9}},
    {.key = "imbalance",
     .rank = 1,
     .text = "Rank 1 is outside of MPI for ",
     .mpi = {0.5, 0.1},
     .cpu = {0, 0.2}},
    {.key = "imbalance",
     .rank = 1,
     .text = "At most 22.2 % of its time outside of MPI was on a processor",
     .mpi = {0.5, 0.1},
     .cpu = {0, 0.2}},
    {.key = "imbalance",
     .rank = 1,
     .text = "At most 33.3 % of its time outside of MPI was on a processor",
     .mpi = {0.5, 0.1},
     .delayed = {0, 0.1},
     .cpu = {0, 0.2}},
    /* CPU contention comes before all figures only if it silences a finding and leaves none. */
    {.key = "cpu_contention", .rank = 1, .severity = "doubt", .mpi = {0.4}, .delayed = {0, 0.24}},
    {.key = "cpu_contention", .rank = 1, .severity = "error", .mpi = {0.4}, .delayed = {0, 0.26}},
    {.key = "cpu_contention", .rank = 1, .severity = "doubt", .mpi = {0.03}, .delayed = {0, 0.26}},
    /* What is to be run again can be typed: a program, a script, or what is not known to be one. */
    {.key = "late_arrival",
     .rank = 1,
     .advice = "mpiexec -n 2 collprof run --trace '/home/a b/app' -n 7",
     .mpi = {0.3, 0.3},
     .program = "/home/a b/app",
     .arguments = " -n 7",
     .late = {0.2, 0.15, 0.11}},
    {.key = "late_arrival",
     .rank = 1,
     .advice = "mpiexec -n 2 collprof run --trace python3.11 x.py 2",
     .mpi = {0.3, 0.3},
     .program = "x.py (python3.11)",
     .arguments = " x.py 2",
     .late = {0.2, 0.15, 0.11}},
    {.key = "late_arrival",
     .rank = 1,
     .advice = "mpiexec -n 2 collprof run --trace PROGRAM",
     .mpi = {0.3, 0.3},
     .late = {0.2, 0.15, 0.11}},
    /* Calls that an experiment may have delayed: their shares are as they were counted. */
    {.key = "excluded",
     .rank = -1,
     .text = "Experiments took 10.0 % of the run; percentages refer to the rest. Calls that they "
             "may have delayed, 50.0 % of all, with 25.0 % of the time in MPI, count for the "
             "efficiency and the ranks' times, but not for times of call sites.",
     .mpi = {0.4, 0.4},
     .excluded = 0.2,
     .calls = {{"MPI_Bcast", 9, 0, 1, 0.1, 0.2}}},
    /* Two ranks that work in turn: a plain run cannot show it, a trace does. */
    {.key = "waiting_unknown",
     .rank = -1,
     .advice = "--trace",
     .mpi = {0.5, 0.5},
     .message = {0.5, 0.5}},
    {.absent = "waiting_unknown", .mpi = {0.5, 0.5}, .message = {0.5, 0.5}, .traced = true},
};

static uint32_t site_in_line(struct profile *p, uint32_t line)
{
    struct profile_site s = {.depth = 1};
    s.frame[0] = (struct profile_frame){.module = PROFILE_NONE, .address = line};
    uint32_t site = profile_add_site(p, &s);
    struct profile_frame *f = &p->sites.at[site].frame[0];
    if (!f->function) {
        f->function = memory_strdup("solve");
        f->file = memory_strdup("solve.c");
        f->line = line;
    }
    return site;
}

static uint64_t ns(double seconds)
{
    return (uint64_t)(1e9 * seconds + 0.5);
}

static void add_calls(struct profile *p, const struct known *k, uint32_t comm)
{
    uint64_t histogram[HISTOGRAM_BUCKETS] = {10};
    for (size_t i = 0; i < 3 && k->calls[i].operation; i++) {
        uint32_t site = site_in_line(p, k->calls[i].line),
                 operation = profile_add_operation(p, k->calls[i].operation, FAMILY_SENDRECV);
        profile_add_entry(p, &(struct profile_entry){.site = site,
                                                     .operation = operation,
                                                     .comm = comm,
                                                     .region = PROFILE_NONE,
                                                     .calls = 10,
                                                     .time_ns = ns(k->calls[i].sum),
                                                     .completed = k->calls[i].completed,
                                                     .hidden = k->calls[i].complete,
                                                     .wait_ns = ns(k->calls[i].wait),
                                                     .histogram = histogram});
        profile_group(p, site, operation)->spread =
            (struct spread){.sum = ns(k->calls[i].sum),
                            .min = ns(k->calls[i].least),
                            .max = ns(k->calls[i].ranks == 1 ? k->calls[i].sum
                                                             : k->calls[i].sum - k->calls[i].least),
                            .ranks = k->calls[i].ranks ?: (uint32_t)p->ranks.n,
                            .best = k->calls[i].best,
                            .worst = k->calls[i].worst};
    }
}

/* Each wait has a cause on the rank that is waited for, but for those that rank 0 causes and others
 * pass on. */
static void add_cause(struct profile *p, const struct known *k, size_t i)
{
    uint64_t cost = ns(k->waits[i].wait);
    uint32_t rank = k->passed_on ? 0 : k->waits[i].rank;
    p->trace.wait_ns += cost;
    if (k->passed_on && p->causes.n) {
        p->causes.at[0].passed_ns += cost;
        return;
    }
    *PUSH(&p->causes) =
        (struct root_cause){.kind = CAUSE_COMPUTATION,
                            .rank = rank,
                            .from_site = PROFILE_NONE,
                            .from_operation = PROFILE_NONE,
                            .site = site_in_line(p, 50),
                            .operation = profile_add_operation(p, "MPI_Send", FAMILY_SEND),
                            .direct_ns = cost,
                            .wait_site = site_in_line(p, k->waits[i].line),
                            .wait_operation = profile_add_operation(p, "MPI_Recv", FAMILY_RECV),
                            .wait_state = k->waits[i].state};
}

static struct profile *made(const struct known *k)
{
    struct profile *p = profile_new();
    uint32_t ranks = k->ranks ? k->ranks : 2,
             host = profile_add_host(p, &(struct profile_host){.name = "alpha", .ranks = ranks}),
             comm = profile_add_comm(p, &(struct profile_comm){.id = 1,
                                                               .created = 1,
                                                               .site = PROFILE_NONE,
                                                               .size = ranks,
                                                               .name = "MPI_COMM_WORLD"});
    p->stack_depth = 1;
    p->clock = k->simulated ? CLOCK_SOURCE_EXTERNAL : CLOCK_SOURCE_TSC;
    for (uint32_t r = 0; r < ranks; r++)
        *PUSH(&p->ranks) = (struct profile_rank){.rank = (int32_t)r,
                                                 .host = host,
                                                 .state = LEDGER_FINALIZED,
                                                 .wall = 1,
                                                 .cpu_ns = (int64_t)ns(k->cpu[r]) ?: -1,
                                                 .mpi_ns = ns(k->mpi[r]),
                                                 .message_ns = ns(k->message[r]),
                                                 .late_message_ns = ns(k->late_message[r]),
                                                 .delayed_ns = (int64_t)ns(k->delayed[r])};
    add_calls(p, k, comm);
    if (k->excluded > 0) {
        p->entries.at[0].apart = 5;
        p->entries.at[0].apart_ns = p->ranks.at[0].injected_ns = ns(k->excluded);
    }
    if (k->program) {
        profile_add_text(p, TABLE_PROGRAMS, k->program);
        strcpy(p->arguments, k->arguments);
    }
    p->trace.on = k->traced;
    if (k->late.wait > 0)
        *PUSH(&p->arrivals) = (struct profile_arrival){
            .site = site_in_line(p, 40),
            .operation = profile_add_operation(p, "MPI_Barrier", FAMILY_COLLECTIVE),
            .comm = comm,
            .instances = 100,
            .stand_for = 100,
            .skew_median_ns = ns(k->late.wait / 100),
            .time_ns = ns(0.5),
            .wait_ns = ns(k->late.wait),
            .cost_rank = 1,
            .cost_ns = ns(k->late.cost),
            .cost_low_ns = (int64_t)ns(k->late.low)};
    for (size_t i = 0; i < 4 && k->waits[i].line; i++) {
        p->trace.on = true;
        p->trace.covered = 1;
        add_cause(p, k, i);
        *PUSH(&p->waits) =
            (struct wait){.site = site_in_line(p, k->waits[i].line),
                          .operation = profile_add_operation(p, "MPI_Recv", FAMILY_RECV),
                          .state = k->waits[i].state,
                          .rank = k->waits[i].rank,
                          .calls = 1,
                          .wait_ns = ns(k->waits[i].wait),
                          .followed = k->waits[i].followed,
                          .in_turn = k->waits[i].in_turn};
    }
    return p;
}

/* The finding of that KEY; NULL: there is none. */
static const json_t *found(const struct document *d, const char *key)
{
    const json_t *list = document_finding_list(d), *f;
    size_t i;
    json_array_foreach(list, i,
                       f) if (!strcmp(json_string_value(json_object_get(f, "key")), key)) return f;
    return NULL;
}

/* What the finding of that KEY has there; "": nothing. */
static const char *text_in(const struct document *d, const char *key, const char *member)
{
    const char *text = json_string_value(json_object_get(found(d, key), member));
    return text ? text : "";
}

static struct document *findings_of(const struct profile *p)
{
    struct document *d = document_new("test/1");
    struct view v;
    view_open(&v, p);
    findings_add(d, &v, NULL);
    view_close(&v);
    return d;
}

static void check_words(size_t i, const struct known *k, const struct document *d)
{
    const char *const words[][2] = {
        {"text", k->text}, {"site", k->site}, {"advice", k->advice}, {"severity", k->severity}};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        const char *is = text_in(d, k->key, words[w][0]), *want = words[w][1];
        cr_expect(!want || (*want ? strstr(is, want) != NULL : !*is), "case %zu: %s: %s", i,
                  words[w][0], is);
    }
}

static void check(size_t i, const struct known *k, const struct document *d)
{
    const json_t *f = k->key ? found(d, k->key) : NULL;
    char *text = json_dumps(document_finding_list(d), JSON_INDENT(1));
    cr_expect(!k->key || f, "case %zu: no %s in %s", i, k->key, text);
    cr_expect(!k->absent || !found(d, k->absent), "case %zu: %s in %s", i, k->absent, text);
    if (f) {
        const json_t *first = json_array_get(json_object_get(f, "ranks"), 0);
        json_int_t rank = first ? json_integer_value(first) : -1;
        double share = 100 * json_number_value(json_object_get(f, "share"));
        cr_expect_eq(rank, k->rank, "case %zu: rank %d in %s", i, (int)rank, text);
        cr_expect(k->share == 0 || fabs(share - k->share) < 0.01, "case %zu: %s", i, text);
        const json_t *worst = json_object_get(json_object_get(f, "numbers"), "worst_percent");
        cr_expect(!worst || fabs(json_number_value(worst) - 100 * k->delayed[rank]) < 1e-6,
                  "case %zu: %s", i, text); /* of a run of 1 s */
        check_words(i, k, d);
    }
    free(text);
}

Test(findings, follow_from_figures)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct profile *p = made(&known[i]);
        struct document *d = findings_of(p);
        check(i, &known[i], d);
        document_free(d);
        profile_free(p);
    }
}

/* What the layer measured on each rank is neither in the run nor computing: here half of it. */
Test(findings, are_without_what_the_layer_measured)
{
    const struct known k = {.mpi = {0.1, 0.3}};
    struct profile *p = made(&k);
    for (size_t i = 0; i < 2; i++)
        p->ranks.at[i].injected_ns = ns(0.5);
    struct efficiency e = efficiency_of(p);
    cr_expect_float_eq(e.run, 0.5, 1e-9);
    cr_expect_float_eq(e.compute, 0.6, 1e-9);
    cr_expect_float_eq(e.load_balance, 0.75, 1e-9);
    cr_expect_float_eq(profile_wall_ns(p), 1e9, 1);
    cr_expect_float_eq(profile_longest_ns(p), 1e9, 1);
    struct document *d = findings_of(p);
    cr_expect_float_eq(json_number_value(json_object_get(found(d, "imbalance"), "share")), 0.2,
                       1e-9);
    document_free(d);
    for (size_t i = 0; i < 2; i++)
        p->ranks.at[i].injected_ns = ns(0.695);
    p->ranks.at[1].mpi_ns = p->ranks.at[0].mpi_ns;
    d = findings_of(p);
    cr_expect_null(found(d, "mpi_is_little"));
    document_free(d);
    profile_free(p);
}

/* Ranks that sleep between calls of MPI_Test wait outside of MPI: nothing is said of what could be
 * gained. */
Test(findings, little_time_in_polls)
{
    for (int other = 10; other <= 30; other += 20) {
        struct known k = {.mpi = {0.009, 0.01}};
        struct profile *p = made(&k);
        uint64_t histogram[HISTOGRAM_BUCKETS] = {10};
        struct profile_entry e = {.site = site_in_line(p, 9),
                                  .operation =
                                      profile_add_operation(p, "MPI_Test", FAMILY_COMPLETION),
                                  .region = PROFILE_NONE,
                                  .calls = 200,
                                  .histogram = histogram};
        profile_add_entry(p, &e);
        e.operation = profile_add_operation(p, "MPI_Irecv", FAMILY_IRECV);
        e.calls = (uint64_t)other;
        profile_add_entry(p, &e);
        struct document *d = findings_of(p);
        const char *text = json_string_value(json_object_get(found(d, "mpi_is_little"), "text"));
        cr_expect_eq(strstr(text, "little to be gained") != NULL, other == 30, "%s", text);
        document_free(d);
        profile_free(p);
    }
}

/* A thousand messages of 256 B one way, for which the time is 2 % of the run; then less of each. */
Test(findings, small_messages)
{
    static const struct {
        uint64_t messages, bytes, back;
        double seconds;
        bool found;
    } cases[] = {{1000, 256000, 10, 0.04, true},
                 {999, 999, 0, 0.04, false},
                 {1000, 256001, 10, 0.04, false},
                 {1000, 256000, 11, 0.04, false},
                 {1000, 256000, 10, 0.039, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct known k = {.mpi = {0.3, 0.3},
                                .calls = {{"MPI_Send", 9, 0, 1, 0, cases[i].seconds}}};
        struct profile *p = made(&k);
        const struct profile_entry *e = &p->entries.at[0];
        *PUSH(&p->peers) = (struct profile_peer){e->site,           e->operation,  0, 1, 0,
                                                 cases[i].messages, cases[i].bytes};
        *PUSH(&p->peers) = (struct profile_peer){e->site, e->operation, 1, 0, 0, cases[i].back, 8};
        struct document *d = findings_of(p);
        cr_expect_eq(found(d, "small_messages") != NULL, cases[i].found, "case %zu", i);
        document_free(d);
        profile_free(p);
    }
}

/* Of 100 and 50 ms that two ranks of two, or one of two, would save. */
Test(findings, tuned)
{
    for (int faster = 0; faster < 2; faster++) {
        const struct known k = {.mpi = {0.3, 0.3}};
        struct profile *p = made(&k);
        profile_add_finding(p, "tune",
                            json_pack("{s:f, s:i}", "saves_us", faster * 1e5, "ranks", 2));
        profile_add_finding(p, "tune",
                            json_pack("{s:f, s:i}", "saves_us", faster * 5e4, "ranks", 1));
        profile_add_finding(p, "tune", json_pack("{s:f, s:i}", "saves_us", 0., "ranks", 2));
        struct document *d = findings_of(p);
        const json_t *f = found(d, "tuned");
        cr_assert_not_null(f);
        cr_expect_str_eq(json_string_value(json_object_get(f, "severity")),
                         faster ? "finding" : "note");
        const json_t *numbers = json_object_get(f, "numbers");
        cr_expect_eq(json_number_value(json_object_get(numbers, "collectives")), 3);
        cr_expect_eq(json_number_value(json_object_get(numbers, "faster")), faster ? 2 : 0);
        if (faster) {
            cr_expect_float_eq(json_number_value(json_object_get(f, "cost_s")), 0.125, 1e-6);
            cr_expect(strstr(json_string_value(json_object_get(f, "advice")), "--tuned="));
        }
        document_free(d);
        profile_free(p);
    }
}

/* In a trace of windows of 2.1 ms a wait of a quarter of that is seen too rarely: where a tenth of
 * the time may be such waits, the trace does not show for which rank most is waited. */
Test(findings, waits_that_windows_cut)
{
    static const struct {
        uint64_t mask, call_ns;
        double seconds;
        bool doubt;
    } cases[] = {{~0ull << 21, 600000, 0.0058, true},
                 {~0ull << 21, 600000, 0.0061, false},
                 {~0ull << 21, 520000, 0.00052, false},
                 {0, 600000, 0.0006, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct known k = {.mpi = {0.3, 0.3},
                                .calls = {{"MPI_Sendrecv", 9, 0, 1, 0, cases[i].seconds}},
                                .waits = {{9, 0, WAIT_LATE_SENDER, 0.2}}};
        struct profile *p = made(&k);
        memset(p->entries.at[0].histogram, 0, HISTOGRAM_BUCKETS * sizeof(uint64_t));
        p->entries.at[0].histogram[histogram_bucket(cases[i].call_ns)] = 1;
        p->trace.time_mask = cases[i].mask;
        struct document *d = findings_of(p);
        cr_expect_eq(found(d, "trace_windows") != NULL, cases[i].doubt, "case %zu", i);
        cr_expect_eq(found(d, "late_sender") == NULL, cases[i].doubt, "case %zu", i);
        document_free(d);
        profile_free(p);
    }
}

/* --- imbalance, segment by segment --- */

/* Four ranks, 100 steps with two collectives (lines 10 and 20) before which a rank is outside of
 * MPI for 1 ms and LONGER(step, 0 or 1, rank) more. */
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
            *PUSH(&p->events) = (struct profile_event){
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
    for (uint32_t r = 0; r < RANKS; r++) {
        p->ranks.at[r].wall = now;
    }
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

static double once(int step, int at, uint32_t rank)
{
    return rank == 1 && at == 0 && step == 40 ? 80e-3 : 0;
}

static double noisy(int step, int at, uint32_t rank)
{
    uint32_t x = (uint32_t)(step * 8 + at * 4) + rank;
    for (int i = 0; i < 5; i++)
        x = x * 1664525 + 1013904223 + (x >> 15);
    return (rank == 1 && at == 0 ? 2e-3 : 0) + 1e-3 * (x >> 8) / (1 << 24);
}

/* In rising order of the rank in RANKS: the findings, all of them; where the first is awaited. */
static void check_steps(double (*longer)(int step, int at, uint32_t rank), size_t n,
                        const int *ranks, const char *text, double least)
{
    struct profile *p = steps(longer);
    struct document *d = findings_of(p);
    char *all = json_dumps(document_finding_list(d), JSON_INDENT(1));
    cr_expect_eq(json_array_size(document_finding_list(d)), n, "%s", all);
    cr_expect_eq(document_findings(d, "imbalance"), n, "%s", all);
    for (size_t i = 0; i < n; i++) {
        const json_t *f = json_array_get(document_finding_list(d), i);
        cr_expect_eq(json_integer_value(json_array_get(json_object_get(f, "ranks"), 0)), ranks[i],
                     "%s", all);
        cr_expect_geq(json_number_value(json_object_get(f, "low_s")),
                      least * json_number_value(json_object_get(f, "cost_s")), "%s", all);
    }
    cr_expect(!n || strstr(all, text), "no '%s' in %s", text, all);
    free(all);
    document_free(d);
    profile_free(p);
}

Test(findings, a_cause_at_each_call_site)
{
    check_steps(two_ranks, 2, (int[]){2, 1}, "solve.c:20 solve.", 0.83);
}

Test(findings, a_slow_rank_is_one_cause)
{
    check_steps(one_rank, 1, (int[]){1},
                "MPI_Allreduce at solve.c:10 solve (225 ms) and in MPI_Allreduce at solve.c:20 "
                "solve (150 ms)",
                0.83);
}

Test(findings, slow_in_a_phase)
{
    check_steps(a_phase, 1, (int[]){3}, "in the second half of these calls", 0.4);
}

Test(findings, slow_once_is_noise)
{
    check_steps(once, 0, NULL, NULL, 0);
}

Test(findings, noise_is_no_second_cause)
{
    check_steps(noisy, 1, (int[]){1}, "solve.c:10 solve.", 0.6);
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
                "It passes as an idle wave through 4 ranks, one each 2.00 ms, up to rank 7.";
            cr_expect_eq(strstr(text, wave) != NULL, cases[i].wave, "%s", text);
            cr_expect_float_eq(json_number_value(json_object_get(f, "low_s")), cases[i].low, 1e-6,
                               "case %zu: %g", i, json_number_value(json_object_get(f, "low_s")));
        }
        document_free(d);
        profile_free(p);
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
        for (uint32_t r = 0; r < 2; r++)
            *PUSH(&p->acts) = (struct act){.entry_ns = now + own[r],
                                           .exit_ns = now + own[1],
                                           .posted_ns = now + own[r],
                                           .comm_id = 7,
                                           .rank = r,
                                           .site = line[i % 2],
                                           .operation = barrier,
                                           .peer = TIMELINE_NONE,
                                           .ordinal = i,
                                           .tag = (int32_t)r,
                                           .members = 2,
                                           .kind = ACT_COLLECTIVE,
                                           .collective = COLLECTIVE_ALL};
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
        {"faster:solve.c:12 solve MPI_Barrier,10", "would take 205 us"},
        {"no-transfer", "would take 224 us"},
        {"faster:solve.c:20..MPI_Finalize,50", NULL},
        {"balance:", NULL},
        {"balance:solve.c:1", NULL},
        {"faster:solve.c:12", NULL},
        {"faster:solve.c:12,101", NULL},
        {"faster:solve.c:12,5x", NULL},
        {"no-transfer:solve.c:12", NULL},
        {"slower:solve.c:12,5", NULL},
        {"", NULL}};
    struct profile *p = made_trace();
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
    profile_free(p);
}

/* A phase is described by its times and factors; one that is not beyond chance is no finding. */
Test(findings, a_phase_of_the_run)
{
    static const struct {
        size_t first, last;
        const char *span; /* NULL: nothing is found */
    } cases[] = {{0, 10, "Until 10.0 ms parallel efficiency is 45 %, otherwise 90 %"},
                 {10, 20, "From 10.0 ms to 20.0 ms parallel efficiency"},
                 {20, 40, "From 20.0 ms on parallel efficiency"},
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
        const json_t *f = found(d, "phase");
        const char *text = json_string_value(json_object_get(f, "text"));
        cr_assert_eq(f != NULL, cases[i].span != NULL, "case %zu", i);
        if (f) {
            cr_expect(strstr(text, cases[i].span), "%s", text);
            cr_expect(strstr(text, "load balance 47 % (otherwise 95 %), communication 95 % "), "%s",
                      text);
            cr_expect(strstr(text, "rank 1 is most often"), "%s", text);
        }
        document_free(d);
        profile_free(p);
    }
}

/* --- doubts --- */

/* Whether RANKS on one host with PROCESSORS (0: unknown) are too many, where it is unknown how long
 * they were not scheduled. */
Test(findings, more_ranks_than_processors)
{
    static const struct {
        uint32_t ranks, processors;
        bool crowded;
        int64_t delayed_ns;
    } row[] = {{4, 4, false, -1}, {5, 4, true, -1},  {3, 4, false, -1}, {2, 1, true, -1},
               {1, 1, false, -1}, {2, 0, false, -1}, {5, 4, false, 0}};
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        struct profile *p = profile_new();
        struct profile_host host = {.name = "alpha", .ranks = 1, .processors = row[i].processors};
        for (uint32_t r = 0; r < row[i].ranks; r++) {
            uint32_t at = profile_add_host(p, &host);
            *PUSH(&p->ranks) = (struct profile_rank){.rank = (int32_t)r,
                                                     .host = at,
                                                     .state = LEDGER_FINALIZED,
                                                     .calls = 1,
                                                     .wall = 2,
                                                     .delayed_ns = row[i].delayed_ns};
        }
        struct document *d = findings_of(p);
        cr_expect_eq(found(d, "oversubscribed") != NULL, row[i].crowded, "row %zu", i);
        document_free(d);
        profile_free(p);
    }
}

static json_int_t count_of(const struct document *d, const char *key, size_t *ranks)
{
    const json_t *f = found(d, key);
    *ranks = json_array_size(json_object_get(f, "ranks"));
    return (json_int_t)json_number_value(json_object_get(json_object_get(f, "numbers"), "count"));
}

Test(findings, what_is_missing)
{
    static const struct {
        const char *key;
        json_int_t count;
        size_t ranks;
    } counts[] = {{"record_full", 10, 2}, {"no_init", 0, 0}, {"failed_calls", 3, 0}};
    struct profile *p = profile_new();
    for (int r = 0; r < 3; r++) {
        struct profile_rank *rank = PUSH(&p->ranks);
        *rank = (struct profile_rank){.rank = r, .state = LEDGER_FINALIZED, .calls = 1};
        rank->dropped[LEDGER_SITES] = r == 1 ? 3 : 0;
        rank->dropped[LEDGER_ENTRIES] = r == 1 ? 1 : 0;
        rank->dropped[LEDGER_INSTANCES] = 99; /* some are kept, as it is intended */
        rank->untracked_requests = r == 1 ? 5 : 0;
        rank->started_late = r == 1;
        rank->grow_error = r == 2;
    }
    uint64_t histogram[HISTOGRAM_BUCKETS] = {[1] = 6};
    profile_add_entry(p, &(struct profile_entry){
                             .site = PROFILE_NONE,
                             .operation = profile_add_operation(p, "MPI_Bcast", FAMILY_COLLECTIVE),
                             .comm = PROFILE_NONE,
                             .region = PROFILE_NONE,
                             .calls = 6,
                             .errors = 3,
                             .histogram = histogram});
    p->sample_mask = 7;
    struct document *d = findings_of(p);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        size_t ranks;
        cr_expect_eq(count_of(d, counts[i].key, &ranks), counts[i].count, "%s", counts[i].key);
        cr_expect_eq(ranks, counts[i].ranks, "%s", counts[i].key);
    }
    cr_expect_not_null(strstr(text_in(d, "sampled_collectives", "text"), "one in 8 "));
    cr_expect_not_null(strstr(text_in(d, "no_init", "text"), "on rank 1: "));
    cr_expect_null(found(d, "spawned"));
    document_free(d);
    profile_free(p);
}

Test(findings, nothing_wrong_is_no_finding)
{
    struct profile *p = profile_new();
    *PUSH(&p->ranks) = (struct profile_rank){.state = LEDGER_FINALIZED};
    struct document *d = findings_of(p);
    cr_expect_eq(json_array_size(document_finding_list(d)), 0);
    document_free(d);
    profile_free(p);
}

Test(findings, ranks_that_ended_alike_are_one)
{
    static const uint32_t state[] = {LEDGER_ABORTED,   LEDGER_FINALIZED, LEDGER_SIGNALLED,
                                     LEDGER_SIGNALLED, LEDGER_EXITED,    LEDGER_SIGNALLED};
    static const int32_t detail[] = {7, 0, 15, 15, 0, 9};
    static const char *const said[] = {"rank 0: called MPI_Abort with error code 7",
                                       "ranks 2, 3: ended by signal 15", "rank 4: exited without",
                                       "rank 5: ended by signal 9"};
    struct profile *p = profile_new();
    for (int r = 0; r < 6; r++)
        *PUSH(&p->ranks) = (struct profile_rank){.rank = r,
                                                 .state = state[r],
                                                 .state_detail = detail[r],
                                                 .calls = 1,
                                                 .wall = 1,
                                                 .delayed_ns = r == 1 ? (int64_t)ns(0.9) : 0};
    struct document *d = findings_of(p);
    cr_expect_not_null(found(d, "cpu_contention")); /* so that times are not judged */
    cr_expect_eq(document_findings(d, "rank_ended"), 4);
    for (size_t i = 0; i < 4; i++) {
        const json_t *f = json_array_get(document_finding_list(d), i);
        cr_expect_not_null(strstr(json_string_value(json_object_get(f, "text")), said[i]), "%s",
                           said[i]);
    }
    document_free(d);
    profile_free(p);
}

/* Calls that failed and have no time were left; calls that failed and returned were not. */
Test(findings, calls_left_by_an_exception)
{
    struct profile *p = profile_new();
    uint64_t histogram[HISTOGRAM_BUCKETS] = {[1] = 6};
    profile_add_entry(
        p, &(struct profile_entry){.site = PROFILE_NONE,
                                   .operation = profile_add_operation(p, "MPI_Comm_spawn", 0),
                                   .comm = PROFILE_NONE,
                                   .region = PROFILE_NONE,
                                   .calls = 10,
                                   .errors = 5,
                                   .histogram = histogram});
    struct document *d = findings_of(p);
    size_t ranks;
    cr_expect_eq(count_of(d, "calls_left", &ranks), 4);
    cr_expect_not_null(found(d, "spawned"));
    document_free(d);
    profile_free(p);
}
