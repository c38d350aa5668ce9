/* The estimator of clock differences, against clocks whose offset and drift are set here. */
#include "sync/estimate.h"
#include "unit.h"

#include <stdint.h>

struct world {
    double offset, drift; /* global = local + offset + drift local */
    double least, spread; /* one-way time: least, plus up to spread, each way on its own */
    uint64_t seed;
    double change, from; /* the drift is other by CHANGE from the local moment FROM on */
};

static double noise(struct world *w)
{
    w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(w->seed >> 40) / (double)(1u << 24);
}

static double global_of(const struct world *w, double local)
{
    return local + w->offset + w->drift * local + w->change * fmax(0, local - w->from);
}

static double local_of(const struct world *w, double global)
{
    double local = (global - w->offset) / (1 + w->drift);
    double after = fmax(0, local - w->from);
    return local - after + after * (1 + w->drift) / (1 + w->drift + w->change);
}

/* A burst of N exchanges that begins at a local moment. */
static struct sync_point burst(struct world *w, double local, size_t n)
{
    struct sync_exchange e[200];
    for (size_t i = 0; i < n; i++) {
        e[i].sent = local;
        e[i].arrived = global_of(w, local) + w->least + w->spread * noise(w);
        e[i].replied = e[i].arrived + 1e-7;
        e[i].received = local_of(w, e[i].replied + w->least + w->spread * noise(w));
        local = e[i].received + 1e-7;
    }
    return sync_point_from(e, n);
}

static double error_at(const struct world *w, const struct sync_line *l, double local)
{
    return local + l->offset + l->drift * (local - l->origin) - global_of(w, local);
}

/* Up and down the line: the tightest bounds come from different exchanges, so that the result is
 * better than the exchange with the shortest round trip alone. */
Test(sync, bounds_of_two_exchanges_are_combined)
{
    struct sync_exchange e[2] = {
        {.sent = 0, .arrived = 101, .replied = 101, .received = 12},  /* up fast, down slow */
        {.sent = 20, .arrived = 131, .replied = 131, .received = 32}, /* the other way round */
    };
    struct sync_point p = sync_point_from(e, 2);
    /* Less what may have drifted in the 20 s between the two. */
    cr_assert_float_eq(p.offset, 100, 20 * SYNC_DRIFT_UNKNOWN);
    cr_assert_geq(p.bound, 1);
    cr_assert_float_eq(p.bound, 1, 20 * SYNC_DRIFT_UNKNOWN);
}

/* The moment of a burst is that of the shortest trip, from which the parent's hold is taken off. */
Test(sync, the_shortest_trip_is_the_moment)
{
    struct sync_exchange e[3] = {
        {.sent = 0, .arrived = 103, .replied = 103, .received = 6},
        {.sent = 10, .arrived = 110.5, .replied = 120.5, .received = 21}, /* held for 10 of 11 */
        {.sent = 30, .arrived = 131, .replied = 131, .received = 32},
    };
    struct sync_point p = sync_point_from(e, 3);
    cr_assert_float_eq(p.local, 15.5, 1e-9);
    cr_assert_float_eq(p.offset, 100, 20 * SYNC_DRIFT_UNKNOWN);
}

/* A thousand clocks that drift by up to 500 ppm, as one that the kernel slews may, seen by one
 * burst of up to 60 ms or by several: at any moment afterwards and between the error is within the
 * stated bound. (A rate that changes after the last point is not in it.) */
Test(sync, drifts_of_500_ppm_stay_within_the_bound)
{
    struct world draw = {.seed = 4711};
    int outside = 0;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        struct world w = {.offset = 100 * noise(&draw),
                          .drift = (2 * noise(&draw) - 1) * 500e-6,
                          .least = 5e-7 + 1e-5 * noise(&draw),
                          .spread = 3e-4 * noise(&draw),
                          .seed = seed};
        struct sync_point p[4];
        int n = 1 + (int)(seed % 4);
        for (int i = 0; i < n; i++)
            p[i] = burst(&w, 50 + 0.25 * i, 100);
        struct sync_line line = sync_line_through(p, (size_t)n);
        double t = 50 + 3 * noise(&draw);
        outside += fabs(error_at(&w, &line, t)) > sync_line_bound(&line, t) + 1e-11;
    }
    cr_assert_eq(outside, 0, "%d of 1000 readings outside", outside);
}

