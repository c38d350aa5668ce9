/* The whole layer over the fake MPI: what is recorded of layer_app.c, whose calls and times are
 * known, and what is measured in its run. */
#include "deny_sampling.h"
#include "layer_run.h"

#include <math.h>

/* Before a broadcast rank 2 works 7 ms, before that rank 0 5 ms before its calls for messages; rank
 * 3 2 ms before each of the four barriers. */
static void expect_outside(const json_t *p)
{
    size_t i, r;
    const json_t *a, *ns;
    json_array_foreach(json_object_get(p, "arrivals"), i, a) {
        const char *name = of_operation(p, a, "name");
        const double of_bcast[] = {5, 0, 7, 0};
        cr_expect_eq(json_array_size(json_object_get(a, "outside_ns")), RANKS);
        json_array_foreach(json_object_get(a, "outside_ns"), r, ns) {
            double ms = !strcmp(name, "MPI_Bcast")               ? of_bcast[r]
                        : r == 3 && !strcmp(name, "MPI_Barrier") ? 8
                                                                 : 0;
            double is = json_number_value(json_array_get(ns, 0)) / 1e6;
            cr_expect_float_eq(is, ms, 0.04, "rank %zu, %s: %g ms", r, name, is);
        }
    }
}

Test(layer, blocking_calls)
{
    setenv("UCX_TLS", "a", 1);
    setenv("OMPI_MCA_ess_base_vpid", "1", 1);
    setenv("UCX_MY_TOKEN", "1", 1);
    json_auto_t *p = profile_of("blocking", NULL);
    FREED char *run = json_dumps(json_object_get(p, "run"), JSON_COMPACT);
    cr_expect(strstr(run, "\"UCX_TLS=a\"") && strstr(run, "\"has_variables\":true"), "%s", run);
    cr_expect(!strstr(run, "vpid") && !strstr(run, "TOKEN"), "%s", run);
    EXPECT(p, "MPI_Init_thread", "calls", 4);
    EXPECT(p, "MPI_Allreduce", "calls", 40);
    EXPECT(p, "MPI_Allreduce", "bytes", 160);
    EXPECT(p, "MPI_Send", "calls", 2);
    EXPECT(p, "MPI_Send", "bytes", 300);
    EXPECT(p, "MPI_Recv", "bytes", 300);
    EXPECT_MS(p, "MPI_Recv", "time_ns", 5);
    EXPECT(p, "MPI_Sendrecv", "bytes", 40);
    EXPECT_MS(p, "MPI_Sendrecv", "time_ns", 5); /* rank 1's left neighbour and rank 3's right one */
    EXPECT(p, "MPI_Bcast", "bytes", 800);
    EXPECT_MS(p, "MPI_Barrier", "time_ns", 4 * (3 * 2 + 0.1));
    EXPECT(p, "MPI_Gather", "calls", 4);
    size_t i, late = 0;
    const json_t *a, *r;
    json_array_foreach(json_object_get(p, "arrivals"), i, a) {
        if (strcmp(of_operation(p, a, "name"), "MPI_Barrier") != 0)
            continue;
        late++;
        cr_expect_eq(number(a, "instances"), 4);
        cr_expect_eq(number(a, "cost_rank"), 3);
        cr_expect_float_eq(number(a, "wait_ns") / 1e6, 4 * 3 * 2, 0.2);
        cr_expect_float_eq(number(a, "skew_median_ns") / 1e6, 2, 0.1);
    }
    cr_expect_eq(late, 1);
    expect_outside(p);
    json_array_foreach(json_object_get(p, "ranks"), i, r) {
        cr_expect_eq(number(r, "rank"), i);
        cr_expect_str_eq(json_text_at(r, "state"), "finalized");
        cr_expect_float_eq(number(r, "wall_seconds"), 0.0204, 0.0004);
        cr_expect_eq(number(r, "untracked_requests"), 0);
    }
    json_array_foreach(json_object_get(p, "sites"), i, r)
        cr_expect(i == 0 || json_array_size(json_object_get(r, "frames")) > 0);
}

