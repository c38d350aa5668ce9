/* Protects what "95 % interval" means: drawn again and again, it contains the true value in 93 to
 * 97 of 100 series, also where operations depend on those before, where the machine drifts, and
 * where every launch of the program has a level of its own. Fixed seeds. */
#include "base/stats.h"
#include "measure/series.h"
#include "unit.h"

#include <stdint.h>

enum { MOST = 3000 };
static const double truth = 100;

static double uniform(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *state)
{
    double radius = sqrt(-2 * log(uniform(state)));
    return radius * cos(6.283185307179586 * uniform(state));
}

/* Each value keeps CORRELATION of the one before. */
static void draw_correlated(double *x, size_t n, double correlation, double sd, uint64_t *state)
{
    double level = normal(state);
    for (size_t i = 0; i < n; i++) {
        x[i] = truth + sd * level;
        level = correlation * level + sqrt(1 - correlation * correlation) * normal(state);
    }
}

static void expect_share(const char *what, size_t covered, size_t of)
{
    double share = (double)covered / (double)of;
    printf("%s: %.1f %%\n", what, 100 * share);
    cr_assert(share >= 0.93 && share <= 0.97, "%s: %.1f %%", what, 100 * share);
}

Test(coverage, of_the_median_of_one_series)
{
    static const struct kind {
        const char *name;
        double correlation, drift; /* of what is added to independent noise: 0 or 1 */
        size_t n;
    } kinds[] = {
        {"independent, 100", 0, 0, 100},
        {"lag-1 correlation 0.5, 100", 0.5, 0, 100},
        {"lag-1 correlation 0.9, 300", 0.9, 0, 300},
        {"drifting, 3000", 0.95, 1, MOST},
    };
    enum { SERIES = 1000 };
    uint64_t state = 88172645463325252u;
    for (const struct kind *k = kinds; k < kinds + sizeof kinds / sizeof *kinds; k++) {
        static double x[MOST];
        size_t covered = 0;
        for (int series = 0; series < SERIES; series++) {
            draw_correlated(x, k->n, k->correlation, 1, &state);
            for (size_t i = 0; k->drift > 0 && i < k->n; i++)
                x[i] += normal(&state);
            struct summary s = stats_summarize(x, k->n);
            covered += s.median_low <= truth && truth <= s.median_high;
        }
        expect_share(k->name, covered, SERIES);
    }
}

/* The next samples of those drawn; none for the warm-up. */
struct drawn {
    double x[MOST];
    size_t n;
};

static int take(void *arg, const struct batch *b, double *value, int *n)
{
    struct drawn *d = arg;
    *n = b->repetitions;
    memcpy(value, d->x + d->n, (size_t)*n * sizeof *value);
    d->n += *n > 1 ? (size_t)*n : 0;
    return MPI_SUCCESS;
}

/* A series that stops when its interval is narrow has looked more than once. */
Test(coverage, of_a_series_that_stops_by_its_interval)
{
    enum { SERIES = 500 };
    uint64_t state = 521288629u;
    size_t covered = 0;
    struct plan plan = plan_default();
    plan.budget = plan.warmup = 0;
    plan.repeats_max = MOST / plan.repetitions;
    for (int k = 0; k < SERIES; k++) {
        static struct drawn d;
        struct series s;
        d.n = 0;
        draw_correlated(d.x, MOST, 0.5, 20, &state);
        cr_assert_eq(series_measure(MPI_COMM_SELF, &plan, 0, take, &d, &s), MPI_SUCCESS);
        struct estimate e = samples_estimate(&s.samples);
        covered += e.low <= truth && truth <= e.high;
        series_free(&s);
    }
    expect_share("stopped by its interval", covered, SERIES);
}

Test(coverage, dependent_samples_are_worth_few)
{
    double x[200];
    for (size_t i = 0; i < 200; i++)
        x[i] = i < 100 ? 1 : 2;
    cr_assert_lt(stats_summarize(x, 200).effective, 6, "two levels are two samples");
    for (size_t i = 0; i < 200; i++)
        x[i] = i % 2 ? 1 : 2;
    cr_assert_float_eq(stats_summarize(x, 200).effective, 200, 0, "taking turns is no dependence");
}