/* Four points, readings for up to 3 s, in which the rate changes once, and a fifth point: of these
 * readings none is off by more than the fifth says, though many of them are beyond the bound that
 * was known before it. */
Test(sync, readings_around_a_change_of_rate)
{
    struct world draw = {.seed = 815};
    int outside = 0, beyond = 0;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        double end = 51 + 3 * noise(&draw);
        struct world w = {.offset = 100 * noise(&draw),
                          .drift = (2 * noise(&draw) - 1) * 500e-6,
                          .least = 5e-7 + 1e-5 * noise(&draw),
                          .spread = 1e-5 * noise(&draw),
                          .seed = seed,
                          .change = (2 * noise(&draw) - 1) * 500e-6,
                          .from = 51 + (end - 51) * noise(&draw)};
        struct sync_point p[4];
        for (int i = 0; i < 4; i++)
            p[i] = burst(&w, 50 + 0.25 * i, 100);
        struct sync_line line = sync_line_through(p, 4);
        struct sync_point fifth = burst(&w, end, 100);
        double t = p[3].local + (end - p[3].local) * noise(&draw);
        double error = fabs(error_at(&w, &line, t));
        outside += error > sync_line_missed(&line, &fifth) + 1e-11;
        beyond += error > sync_line_bound(&line, t) + 1e-11;
    }
    cr_assert_eq(outside, 0, "%d of 1000 readings outside", outside);
    cr_assert_gt(beyond, 200, "only %d", beyond);
}

/* Points of bursts, from which readings are taken later: the drift that is found, and the error of
 * each reading, within the bound that is stated for it. */
static const struct {
    struct world world;
    int points;
    double from, apart; /* of the points */
    double until;       /* of the readings, from the first point on */
    double drift_error, error_most;
} lines[] = {
    /* An offset of days and a drift of 20 ppm, measured at the start and at the end. */
    {{.offset = -9e4, .drift = 2e-5, .least = 4e-7, .spread = 1e-5}, 2, 900, 10, 910, 1e-6, 5e-7},
    /* Points during the first seconds only, then 10 s on nothing but the line. */
    {{.offset = 3, .drift = -35e-6, .least = 4e-7, .spread = 1e-5}, 8, 100, 0.5, 114, 1, 1},
    /* The noise of two points is no drift, and must not be laid out over 10 s as one (some 20 us).
     */
    {{.offset = 100, .least = 4e-7, .spread = 3e-6}, 2, 50, 0.01, 60, 0, 0.5e-6},
    /* Messages take far longer than they differ: a drift that the bounds leave open, and none. */
    {{.offset = 3, .drift = 15e-6, .least = 2e-5, .spread = 2e-5}, 5, 100, 0.25, 110, 2e-6, 1},
    {{.offset = 3, .least = 2e-5, .spread = 2e-5}, 5, 100, 0.25, 110, 2e-6, 1},
};

Test(sync, lines_through_points)
{
    for (uint64_t k = 0; k < 100 * sizeof lines / sizeof *lines; k++) {
        const __typeof__(*lines) *l = &lines[k / 100];
        struct world w = l->world;
        struct sync_point p[8];
        w.seed = 1 + k % 100;
        for (int i = 0; i < l->points; i++)
            p[i] = burst(&w, l->from + l->apart * i, 100);
        struct sync_line line = sync_line_through(p, (size_t)l->points);
        cr_assert_leq(fabs(line.drift - w.drift), l->drift_error, "case %d: drift %g", (int)k,
                      line.drift);
        for (double t = l->from; t <= l->until; t += 0.5) {
            double error = fabs(error_at(&w, &line, t)), bound = sync_line_bound(&line, t);
            cr_assert_leq(error, bound + 1e-10, "case %d at %g: %g > %g", (int)k, t, error, bound);
            cr_assert_lt(error, l->error_most, "case %d at %g: %g", (int)k, t, error);
        }
    }
}