Test(layer, requests)
{
    json_auto_t *p = profile_of("requests", NULL);
    EXPECT(p, "MPI_Irecv", "calls", 24);
    EXPECT(p, "MPI_Irecv", "completed", 24);
    EXPECT(p, "MPI_Irecv", "bytes", 4 * (5 * 100 + 50));
    EXPECT(p, "MPI_Isend", "calls", 24);
    EXPECT(p, "MPI_Isend", "completed", 20); /* to MPI_PROC_NULL there is none */
    EXPECT(p, "MPI_Issend", "completed", 4);
    EXPECT(p, "MPI_Waitall", "calls", 20);
    EXPECT(p, "MPI_Wait", "calls", 12);
    EXPECT(p, "MPI_Isend", "complete_at_wait", 20);
    EXPECT(p, "MPI_Irecv", "complete_at_wait", 24);
    EXPECT_MS(p, "MPI_Ibarrier", "wait_ns", 0);
    EXPECT_MS(p, "MPI_Ibarrier", "post_to_completion_ns", 3);
    EXPECT(p, "MPI_Ibarrier", "completed", 4);
    EXPECT_MS(p, "MPI_Ibarrier", "post_to_wait_ns", 3);
    EXPECT_MS(p, "MPI_Isend", "post_to_wait_ns", 20);
    EXPECT_MS(p, "MPI_Issend", "post_to_wait_ns", 0.12);
    cr_expect_gt(sum(p, "MPI_Test", "calls"), 100);
    cr_expect_gt(number(json_array_get(json_object_get(p, "ranks"), 0), "polled_ns"), 0);
}

Test(layer, probes_and_requests_that_end_otherwise)
{
    json_auto_t *p = profile_of("probes", NULL);
    const json_t *prober = json_array_get(json_object_get(p, "ranks"), 1);
    cr_expect_gt(sum(p, "MPI_Iprobe", "calls"), 100);
    cr_expect_float_eq(number(prober, "polled_ns") / sum(p, "MPI_Iprobe", "calls"), 4000, 400);
    EXPECT(p, "MPI_Recv", "calls", 5);
    EXPECT(p, "MPI_Recv", "bytes", 70 + 4 * 40);
    EXPECT(p, "MPI_Irecv", "calls", 12);
    EXPECT(p, "MPI_Irecv", "cancelled", 4);
    EXPECT(p, "MPI_Irecv", "completed", 8);
    EXPECT(p, "MPI_Irecv", "bytes", 4 * (20 + 30));
    EXPECT(p, "MPI_Waitany", "calls", 8);
    EXPECT_MS(p, "MPI_Irecv", "post_to_wait_ns", 4 * 2);
    EXPECT(p, "MPI_Isend", "bytes", 160);
    const json_t *r = json_array_get(json_object_get(p, "regions"), 0);
    cr_expect_str_eq(json_text_at(r, "name"), "probing");
    cr_expect_eq(number(r, "entered"), 4);
    cr_expect_float_eq(number(r, "time_ns") / 1e6, 4, 0.2);
}

/* The time of an inner region is none of the outer one; one that is open at the end has its time.
 */
