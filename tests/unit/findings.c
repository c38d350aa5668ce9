/* Protects the findings: which key, rank, call site and cost follow from which figures, on both
 * sides of every threshold. */
#include "made_findings.h"
#include "unit.h"

static const struct known known[] = {
    /* Time outside of MPI: the mean is 0.8 s, rank 1 has 0.2 s more. */
    {.key = "imbalance", .rank = 1, .share = 20, .mpi = {0.4, 0}},
    /* 2 % of the run and, as processors differ, 6 % without an interval; in simulation 2 %. */
    {.key = "imbalance", .rank = 1, .mpi = {0.162, 0}},
    {.absent = "imbalance", .mpi = {0.160, 0}},
    {.key = "imbalance", .rank = 1, .mpi = {0.041, 0}, .simulated = true},
    {.absent = "imbalance", .mpi = {0.039, 0}, .simulated = true},
    /* What rank 1 lost to others is not its own work; what rank 0 lost was in a wait. */
    {.key = "imbalance", .rank = 1, .share = 20, .mpi = {0.4, 0}, .delayed = {0.3, 0.24}},
    {.absent = "cpu_contention", .mpi = {0.4, 0}, .delayed = {0.4, 0}},
    {.key = "cpu_contention", .rank = 0, .mpi = {0.4, 0.4}, .delayed = {0.011, 0}},
    {.absent = "cpu_contention", .mpi = {0.4, 0.4}, .delayed = {0.009, 0}},
    {.key = "cpu_contention", .rank = 0, .mpi = {0.4, 0.4}, .delayed = {0.3, 0.29}},
    {.absent = "cpu_contention",
     .mpi = {0.4, 0.4},
     .delayed = {0.3, 0.29},
     .late_message = {0.3, 0.29}},
    /* Between polls it may have waited: just 2 % of the run is certain, or less. */
    {.key = "imbalance", .rank = 1, .share = 20, .mpi = {0.4, 0}, .polled = 0.12},
    {.key = "polls",
     .rank = -1,
     .absent = "imbalance",
     .mpi = {0.4, 0},
     .polled = 0.13,
     .calls = {{"MPI_Test", 9, 0, 1, 0, 0.01}, {"MPI_Recv", 9, 0, 1, 0, 0.01}}},
    /* Several slow ranks are one finding. */
    {.key = "imbalance", .rank = 0, .ranks = 4, .share = 20, .mpi = {0.1, 0.1, 0.5, 0.5}},
    /* Of the smaller group is said that it has less to do. */
    {.key = "imbalance", .rank = 2, .ranks = 4, .text = "400 ms less", .mpi = {0.1, 0.1, 0.5, 0.1}},
    {.key = "imbalance", .rank = 2, .ranks = 4, .advice = "give rank 2 ", .mpi = {0, 0, 0.4, 0}},
    {.key = "mpi_is_little", .rank = -1, .mpi = {0.009, 0.01}},
    {.absent = "mpi_is_little", .mpi = {0.011, 0.011}},
    /* Collectives: a late rank that the imbalance does not show, and one that it does. */
    {.key = "late_arrival",
     .rank = 1,
     .share = 10,
     .absent = "imbalance",
     .advice = "mpiexec -n 2 collprof run --trace PROGRAM",
     .mpi = {0.3, 0.3},
     .late = {0.2, 0.15, 0.11}},
    {.key = "late_arrival", .rank = -1, .mpi = {0.3, 0.3}, .late = {0.2, 0.09, 0.05}},
    {.key = "late_arrival", .rank = -1, .mpi = {0.3, 0.3}, .late = {0.2, 0.15, 0.09}},
    {.key = "late_arrival",
     .rank = 1,
     .text = "in MPI_Barrier at solve.c:40 solve, 90.0 % of that for rank 1, in too few calls to "
             "exclude chance.",
     .mpi = {0.3, 0.3},
     .late = {0.2, 0.18, .calls = 19}},
    {.key = "late_arrival", .rank = -1, .text = "; no", .mpi = {0.3, 0.3}, .late = {0.2, 0.18}},
    {.key = "late_arrival", .rank = -1, .mpi = {0.3, 0.3}, .late = {0.2, 0.09, .calls = 19}},
    {.absent = "late_arrival", .mpi = {0.3, 0.3}, .late = {0.039, 0.039, 0.019}},
    /* What CPU contention in MPI, or an imbalance that is not certain, may explain. */
    {.key = "late_arrival",
     .rank = 1,
     .mpi = {0.8, 0.8},
     .delayed = {0.5, 0.4},
     .late = {0.5, 0.5, 0.4}},
    {.absent = "late_arrival", .mpi = {0.8, 0.8}, .delayed = {0, 0.5}, .late = {0.5, 0.5, 0.4}},
    {.key = "late_arrival", .rank = 1, .mpi = {0.3, 0.3}, .late = {0.14, 0.11, 0.08}},
    {.absent = "late_arrival", .mpi = {0.37, 0.3}, .late = {0.14, 0.11, 0.08}},
    {.key = "imbalance",
     .rank = 1,
     .absent = "late_arrival",
     .mpi = {0.4, 0},
     .late = {0.4, 0.4, 0.3}},
    /* A trace names the state; the imbalance of the same rank is the same finding. */
    {.key = "late_sender",
     .rank = 1,
     .advice = "shorten or balance what rank 1 does before ",
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
    /* Three ranks in turn: what they did not have a processor for outside of MPI may be the cost,
     * of which some is left, or nothing; contention in MPI delays no computation. */
    {.key = "n_to_n",
     .rank = -1,
     .mpi = {0.85, 0.85},
     .delayed = {0.7, 0.7},
     .waits = {{9, 0, WAIT_N_TO_N, 0.4}, {9, 1, WAIT_N_TO_N, 0.4}, {9, 2, WAIT_N_TO_N, 0.4}}},
    {.absent = "n_to_n",
     .mpi = {0.3, 0.3},
     .delayed = {0.5, 0.5},
     .waits = {{9, 0, WAIT_N_TO_N, 0.15}, {9, 1, WAIT_N_TO_N, 0.15}, {9, 2, WAIT_N_TO_N, 0.1}}},
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
     .text = "the others, which wait meanwhile in MPI_Recv",
     .advice = "balance the work between two calls (run with --trace to see which): rank 0 takes ",
     .mpi = {0.01, 0.4},
     .calls = {{"MPI_Send", 6, 0, 0, 0.01, 0.01, .ranks = 1},
               {"MPI_Recv", 8, 1, 1, 0.4, 0.4, .ranks = 1}}},
    {.key = "imbalance",
     .rank = 1,
     .site = "MPI_Send",
     .mpi = {0.4, 0.01},
     .calls = {{"MPI_Send", 6, 0, 0, 0.4, 0.4, .ranks = 1},
               {"MPI_Recv", 8, 1, 1, 0.01, 0.01, .ranks = 1}}},
    /* Half of the ranks waits for it in their part of the program, the others only at the end. */
    {.key = "imbalance",
     .rank = 3,
     .ranks = 4,
     .site = "MPI_Allreduce",
     .advice = "before MPI_Allreduce",
     .mpi = {0.4, 0.4, 0.4, 0.01},
     .calls = {{"MPI_Allreduce", 9, 0, 1, 0.005, 0.4}}},
    /* Outside of MPI is computing as far as a processor was used; in MPI it may have been. */
    {.key = "imbalance", .rank = 1, .text = "Rank 1 computes ", .mpi = {0.5, 0.1}, .cpu = {0, 0.9}},
    {.key = "imbalance",
     .rank = 1,
     .text = "Rank 1 is outside of MPI for 400 ms longer than the mean of the others, which wait "
             "for it in MPI_Finalize. At most 22.2 % of its time outside of MPI needed a processor",
     .mpi = {0.5, 0.1},
     .cpu = {0, 0.2}},
    {.key = "imbalance",
     .rank = 1,
     .text = "At most 33.3 % of its time outside of MPI needed a processor",
     .mpi = {0.5, 0.1},
     .delayed = {0, 0.1},
     .cpu = {0, 0.2}},
    /* CPU contention comes before all figures only if it silences a finding and leaves none. */
    {.key = "cpu_contention", .rank = 1, .severity = "doubt", .mpi = {0.4}, .delayed = {0, 0.24}},
    {.key = "cpu_contention", .rank = 1, .severity = "error", .mpi = {0.4}, .delayed = {0.3, 0.26}},
    {.key = "cpu_contention", .rank = 1, .severity = "doubt", .mpi = {0.03}, .delayed = {0, 0.26}},
    /* So may contention in waits. */
    {.key = "cpu_contention",
     .rank = 1,
     .severity = "error",
     .mpi = {0.4, 0.3},
     .late = {0.2, 0.15, 0.11},
     .late_message = {0, 0.3},
     .delayed = {0, 0.32}},
    /* It advises nothing if it is small and silences nothing. */
    {.key = "cpu_contention", .rank = 1, .advice = "", .mpi = {0.03}, .delayed = {0, 0.03}},
    /* Its advice comes before that of a trace only if it may cost more. */
    {.key = "cpu_contention",
     .rank = 0,
     .advice = "run again with fewer ranks",
     .mpi = {0.4, 0.4},
     .message = {0.29, 0.29},
     .delayed = {0.3, 0.29}},
    {.key = "cpu_contention",
     .rank = 0,
     .advice = "",
     .mpi = {0.4, 0.4},
     .message = {0.31, 0.31},
     .delayed = {0.3, 0.29}},
    /* What is to be run again can be typed: a program, or a script. */
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
    /* Calls that an experiment may have delayed: their shares are as they were counted. */
    {.key = "excluded",
     .rank = -1,
     .text = "Experiments took 100 ms per rank, 10.0 % of the run; percentages refer to the rest. "
             "Calls that they may have delayed count for the efficiency and the ranks' times, but "
             "not for times of call sites.",
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
    FREED char *text = json_dumps(document_finding_list(d), JSON_INDENT(1));
    cr_expect(!k->key || f, "case %zu: no %s in %s", i, k->key, text);
    cr_expect(!k->absent || !found(d, k->absent), "case %zu: %s in %s", i, k->absent, text);
    if (f) {
        const json_t *first = json_array_get(json_object_get(f, "ranks"), 0);
        json_int_t rank = first ? json_integer_value(first) : -1;
        double share = 100 * json_number_value(json_object_get(f, "share"));
        cr_expect_eq(rank, k->rank, "case %zu: rank %d in %s", i, (int)rank, text);
        cr_expect(k->share == 0 || fabs(share - k->share) < 0.01, "case %zu: %s", i, text);
        const json_t *worst = json_object_get(json_object_get(f, "numbers"), "contention_percent");
        cr_expect(!worst || fabs(json_number_value(worst) - 100 * k->delayed[rank]) < 1e-6,
                  "case %zu: %s", i, text); /* of a run of 1 s */
        check_words(i, k, d);
    }
}

Test(findings, follow_from_figures)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct document *d = findings_of(made(&known[i]));
        check(i, &known[i], d);
        document_free(d);
    }
}

