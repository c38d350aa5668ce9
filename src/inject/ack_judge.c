#include "inject/ack_judge.h"

#include "base/hash.h"
#include "base/memory.h"
#include "document/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- which broadcasts are acknowledged --- */

bool ack_is_chosen(uint64_t stream, uint64_t number, uint64_t every)
{
    return hash_mix(hash_mix(HASH_START, stream), number / every) % every == number % every;
}

int ack_destination(uint64_t stream, int size, int root, uint64_t turn)
{
    uint64_t n = (uint64_t)size - 1, offset = hash_mix(hash_mix(HASH_START, stream), turn / n);
    return (root + 1 + (int)((turn + offset % n) % n)) % size;
}

/* --- figures --- */

/* The lower end of the interval counts each upper bound as 0, the upper end counts it as a sample.
 * The median omits the bounds above it: their true samples may be on either side of the median. */
struct estimate ack_median(double *value, const bool *is_bound, size_t n)
{
    size_t bounds = 0, used = 0;
    struct estimate all = stats_estimate(value, n, 0), f = {NAN, NAN, all.high};
    FREED double *part = malloc((n + 1) * sizeof *part);
    for (size_t i = 0; part && i < n; i++) {
        bounds += is_bound[i];
        if (!is_bound[i] || value[i] <= all.value)
            part[used++] = value[i];
        value[i] = is_bound[i] ? 0 : value[i];
    }
    if (part && 2 * bounds < n) {
        f.value = stats_estimate(part, used, 0).value;
        f.low = stats_estimate(value, n, 0).low;
    }
    return f;
}

/* --- which rank may have delayed which --- */

struct judging { /* STAMP to BOUND: arguments of ack_judge() */
    const struct ack_stamp *stamp;
    size_t n;
    int size, root;
    double bound;
    double *shortest; /* message time of each member: half its shortest round trip; 0 if unknown */
    double longest;   /* the longest message time of all members */
    bool *cleared;    /* [i * size + j]: i returned before j entered in some broadcast */
    /* For the destination at hand, N elements each: */
    enum ack_doubt *doubt; /* of each broadcast */
    double *value;         /* samples of an estimate */
    bool *is_bound;        /* whether the sample is an upper bound */
};

static const struct ack_stamp *at(const struct judging *g, size_t k, int j)
{
    return &g->stamp[(size_t)j * g->n + k];
}

static double took(const struct judging *g, size_t k, int i)
{
    return at(g, k, i)->exit - at(g, k, g->root)->entry;
}

/* By when, relative to the root's entry, a rank has to enter in order not to be late. */
enum rule {
    READY,  /* LONGEST before the root's entry: then no rendezvous reply delays the root */
    IN_TIME /* its own message time after the root's entry: no eager message waits for it */
};

/* Seconds by which J was late for I, by RULE, in broadcast K; 0 if at most ACK_TOLERANCE of I's
 * latency. */
static double late_by(const struct judging *g, size_t k, int i, int j, enum rule rule)
{
    double message = rule == IN_TIME ? g->shortest[j] : -g->longest;
    double late = at(g, k, j)->entry - at(g, k, g->root)->entry - message;
    return j != g->root && late > ACK_TOLERANCE * took(g, k, i) ? late : 0;
}

/* Whether I returned from broadcast K before J entered it: then I did not wait for J. */
static bool went_before(const struct judging *g, size_t k, int i, int j)
{
    return at(g, k, i)->exit + g->bound < at(g, k, j)->entry;
}

static void find_shortest(struct judging *g)
{
    for (int j = 0; j < g->size; j++) {
        double shortest = INFINITY;
        for (size_t k = 0; k < g->n; k++)
            if (at(g, k, j)->round_trip < shortest)
                shortest = at(g, k, j)->round_trip;
        g->shortest[j] = isinf(shortest) ? 0 : shortest / 2;
        g->longest = fmax(g->longest, g->shortest[j]);
    }
}

static void find_cleared(struct judging *g)
{
    for (size_t k = 0; k < g->n; k++)
        for (int j = 0; j < g->size; j++) {
            if (j == g->root)
                continue;
            for (int i = 0; i < g->size; i++)
                if (went_before(g, k, i, j))
                    g->cleared[(size_t)i * (size_t)g->size + (size_t)j] = true;
        }
}

static bool may_be_delayed(const struct judging *g, size_t k, int i, enum rule rule)
{
    for (int j = 0; j < g->size; j++)
        if (late_by(g, k, i, j, rule) > 0 && !went_before(g, k, i, j) &&
            !g->cleared[(size_t)i * (size_t)g->size + (size_t)j])
            return true;
    return false;
}

/* The rank with the largest late_by() in broadcast K; -1 if no rank was late. */
static int who_was_missing(const struct judging *g, size_t k, int i)
{
    int who = -1;
    for (int j = 0; j < g->size; j++)
        if (late_by(g, k, i, j, IN_TIME) > (who < 0 ? 0 : late_by(g, k, i, who, IN_TIME)))
            who = j;
    return who;
}