Test(layer, regions)
{
    static const struct {
        const char *name;
        double entered, ms, calls, mpi_ms;
    } known[] = {{"inner", 12, 48, 12, 36}, {"open", 4, 2, 0, 0}, {"outer", 4, 12, 12, 0}};
    json_auto_t *p = profile_of("regions", NULL);
    for (size_t i = 0, k; i < 3; i++) {
        const json_t *r = json_array_get(json_object_get(p, "regions"), i), *e;
        double calls = 0, time = 0, open = number(r, "time_ns") / 1e6;
        json_array_foreach(json_object_get(p, "entries"), k, e) {
            if (json_is_null(json_object_get(e, "region")) || number(e, "region") != i)
                continue;
            calls += number(e, "calls");
            time += number(e, "time_ns") / 1e6;
        }
        cr_expect_str_eq(json_text_at(r, "name"), known[i].name);
        cr_expect_eq(number(r, "entered"), known[i].entered);
        cr_expect_float_eq(open, known[i].ms, 0.5, "%s: %g ms", known[i].name, open);
        cr_expect_eq(calls, known[i].calls, "%s: %g calls", known[i].name, calls);
        cr_expect_float_eq(time, known[i].mpi_ms, 0.5, "%s: %g ms in MPI", known[i].name, time);
    }
}

/* What MPI calls back is not counted twice, and not timed outside of MPI. */
Test(layer, callbacks)
{
    json_auto_t *p = profile_of("callbacks", NULL);
    EXPECT(p, "MPI_Barrier", "calls", 0);
    EXPECT(p, "MPI_Comm_free", "calls", 12);
    EXPECT(p, "MPI_Gather", "calls", 12);
}

Test(layer, communicators)
{
    json_auto_t *p = profile_of("communicators", NULL);
    cr_expect_eq(sum_on(p, "MPI_Allreduce", "calls", 2), 12);
    cr_expect_eq(sum_on(p, "MPI_Bcast", "calls", 4), 8);
    cr_expect_eq(sum_on(p, "MPI_Barrier", "calls", 1), 4);
    EXPECT(p, "MPI_Comm_free", "calls", 12);
    size_t i;
    double created[5] = {0};
    const json_t *c;
    json_array_foreach(json_object_get(p, "communicators"), i, c) {
        const char *name = json_text_at(c, "name");
        created[(int)number(c, "size")] += number(c, "created");
        cr_expect(!*name || !strcmp(name, "MPI_COMM_WORLD"), "%s is MPI's own name", name);
    }
    cr_expect_eq(created[4], 3, "MPI_COMM_WORLD and two copies: %g", created[4]);
    cr_expect_eq(created[2], 2);
}

Test(layer, errors_and_switches)
{
    json_t *p = profile_of("errors", NULL);
    EXPECT(p, "MPI_Recv", "errors", 1);
    EXPECT(p, "MPI_Recv", "bytes", 0);
    EXPECT(p, "MPI_Send", "errors", 0);
    EXPECT(p, "MPI_Wait", "errors", 1);
    EXPECT(p, "MPI_Irecv", "completed", 0);
    EXPECT(p, "MPI_Bcast", "errors", 1);
    EXPECT(p, "MPI_Barrier", "calls", 4);
    cr_expect_eq(total(p, "arrivals", "instances"), 1, "a call that is refused has no number");
    json_decref(p);
    p = profile_of("errors", "START=no");
    EXPECT(p, "MPI_Send", "calls", 0);
    EXPECT(p, "MPI_Barrier", "calls", 4);
    json_decref(p);
}

/* Every message is matched, also one that is cut off; MS: of waiting. */
static void expect_trace(const char *scene, int messages, double ms)
{
    json_auto_t *p = profile_of(scene, "TRACE=calls");
    const json_t *t = json_object_get(p, "trace");
    cr_expect_eq(number(t, "sends"), messages, "%s: %g sends", scene, number(t, "sends"));
    cr_expect_eq(number(t, "receives"), messages);
    cr_expect_eq(number(t, "matched"), messages);
    cr_expect_eq(number(t, "contradictions"), 0);
    cr_expect_eq(number(t, "unnumbered"), 0);
    cr_expect_eq(number(t, "covered"), 1);
    cr_expect_float_eq(number(t, "wait_ns") / 1e6, ms, 0.2, "%s: %g ms", scene,
                       number(t, "wait_ns") / 1e6);
}