/* A child of a child of the global clock: by way of its parent's own clock, no surer than both. */
Test(sync, one_line_after_the_other)
{
    struct sync_line first = {.origin = 10,
                              .offset = 5,
                              .drift = 100e-6,
                              .bound = 1e-6,
                              .drift_bound = 2e-6,
                              .from = 10,
                              .to = 14};
    struct sync_line second = {.origin = 15,
                               .offset = -3,
                               .drift = -50e-6,
                               .bound = 4e-6,
                               .drift_bound = 3e-6,
                               .from = 15,
                               .to = 18};
    struct sync_line both = sync_line_compose(&first, &second), root = {0};
    double parent = 20 + 5 + 100e-6 * 10, global = parent - 3 - 50e-6 * (parent - 15);
    cr_assert_float_eq(20 + both.offset + both.drift * (20 - both.origin), global, 1e-12);
    cr_assert_float_eq(both.bound, 5e-6, 1e-12);
    cr_assert_float_eq(both.drift_bound, 5e-6, 1e-12);
    cr_assert_float_eq(both.to, 10 + 3 / 1.0001, 1e-9);
    both = sync_line_compose(&first, &root);
    cr_assert(both.offset == 5 && both.to == 14 && both.bound == 1e-6);
}

/* A point taken while a processor was away (3 ms wide) after a good one: the line and its bound
 * stay those of the good one. */
Test(sync, wide_point_is_left_out)
{
    struct sync_point p[2] = {{.local = 10, .offset = 5, .bound = 1e-6},
                              {.local = 10.1, .offset = 5.002, .bound = 3e-3}};
    struct sync_line line = sync_line_through(p, 2);
    cr_assert_eq(line.offset, 5);
    cr_assert_eq(line.drift, 0);
    cr_assert_eq(line.bound, 1e-6);
    cr_assert_leq(sync_line_bound(&line, 10.1), 0.1 * SYNC_DRIFT_UNKNOWN + 2e-6);
}

/* Whom each of N ranks follows where the error of pair A, B is ERROR_OF(A, B). */
static void tree_of(int n, double (*error_of)(int a, int b), int *parent)
{
    int distance[SYNC_DISTANCES_MAX], k = sync_distances(n, distance);
    FREED double *error = calloc((size_t)n * (size_t)k, sizeof *error);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k && i + distance[j] < n; j++)
            error[i * k + j] = error_of(i, i + distance[j]);
    cr_assert_eq(sync_tree(n, k, distance, error, parent), 0);
}

static double behind_rank_4(int a, int b)
{
    return a == 4 || b == 4 ? 15e-3 : 8e-6;
}

/* A rank behind a slow path passes its error on to nobody. */
Test(sync, nobody_follows_a_slow_rank)
{
    for (int n = 6; n <= 1000; n = 3 * n + 1) {
        int *parent = calloc((size_t)n, sizeof *parent);
        tree_of(n, behind_rank_4, parent);
        cr_expect_eq(parent[0], -1);
        for (int i = 1; i < n; i++)
            cr_expect(parent[i] >= 0 && parent[i] != 4 && parent[i] != i, "%d of %d", i, n);
        free(parent);
    }
}

static double along_a_line(int a, int b)
{
    return a < b ? b - a + 1e-3 : a - b + 1e-3;
}

static double by_steps(int a, int b)
{
    return (a < b ? b - a : a - b) > 1 ? 10 : 1;
}

/* The sum counts, not the number of hops; and all of few ranks are tried. */
Test(sync, the_least_sum_of_round_trips)
{
    int parent[12], distance[SYNC_DISTANCES_MAX];
    tree_of(12, along_a_line, parent);
    for (int i = 1; i < 12; i++)
        cr_expect_eq(parent[i], 0, "rank %d follows %d", i, parent[i]);
    tree_of(8, by_steps, parent);
    for (int i = 1; i < 8; i++)
        cr_expect_eq(parent[i], i - 1, "rank %d follows %d", i, parent[i]);
    cr_expect_eq(sync_distances(1, distance), 0);
    cr_expect_eq(sync_distances(12, distance), 11);
    cr_expect_eq(sync_distances(1 << 30, distance), 30);
}