static enum ack_doubt doubt_about(const struct judging *g, size_t k, int i)
{
    if (isnan(took(g, k, i)) || may_be_delayed(g, k, i, IN_TIME))
        return ACK_DELAYED;
    if (may_be_delayed(g, k, i, READY))
        return ACK_UNREADY;
    if (who_was_missing(g, k, i) >= 0)
        return ACK_MISSING;
    return at(g, k, g->root)->idle < took(g, k, i) ? ACK_CROWDED : ACK_NO_DOUBT;
}

/* --- one destination --- */

static bool is_clean(const struct judging *g, size_t k, const struct ack_verdict *v)
{
    return g->doubt[k] == v->doubt && v->doubt != ACK_DELAYED;
}

static void judge_direct(const struct judging *g, int i, struct ack_verdict *v)
{
    for (size_t k = 0; k < g->n; k++) {
        g->doubt[k] = doubt_about(g, k, i);
        v->doubt = g->doubt[k] < v->doubt ? g->doubt[k] : v->doubt;
    }
    for (size_t k = 0; k < g->n; k++)
        if (is_clean(g, k, v)) {
            g->value[v->clean++] = took(g, k, i);
            v->missing_rank = who_was_missing(g, k, i);
        }
    v->direct = stats_estimate(g->value, v->clean, 0);
}

static void judge_acknowledged(const struct judging *g, int i, const struct ack_seen *seen,
                               struct ack_verdict *v)
{
    size_t n = 0;
    for (size_t k = 0; k < g->n; k++)
        if (!isnan(at(g, k, i)->round_trip))
            g->value[n++] = at(g, k, i)->round_trip;
    v->round_trip = stats_estimate(g->value, n, 0);
    n = 0;
    for (size_t k = 0; k < g->n; k++) {
        double hold = at(g, k, i)->hold;
        if (seen[k].from != i)
            continue;
        v->asked++;
        v->given_up += seen[k].arrival == ACK_GIVEN_UP;
        if (seen[k].arrival == ACK_GIVEN_UP || isnan(hold) || !is_clean(g, k, v))
            continue;
        g->is_bound[n] = seen[k].arrival == ACK_EARLY;
        g->value[n++] = seen[k].after - hold;
    }
    struct estimate e = ack_median(g->value, g->is_bound, n), *f = &v->acknowledged;
    double low = e.low - v->round_trip.high / 2;
    *f = (struct estimate){e.value - v->round_trip.value / 2, low < 0 ? 0 : low,
                           e.high - v->round_trip.low / 2};
    /* A latency is above 0. A result that is not comes from measuring errors, and is unknown. */
    if (!(f->value > 0) || f->high <= 0)
        *f = ESTIMATE_UNKNOWN;
}

bool ack_judge(const struct ack_stamp *stamp, size_t n, int size, int root,
               const struct ack_seen *seen, double bound, struct ack_verdict *verdict)
{
    size_t members = (size_t)size;
    FREED double *shortest = calloc(members, sizeof(double)),
                 *value = calloc(n + 1, sizeof(double));
    FREED bool *cleared = calloc(members * members, sizeof(bool)),
               *is_bound = calloc(n + 1, sizeof(bool));
    FREED enum ack_doubt *doubt = calloc(n + 1, sizeof *doubt);
    struct judging g = {stamp, n, size, root, bound, shortest, 0, cleared, doubt, value, is_bound};
    if (!shortest || !value || !cleared || !is_bound || !doubt)
        return false;
    find_shortest(&g);
    find_cleared(&g);
    for (int i = 0; i < size; i++) {
        verdict[i] = (struct ack_verdict){.acknowledged = ESTIMATE_UNKNOWN,
                                          .direct = ESTIMATE_UNKNOWN,
                                          .round_trip = ESTIMATE_UNKNOWN,
                                          .doubt = ACK_DELAYED,
                                          .missing_rank = -1};
        if (i == root)
            continue;
        judge_direct(&g, i, &verdict[i]);
        judge_acknowledged(&g, i, seen, &verdict[i]);
    }
    return true;
}

/* --- the finding --- */

static void explain(const struct ack_verdict *v, char *text, size_t size)
{
    *text = '\0';
    if (v->doubt == ACK_DELAYED)
        snprintf(text, size,
                 "unknown: this destination, or a rank that may forward to it, was always late");
    else if (v->doubt == ACK_UNREADY)
        snprintf(
            text, size,
            "receivers entered about when the root did: perhaps too high by up to a round trip");
    else if (v->doubt == ACK_MISSING)
        snprintf(text, size, "rank %d was late, so its messages did not compete: perhaps too low",
                 v->missing_rank);
    else if (v->doubt == ACK_CROWDED)
        snprintf(text, size, "the root made another MPI call just before: perhaps too high");
}

json_t *ack_finding(const struct ack_verdict *v, int i)
{
    char text[120];
    explain(v, text, sizeof text);
    json_t *row = json_pack("{s:i, s:I, s:I, s:s}", "destination", i, "acknowledged",
                            (json_int_t)(v->asked - v->given_up), "given_up",
                            (json_int_t)v->given_up, "remark", text);
    json_put_estimate(row, "ol", v->acknowledged);
    json_put_estimate(row, "direct", v->direct);
    json_put_estimate(row, "rtl", v->round_trip);
    return row;
}