Test(layer, trace)
{
    expect_trace("blocking", 5, 5 + 5 + (7 + 7 + 12) + 4 * 3 * 2);
    expect_trace("requests", 24, 0);
    expect_trace("probes", 13, 2 + 1 + 1);
    expect_trace("errors", 2, 0);
    expect_trace("communicators", 0, 2 * 3 * 2);
}

/* The findings of a KIND; the calls of the application are there as without them. */
static const json_t *measured(json_t *p, const char *kind)
{
    EXPECT(p, "MPI_Bcast", "calls", 200);
    EXPECT(p, "MPI_Bcast", "bytes", 80000);
    EXPECT(p, "MPI_Barrier", "calls", 200);
    const json_t *found = json_object_get(json_object_get(p, "findings"), kind);
    cr_assert_gt(json_array_size(found), 0, "no finding %s", kind);
    return found;
}

Test(layer, acknowledged_broadcasts)
{
    json_auto_t *p = profile_of("broadcasts", "ACK=100");
    const json_t *row = json_array_get(measured(p, "ack"), 0), *d;
    double answers = 0;
    size_t i;
    cr_expect_eq(json_array_size(measured(p, "ack")), 1);
    cr_expect_eq(number(row, "broadcasts"), 50);
    cr_expect_eq(number(row, "ranks"), RANKS);
    cr_expect_eq(number(row, "bytes"), 400);
    json_array_foreach(json_object_get(row, "destinations"), i, d) {
        answers += number(d, "acknowledged");
        cr_expect_eq(number(d, "destination"), i + 1);
        if (i < 2) /* the root sends one after the other; rank 3 is late */
            cr_expect_float_eq(number(d, "ol_us"), 11.4 + (double)i, 0.1);
        cr_expect_eq(number(d, "given_up"), 0);
    }
    cr_expect_eq(i, 3);
    cr_expect_eq(answers, number(row, "asked"));
}

/* Calls that a rare acknowledgement may have delayed are excluded: times are as without any. */
Test(layer, excluded_calls)
{
    for (int share = 0; share < 30; share += 27) {
        char setting[20];
        snprintf(setting, sizeof setting, "ACK=%d", share);
        json_t *p = profile_of("broadcasts", setting);
        double excluded = sum(p, "MPI_Barrier", "excluded");
        cr_expect_eq(excluded, share ? 48 : 0);
        cr_expect_eq(sum(p, "MPI_Bcast", "excluded"), excluded);
        cr_expect_float_eq(sum(p, "MPI_Barrier", "time_ns") / (200 - excluded), 771461, 800);
        cr_expect_float_eq(sum(p, "MPI_Bcast", "time_ns") / (200 - excluded), 2562, 130);
        json_decref(p);
    }
}

/* By methods that have a meaning for an operation, and no others: as with all ranks there, and as
 * they arrive, rank 3 1 ms after the others, when all has been sent. */
