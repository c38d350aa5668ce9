#include "measure/pairs/choose.h"

#include "base/try.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

const size_t choice_segments[CHOICE_SEGMENTS] = {0, 2048, 8192, 32768};

/* A prediction's interval is wider than the model's limits by at least this logarithm of a ratio.
 * It is fitted so that the interval contains 95 % of the times measured on other kinds of networks
 * than those of the fit: doc/methods.md, section 3. */
static const double error_least = 0.001;

/* ERROR_LEAST plus the logarithms of the slowdown of a pair while others are measured, and of the
 * variation of round trips, as a mean over all pairs, so that no single pair decides. */
static double error_of(const struct pairs *p)
{
    double varied = 0, n = 0;
    for (int s = 0; s < p->n_sizes; s++)
        for (size_t k = 0; k < (size_t)p->n * (size_t)p->n; k++) {
            double *const *of = p->size[s].of;
            if (of[PAIRS_MIN][k] > 0) {
                varied += log(of[PAIRS_MEDIAN][k] / of[PAIRS_MIN][k]);
                n++;
            }
        }
    return error_least + log(fmax(1, p->slowdown)) + varied / fmax(1, n);
}

void choice_free(struct choice *c)
{
    while (c->n > 0)
        schedule_free(&c->s[--c->n]);
}

/* Adds the schedule that BY builds, named as BY or, if CANDIDATE, "grid (BY)". */
static void choice_add(struct choice *c, const struct bcast *by, bool candidate,
                       const struct graph *g, int root, size_t segment, int segments)
{
    struct schedule s;
    if (c->n == CHOICE_MAX || !schedule_build(by, g, root, &s))
        return;
    if (candidate)
        snprintf(s.name, sizeof s.name, "%s (%s)", tree_grid.name, by->name);
    if (segments > 1) {
        s.segment = segment;
        schedule_predict(&s, g, segments);
    }
    int at = c->n++;
    for (; at > 0 && c->s[at - 1].completion > s.completion; at--)
        c->s[at] = c->s[at - 1];
    c->s[at] = s;
}

/* Adds the schedules with segments of SEGMENT bytes. The optimiser of "grid" works on whole
 * messages only; its result is one more candidate, named "grid". */
static bool choose_among(const struct pairs *p, int root, size_t bytes, size_t segment,
                         const struct bcast *builder, struct choice *c, char *why, size_t size)
{
    bool cut = segment > 0 && segment < bytes;
    int segments = cut ? (int)((bytes + segment - 1) / segment) : 1;
    struct graph g RELEASED(graph_free) = {0};
    if (!pairs_graph(p, root, cut ? segment : bytes, cut, 0, &g)) {
        snprintf(why, size, "no memory for %d ranks", p->n);
        return false;
    }
    bool all = builder == &tree_grid;
    for (size_t i = 0; all && i < n_bcast_candidates; i++)
        choice_add(c, bcast_candidates[i], true, &g, root, segment, segments);
    if (!all || !cut)
        choice_add(c, builder, false, &g, root, segment, segments);
    return true;
}

bool choice_find_schedules(const struct pairs *p, int root, size_t bytes,
                           const struct bcast *builder, size_t segment, struct choice *c, char *why,
                           size_t size)
{
    bool any = segment == SIZE_MAX;
    *c = (struct choice){0};
    if (root < 0 || root >= p->n) {
        snprintf(why, size, "root %d is out of range: expected 0 to %d", root, p->n - 1);
        return false;
    }
    bool good = choose_among(p, root, bytes, any ? 0 : segment, builder, c, why, size);
    for (int i = 1; good && any && i < CHOICE_SEGMENTS && 2 * choice_segments[i] <= bytes; i++)
        good = choose_among(p, root, bytes, choice_segments[i], builder, c, why, size);
    if (good && c->n == 0) {
        snprintf(why, size, "no schedule: the algorithm does not fit %d ranks", p->n);
        good = false;
    }
    if (!good)
        choice_free(c);
    return good;
}

/* The latest (LATE 1) or earliest (-1) completion that clocks, gaps and the sharing of a port
 * allow, if ACKNOWLEDGED by clocks alone; NaN without memory. */
static double predict_limit(const struct pairs *p, size_t bytes, const struct schedule *s, int late,
                            enum schedule_sharing sharing, bool acknowledged)
{
    struct graph clocks RELEASED(graph_free) = {0}, gaps RELEASED(graph_free) = {0};
    const size_t size = acknowledged ? p->size[0].bytes : bytes;
    if (!pairs_graph(p, s->root, bytes, false, late, &clocks) ||
        !pairs_graph(p, s->root, size, false, acknowledged ? late : 2 * late, &gaps))
        return NAN;
    if (acknowledged)
        return schedule_last(s, &clocks, sharing, &gaps);
    double a = schedule_last(s, &clocks, sharing, NULL), b = schedule_last(s, &gaps, sharing, NULL);
    return late < 0 ? fmax(a, b) : fmin(a, b);
}

static bool is_chain(const struct schedule *s)
{
    bool chain = true;
    for (int u = 0; u < s->n; u++)
        chain = chain && s->first[u + 1] - s->first[u] <= 1;
    return chain;
}

const char *schedule_unknown(const struct pairs *p, size_t bytes, const struct schedule *s)
{
    double shared = pairs_shared(p, bytes);
    return s->segment > 0               ? "segments overlap in time"
           : p->slowdown == 0           ? "a log does not show whether pairs share a path"
           : p->slowdown > PAIRS_SHARED ? "on shared media: pairs slow each other down"
           : isinf(p->drift[0])         ? "the rate of a clock changed"
           : is_chain(s)                ? NULL
           : shared == 0                ? "no time was left to find which messages share a path"
           : shared > PAIRS_SHARED      ? "on shared media: messages share a path further on"
                                        : NULL;
}

struct estimate schedule_predict_interval(const struct pairs *p, size_t bytes, struct schedule *s,
                                          bool acknowledged)
{
    struct graph g RELEASED(graph_free) = {0};
    if (schedule_unknown(p, bytes, s) || !pairs_graph(p, s->root, bytes, false, 0, &g)) {
        s->completion = NAN;
        for (int v = 0; v < s->n; v++)
            s->arrival[v] = NAN;
        return ESTIMATE_UNKNOWN;
    }
    schedule_predict(s, &g, 1);
    double error = exp(error_of(p)) * (is_chain(s) ? 1 : fmax(1, pairs_shared(p, bytes))),
           first = predict_limit(p, bytes, s, -1, SCHEDULE_APART, acknowledged),
           value = predict_limit(p, bytes, s, 0, SCHEDULE_IN_TURN, acknowledged),
           in_turn = predict_limit(p, bytes, s, 1, SCHEDULE_IN_TURN, acknowledged),
           together = predict_limit(p, bytes, s, 1, SCHEDULE_TOGETHER, acknowledged);
    if (isnan(first + value + in_turn + together)) /* no memory */
        return ESTIMATE_UNKNOWN;
    const double low = first / error, high = error * fmax(in_turn, together);
    return (struct estimate){fmax(low, fmin(high, value)), low, high};
}