/* A prediction balances all behind a call: what CPU contention may explain does not claim it. */
Test(findings, gains_are_of_certain_causes)
{
    for (int certain = 0; certain < 2; certain++) {
        const double delayed = certain ? 0 : 0.5;
        struct profile *p = made(&(struct known){
            .mpi = {0.4, 0.1}, .delayed = {0, delayed}, .waits = {{9, 1, WAIT_LATE_SENDER, 0.3}}});
        *PUSH(&p->predictions) = (struct prediction){
            .segment = p->causes.at[0], .wall_ns = 8e8, .low_ns = 7e8, .high_ns = 9e8};
        struct document *d = findings_of(p);
        const char *text = text_in(d, "late_sender", "text");
        cr_expect_eq(strstr(text, "Balanced") != NULL, certain, "%s", text);
        document_free(d);
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
    cr_expect_float_eq(number_in(d, "imbalance", "share"), 0.2, 1e-9);
    document_free(d);
    for (size_t i = 0; i < 2; i++) { /* where one rank alone records, and where both do */
        p = made(&k);
        p->ranks.at[0].calls = p->ranks.at[i].calls = 1000; /* which take as long as it is late */
        p->ranks.at[0].call_ns = p->ranks.at[i].call_ns = 2e5;
        d = findings_of(p);
        cr_expect_eq(found(d, "imbalance") != NULL, i == 1);
        document_free(d);
    }
    p = made(&k);
    for (size_t i = 0; i < 2; i++)
        p->ranks.at[i].injected_ns = ns(0.695);
    p->ranks.at[1].mpi_ns = p->ranks.at[0].mpi_ns;
    d = findings_of(p);
    cr_expect_null(found(d, "mpi_is_little"));
    document_free(d);
}

/* Ranks that sleep between calls of MPI_Test wait outside of MPI: nothing is said of what could be
 * gained, or of an idle host. */
Test(findings, little_time_in_polls)
{
    enum { POLLS, FEW_POLLS, UNKNOWN_RUN };
    for (int i = POLLS; i <= UNKNOWN_RUN; i++) {
        struct known k = {.mpi = {0.009, 0.01}, .delayed = {0.3, 0.3}};
        struct profile *p = made(&k);
        for (size_t r = 0; r < 2 && i == UNKNOWN_RUN; r++)
            p->ranks.at[r].wall = 0;
        cr_expect_eq(noise_of(p, 1).most > 0, i != UNKNOWN_RUN); /* no share of no time */
        uint64_t histogram[HISTOGRAM_BUCKETS] = {10};
        struct profile_entry e = {.site = site_in_line(p, 9),
                                  .operation =
                                      profile_add_operation(p, "MPI_Test", FAMILY_COMPLETION),
                                  .region = PROFILE_NONE,
                                  .calls = 200,
                                  .histogram = histogram};
        profile_add_entry(p, &e);
        e.operation = profile_add_operation(p, "MPI_Irecv", FAMILY_IRECV);
        e.calls = i == FEW_POLLS ? 30 : 10;
        profile_add_entry(p, &e);
        struct document *d = findings_of(p);
        const char *text = text_in(d, "polls", "text");
        cr_expect_eq(found(d, "mpi_is_little") != NULL, i == FEW_POLLS);
        cr_expect_eq(*text_in(d, "cpu_contention", "advice") != '\0', i == FEW_POLLS);
        cr_expect(i == POLLS ? strstr(text, "200 times, every 5") != NULL : !*text, "%s", text);
        document_free(d);
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
        p->ranks.at[0].calls = 1000; /* recorded in 0.2 s, but outside of MPI */
        p->ranks.at[0].call_ns = 2e5;
        *PUSH(&p->peers) = (struct profile_peer){
            0, 1, 0, e->site, e->operation, cases[i].messages, cases[i].bytes};
        *PUSH(&p->peers) = (struct profile_peer){1, 0, 0, e->site, e->operation, cases[i].back, 8};
        struct document *d = findings_of(p);
        cr_expect_eq(found(d, "small_messages") != NULL, cases[i].found, "case %zu", i);
        document_free(d);
    }
}

/* Of 100 and 50 ms that two ranks of two, or one of two, would save: with a setting that does it,
 * without one, with times that leave open which is faster, and with none that seems faster. */
Test(findings, tuned)
{
    static const char *const text[] = {
        "would save 125 ms of each rank's time (95 % CI 100 ms to 150 ms)", "no setting",
        "too little", "have an"};
    for (int kind = 0; kind < 4; kind++) {
        const struct known k = {.mpi = {0.3, 0.3}};
        struct profile *p = made(&k);
        bool faster = kind < 2;
        PUSH(&p->libraries)->text = memory_strdup(kind == 1 ? "another" : "Open MPI v4.1.4");
        for (int i = 0; i < 3; i++)
            profile_add_finding(p, "tune",
                                json_pack("{s:s, s:i, s:i, s:f, s:f, s:f, s:s, s:i, s:[{s:s, s:f, "
                                          "s:f}, {s:s, s:f, s:f, s:f}]}",
                                          "operation", "MPI_Allreduce", "bytes", 8 << i * 4,
                                          "ranks", 2 - i % 2, "saves_us", faster * i * 5e4,
                                          "saves_low_us", i * 4e4, "saves_high_us", i * 6e4, "best",
                                          faster ? "ring" : "", "segment", 0, "candidates",
                                          "algorithm", "default", "ratio", 1.0, "time_us", 9.0,
                                          "algorithm", "ring", "ratio", kind == 3 ? 1.5 : 0.5,
                                          kind == 2 ? "no" : "low", kind == 3 ? 1.4 : 0.4,
                                          kind == 2 ? "none" : "high", kind == 3 ? 1.6 : 0.6));
        struct document *d = findings_of(p);
        cr_expect(strstr(text_in(d, "tuned", "text"), text[kind]), "%d", kind);
        cr_expect_str_eq(text_in(d, "tuned", "severity"), kind == 0 ? "finding" : "note");
        cr_expect_eq(strstr(text_in(d, "tuned", "advice"), "--tuned=") != NULL, kind == 0);
        if (faster)
            cr_expect_float_eq(number_in(d, "tuned", "cost_s"), 0.125, 1e-6);
        document_free(d);
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
    }
}

/* One rank's samples of solve() in LINE, called by main: N in a function of the C library. */
static void add_samples(struct profile *p, uint32_t rank, uint32_t line, uint64_t n)
{
    struct profile_site s = {.depth = 3};
    for (uint32_t i = 0; i < s.depth; i++)
        s.frame[i] = (struct profile_frame){.module = PROFILE_NONE, .address = 100 * i + line};
    const uint32_t stack = profile_add_site(p, &s),
                   bcast = profile_add_operation(p, "MPI_Bcast", 0);
    struct profile_frame *f = p->sites.at[stack].frame;
    const bool is_new = !f->function;
    for (uint32_t i = 0; is_new && i < s.depth; i++) {
        f[i].function = memory_strdup(i == 0 ? "sin" : i == 1 ? line < 50 ? "f" : "g" : "solve");
        f[i].file = i ? memory_strdup("f.c") : NULL;
        f[i].line = line;
    }
    profile_add(p, TABLE_SAMPLES,
                &(struct profile_sample){.rank = rank,
                                         .from_site = site_in_line(p, 3),
                                         .from_operation = bcast,
                                         .site = PROFILE_NONE,
                                         .operation = PROFILE_NONE,
                                         .stack = stack,
                                         .ns = n * LEDGER_SAMPLE_NS});
}

/* Rank 1 is outside of MPI for 0.4 s more: the function that the code between two calls has called
 * is named with the line of its most frequent stack, if it explains a third of that beyond chance.
 */
Test(findings, samples_name_the_function)
{
    static const struct {
        /* Samples: of rank 0 in each of f's two lines and g; of rank 1 in each. */
        uint64_t others, f, more_f, g;
        const char *text; /* NULL: nothing is said */
        bool some;        /* some rank has no samples, but did not execute less */
    } cases[] = {{9, 20, 29, 9,
                  " Samples attribute 310 ms more than on other ranks to f.c:12 f, between "
                  "MPI_Bcast at solve.c:3 solve and MPI_Finalize."},
                 {9, 49, 9, 9, " more than on other ranks to f.c:11 f, "},
                 {9, 9, 9, 49, " 400 ms more than on other ranks to f.c:60 g, "},
                 {9, 9, 23, 9, NULL}, /* 0.14 s, but by chance */
                 {0, 0, 14, 0, " Samples attribute 140 ms more "},
                 {0, 0, 13, 0, NULL},  /* below a third */
                 {0, 12, 0, 12, NULL}, /* in two functions, each below a third */
                 {0, 0, 40, 0, NULL, true},
                 {9, 9, 9, 9, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct profile *p = made(&(struct known){.mpi = {0.4, 0}});
        if (cases[i].some)
            profile_warn(p, PROFILE_NOT_SAMPLED ": no reason");
        add_samples(p, 0, 11, cases[i].others);
        add_samples(p, 0, 12, cases[i].others);
        add_samples(p, 0, 60, cases[i].others);
        add_samples(p, 1, 11, cases[i].f);
        add_samples(p, 1, 12, cases[i].more_f);
        add_samples(p, 1, 60, cases[i].g);
        struct document *d = findings_of(p);
        const char *text = json_string_value(json_object_get(found(d, "imbalance"), "text"));
        cr_expect(cases[i].text ? strstr(text, cases[i].text) != NULL : !strstr(text, "Samples"),
                  "case %zu: %s", i, text);
        document_free(d);
    }
}