Test(layer, benchmarks_of_the_applications_collectives)
{
    static const struct {
        const char *method;
        double bcast_us, barrier_us; /* 0: not measured */
    } known[] = {{"median arrival", 0.05, 24.05},
                 {"send-latency", 3.05, 24.05},
                 {"rounds", 12.2, 0},
                 {"rounds-backward", 12.7, 0},
                 {"rounds-random", 12.45, 0},
                 {"barrier", 27.5, 48.1},
                 {"ring-barrier", 48.15, 80.15},
                 {"acknowledge", 24.5, 0},
                 {"ol", 13.45, 0},
                 {"held", 13.45, 24.05},
                 {"direct", 13.45, 24.05},
                 {"gap", 3.05, 24.05},
                 {"overhead", 3.05, 0}};
    json_auto_t *p = profile_of("broadcasts", "BENCHMARK=all");
    size_t i, n, k, rows = 0, as_arrived = 0;
    const json_t *f, *m;
    cr_expect_eq(json_array_size(measured(p, "benchmark")), 2);
    json_array_foreach(measured(p, "benchmark"), i, f) {
        bool bcast = !strcmp(json_text_at(f, "operation"), "MPI_Bcast");
        cr_expect_eq(number(f, "bytes"), bcast ? 400 : 0);
        json_array_foreach(json_object_get(f, "methods"), n, m) {
            for (k = 0; k < 12 && strcmp(known[k].method, json_text_at(m, "method")) != 0;)
                k++;
            double us = bcast ? known[k].bcast_us : known[k].barrier_us, is = number(m, "time_us");
            double apart = number(m, "replayed_apart_us") - number(m, "recorded_apart_us");
            cr_expect(us > 0 && fabs(is - us) < 0.06, "%s: %g us", json_text_at(m, "method"), is);
            cr_expect(k > 0 || fabs(apart) < 0.1);
            as_arrived += k == 0;
            rows++;
        }
    }
    cr_expect(as_arrived == 2 && rows == 20, "%zu rows", rows);
    const json_t *r = json_array_get(json_object_get(p, "ranks"), 0);
    double ns = number(r, "injected_ns");
    cr_expect(ns > 1e6 && ns < 1e9 * number(r, "wall_seconds"));
    cr_expect_float_eq(sum(p, "MPI_Barrier", "time_ns") / 1e6, 150, 5); /* without NS */
}

/* All algorithms take as long, so none is better. What is measured is in no call's time, and the
 * cost of --benchmark is no part of the share. */
Test(layer, tunes_the_applications_collectives)
{
    setenv("COLLPROF_TUNE_SHARE", "90", 1);
    setenv("COLLPROF_BENCHMARK", "all", 1);
    json_auto_t *p = profile_of("broadcasts", "TUNE=exact");
    size_t i;
    const json_t *f, *candidates;
    cr_assert_eq(json_array_size(measured(p, "tune")), 2);
    json_array_foreach(measured(p, "tune"), i, f) {
        bool bcast = !strcmp(json_text_at(f, "operation"), "MPI_Bcast");
        candidates = json_object_get(f, "candidates");
        cr_expect_eq(number(f, "calls"), 50);
        cr_expect_eq(number(f, "bytes"), bcast ? 400 : 0);
        cr_expect_float_eq(number(f, "now_us"), bcast ? 0.05 : 24.05, 0.05);
        cr_expect_str_empty(json_text_at(f, "best"));
        cr_expect_eq(json_array_size(candidates), bcast ? 6 : 3, "ours, too");
        cr_expect_float_eq(number(json_array_get(candidates, 2), "ratio"), 1, 0.02);
    }
    cr_expect_float_eq(sum(p, "MPI_Barrier", "time_ns") / 1e6, 150, 5);
}

/* An internal communicator may take as long as 1000 calls, with this share after 100. */
Test(layer, no_tuning_of_what_is_soon_freed)
{
    setenv("COLLPROF_TUNE_SHARE", "1000", 1);
    json_auto_t *p = profile_of("lives", "TUNE=all");
    const json_t *found = json_object_get(json_object_get(p, "findings"), "tune"),
                 *r = json_array_get(json_object_get(p, "ranks"), 0);
    cr_expect_eq(json_array_size(found), 1);
    cr_expect_eq(json_array_size(json_object_get(p, "communicators")), 5, "four of one site");
    cr_expect_float_eq(number(json_array_get(found, 0), "calls"), 500 - 100 - 5, 2);
    cr_expect(number(r, "injected_ns") < 0.02e9 * number(r, "wall_seconds"));
}

/* Nothing begins that does not fit the share, not even Open MPI's tool interface, which takes 0.2
 * s. An interface that starts in MPI_Init counts, too. The share is of the run without it. */
Test(layer, tuning_keeps_its_share)
{
    static const char none[] = "4 of 4 ranks have an MPI library whose algorithms",
                      *const names[] = {"FAKE_LIBRARY", "FAKE_RULES", "COLLPROF_TUNE_SHARE",
                                        "FAKE_WITHOUT"},
                      *const cases[][5] = {
                          {"Open MPI", "1", "9", "-1", "the run is too short: 7.778 s"},
                          {"MPICH Version: 0.1", "1", "9", "-1", "the run is too short: 7.066 s"},
                          {"Open MPI", "0", "9", "-1", none},
                          {"Open MPI", "-13", "9", "-1", none},
                          {"Open MPI", "1", "50", "2", "no algorithm is available on all ranks"},
                          {"Open MPI", "1", "50", "-1", NULL}};
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < 4; k++)
            setenv(names[k], cases[i][k], 1);
        json_t *p = profile_of("steps", "TUNE=all");
        const json_t *r = json_array_get(json_object_get(p, "ranks"), 0),
                     *w = json_array_get(json_object_get(p, "warnings"), 0);
        const char *why = json_string_value(w) ?: "";
        cr_expect(!cases[i][4] || strstr(why, cases[i][4]), "%d: %s", i, why);
        cr_expect_eq(json_object_get(json_object_get(p, "findings"), "tune") != NULL, i == 5);
        cr_expect_float_eq(number(r, "wall_seconds"), i == 1 || i > 3 ? 3.21 : 3.01, 0.02);
        json_decref(p);
    }
}

Test(layer, other_broadcasts)
{
    json_t *p = profile_of("broadcasts", "BCAST=chain");
    const json_t *row = json_array_get(measured(p, "broadcast"), 0);
    cr_expect_str_eq(json_text_at(row, "algorithm"), "chain");
    cr_expect_eq(number(row, "calls"), 50);
    cr_expect_float_eq(number(row, "seen_us"), 1010, 5);
    EXPECT_MS(p, "MPI_Bcast", "time_ns", 1.05);
    json_decref(p);
    p = profile_of("broadcasts", "BCAST=grid");
    row = json_array_get(measured(p, "broadcast"), 0);
    cr_expect_float_eq(number(row, "trial_us"), 13.45, 0.05);
    cr_expect_float_eq(number(row, "library_us"), 13.42, 0.05);
    cr_expect_str_eq(json_text_at(row, "algorithm"), "native");
    json_decref(p);
}

/* Between a barrier and a gather rank 1 computes for 240 ms, between that and the next call rank 2
 * for 120 ms, in a function that has one caller. */
Test(layer, samples)
{
    static const double computes[RANKS][2] = {[1] = {240}, [2] = {0, 120}};
    for (int by_timer = 0; by_timer < 2; by_timer++) {
        if (by_timer)
            deny_sampling();
        json_t *p = profile_of("samples", "SAMPLE=yes");
        const json_t *s = json_object_get(p, "samples"), *sites = json_object_get(p, "sites"),
                     *operations = json_object_get(p, "operations");
        double ms[RANKS][2] = {{0}}, known = 0, called = 0;
        const json_t *row;
        size_t k;
        json_array_foreach(s, k, row) {
            const double at = json_number_at(row, "stack"), is = number(row, "ns") / 1e6,
                         from = json_number_at(row, "from_operation");
            const json_t *frames =
                at >= 0 ? json_object_get(json_array_get(sites, (size_t)at), "frames") : NULL;
            const char *name =
                isnan(from) ? "" : json_text_at(json_array_get(operations, (size_t)from), "name");
            ms[(int)number(row, "rank")][!strcmp(name, "MPI_Gather")] += is;
            known += is;
            called += json_array_size(frames) > 2 ? is : 0;
        }
        for (int r = 0; r < RANKS; r++)
            for (int i = 0; i < 2; i++)
                cr_expect_float_eq(ms[r][i], computes[r][i], fmax(40, 0.4 * computes[r][i]),
                                   "%d: rank %d, %d: %g ms", by_timer, r, i, ms[r][i]);
        cr_expect_geq(called, 0.9 * known, "%g of %g ms have callers", called, known);
        json_decref(p);
    }
}
