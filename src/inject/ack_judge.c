#include "inject/ack_judge.h"

#include "base/format.h"
#include "base/hash.h"
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

static const struct estimate unknown = {NAN, NAN, NAN};

static struct estimate figure_of(const double *value, size_t n)
{
    struct summary s = stats_summarize(value, n);
    return (struct estimate){s.median, s.median_low, s.median_high};
}

/* For the lower end of the interval every bound counts as 0, for the upper end as a value. For the
 * median, a bound below it counts as a value, and a bound above it is ignored. */
struct estimate ack_median(double *value, const bool *is_bound, size_t n)
{
    size_t bounds = 0, used = 0;
    struct estimate all = figure_of(value, n), f = {NAN, NAN, all.high};
    double *part = malloc((n + 1) * sizeof *part);
    for (size_t i = 0; part && i < n; i++) {
        bounds += is_bound[i];
        if (!is_bound[i] || value[i] <= all.value)
            part[used++] = value[i];
        value[i] = is_bound[i] ? 0 : value[i];
    }
    if (part && 2 * bounds < n) {
        f.value = figure_of(part, used).value;
        f.low = figure_of(value, n).low;
    }
    free(part);
    return f;
}

/* --- which rank may have delayed which --- */

struct judging {
    const struct ack_stamp *stamp;
    size_t n;
    int size, root;
    double bound;
    double *shortest; /* half the shortest round trip of each member; 0 if unknown */
    double longest;   /* the longest of SHORTEST */
    bool *cleared;    /* [i * size + j]: proven that i does not depend on j */
};

static const struct ack_stamp *at(const struct judging *g, size_t k, int j)
{
    return &g->stamp[(size_t)j * g->n + k];
}

static double took(const struct judging *g, size_t k, int i)
{
    return at(g, k, i)->exit - at(g, k, g->root)->entry;
}

/* How strictly late arrivals are excluded. */
enum rule {
    READY,  /* every rank entered so early that even a rendezvous reply could reach the root before
               it entered */
    IN_TIME /* every rank entered before a message from the root could reach it */
};

/* Seconds by which J may have delayed others. */
static double late_by(const struct judging *g, size_t k, int j, enum rule rule)
{
    double message = rule == IN_TIME ? g->shortest[j] : -g->longest;
    return j == g->root ? 0 : fmax(0, at(g, k, j)->entry - at(g, k, g->root)->entry - message);
}

/* Whether I cannot have waited for J in broadcast K, since I returned before J entered. */
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

/* Fills g->cleared. As the work grows as N * SIZE^2, many members use only the first broadcasts. */
static void find_cleared(struct judging *g)
{
    double work = (double)g->size * g->size;
    size_t n = work * (double)g->n > 2e8 ? (size_t)(2e8 / work) + 1 : g->n;
    for (size_t k = 0; k < n && k < g->n; k++)
        for (int j = 0; j < g->size; j++) {
            if (j == g->root || late_by(g, k, j, IN_TIME) <= 0)
                continue;
            for (int i = 0; i < g->size; i++)
                if (went_before(g, k, i, j))
                    g->cleared[(size_t)i * (size_t)g->size + (size_t)j] = true;
        }
}

/* A rank that may have delayed I in broadcast K, preferably I itself; -1 if K is clean. */
static int who_delayed(const struct judging *g, size_t k, int i, enum rule rule)
{
    double tolerated = ACK_TOLERANCE * took(g, k, i);
    if (late_by(g, k, i, rule) > tolerated)
        return i;
    for (int j = 0; j < g->size; j++)
        if (late_by(g, k, j, rule) > tolerated && !went_before(g, k, i, j) &&
            !g->cleared[(size_t)i * (size_t)g->size + (size_t)j])
            return j;
    return -1;
}

/* The latest rank in clean broadcast K; -1: none was late. I does not depend on it, but messages to
 * it did not compete with those to I. */
static int who_was_missing(const struct judging *g, size_t k, int i)
{
    double worst = ACK_TOLERANCE * took(g, k, i);
    int who = -1;
    for (int j = 0; j < g->size; j++)
        if (late_by(g, k, j, IN_TIME) > worst) {
            worst = late_by(g, k, j, IN_TIME);
            who = j;
        }
    return who;
}

/* Factor by which broadcast K might take longer if no rank were late: at worst all destinations
 * share the root's bandwidth equally. */
static double crowding(const struct judging *g, size_t k, int i)
{
    int others = g->size - 1, missing = 0;
    for (int j = 0; j < g->size; j++)
        missing +=
            j != i && j != g->root && late_by(g, k, j, IN_TIME) > ACK_TOLERANCE * took(g, k, i);
    return (double)others / (others - missing);
}

/* --- one destination --- */

struct destination {
    bool *clean;    /* for each broadcast, by the strictest rule under which any is clean */
    int *who;       /* for each broadcast: a late rank that may have delayed it; -1 if none */
    double *value;  /* scratch: one for each broadcast */
    bool *is_bound; /* scratch: one for each broadcast */
};

/* Whether the root made another MPI call shortly before broadcast K, whose messages may have
 * competed with those to I. */
static bool is_crowded(const struct judging *g, size_t k, int i)
{
    return at(g, k, g->root)->idle < took(g, k, i);
}

/* Keeps only clean broadcasts without a late rank and without a call of the root just before, if
 * these are at least a quarter of the clean ones. */
static void keep_alone(const struct judging *g, int i, const struct destination *d,
                       struct ack_verdict *v)
{
    size_t clean = 0, alone = 0;
    for (size_t k = 0; k < g->n; k++) {
        if (!d->clean[k])
            continue;
        int missing = who_was_missing(g, k, i);
        bool crowded = is_crowded(g, k, i);
        clean++;
        alone += missing < 0 && !crowded;
        v->missing_rank = missing >= 0 ? missing : v->missing_rank;
        v->crowded |= crowded;
    }
    if (4 * alone < clean)
        return;
    v->missing_rank = -1;
    v->crowded = false;
    for (size_t k = 0; k < g->n; k++)
        d->clean[k] = d->clean[k] && who_was_missing(g, k, i) < 0 && !is_crowded(g, k, i);
}

static void judge_direct(const struct judging *g, int i, const struct destination *d,
                         struct ack_verdict *v)
{
    size_t clean = 0, ready = 0, late = 0;
    for (size_t k = 0; k < g->n; k++) {
        d->who[k] = who_delayed(g, k, i, IN_TIME);
        d->clean[k] = !isnan(took(g, k, i)) && who_delayed(g, k, i, READY) < 0;
        ready += d->clean[k];
    }
    v->unready = ready == 0;
    for (size_t k = 0; k < g->n; k++)
        d->clean[k] = ready ? d->clean[k] : d->who[k] < 0;
    keep_alone(g, i, d, v);
    for (size_t k = 0; k < g->n; k++)
        if (d->clean[k])
            d->value[clean++] = took(g, k, i);
    v->direct = figure_of(d->value, clean);
    v->clean = clean;
    for (size_t k = 0; k < g->n; k++)
        d->value[k] = took(g, k, i) * crowding(g, k, i);
    v->at_most = g->n ? stats_median(d->value, g->n) + g->bound : NAN;
    for (size_t k = 0; k < g->n; k++)
        if (d->who[k] == i)
            d->value[late++] = at(g, k, i)->entry - at(g, k, g->root)->entry;
    v->late = late;
    v->late_by = late ? stats_median(d->value, late) : NAN;
}

static void judge_acknowledged(const struct judging *g, int i, const struct destination *d,
                               const struct ack_seen *seen, struct ack_verdict *v)
{
    size_t n = 0;
    for (size_t k = 0; k < g->n; k++)
        if (!isnan(at(g, k, i)->round_trip))
            d->value[n++] = at(g, k, i)->round_trip;
    v->round_trip = figure_of(d->value, n);
    n = 0;
    for (size_t k = 0; k < g->n; k++) {
        double hold = at(g, k, i)->hold;
        if (seen[k].from != i)
            continue;
        v->asked++;
        v->early += seen[k].arrival == ACK_EARLY;
        v->given_up += seen[k].arrival == ACK_GIVEN_UP;
        if (seen[k].arrival == ACK_GIVEN_UP || isnan(hold) || !d->clean[k])
            continue;
        d->is_bound[n] = seen[k].arrival == ACK_EARLY;
        d->value[n++] = seen[k].after - hold;
    }
    struct estimate e = ack_median(d->value, d->is_bound, n), *f = &v->acknowledged;
    *f = (struct estimate){e.value - v->round_trip.value / 2,
                           fmax(0, e.low - v->round_trip.high / 2), e.high - v->round_trip.low / 2};
    /* If the round trip exceeds the time that contains it, the result is unknown. */
    if (!(f->value > 0 && f->high > 0))
        *f = unknown;
}

bool ack_judge(const struct ack_stamp *stamp, size_t n, int size, int root,
               const struct ack_seen *seen, double bound, struct ack_verdict *verdict)
{
    size_t members = (size_t)size;
    struct judging g = {.stamp = stamp,
                        .n = n,
                        .size = size,
                        .root = root,
                        .bound = bound,
                        .shortest = calloc(members, sizeof(double)),
                        .cleared = calloc(members * members, sizeof(bool))};
    struct destination d = {.who = calloc(n + 1, sizeof(int)),
                            .clean = calloc(n + 1, sizeof(bool)),
                            .value = calloc(n + 1, sizeof(double)),
                            .is_bound = calloc(n + 1, sizeof(bool))};
    bool good = g.shortest && g.cleared && d.who && d.clean && d.value && d.is_bound;
    if (good) {
        find_shortest(&g);
        find_cleared(&g);
    }
    for (int i = 0; good && i < size; i++) {
        verdict[i] = (struct ack_verdict){.acknowledged = unknown,
                                          .direct = unknown,
                                          .round_trip = unknown,
                                          .late_by = NAN,
                                          .missing_rank = -1};
        if (i == root)
            continue;
        judge_direct(&g, i, &d, &verdict[i]);
        judge_acknowledged(&g, i, &d, seen, &verdict[i]);
    }
    free(g.shortest);
    free(g.cleared);
    free(d.who);
    free(d.clean);
    free(d.value);
    free(d.is_bound);
    return good;
}

/* --- the finding --- */

/* The first reason that applies why the latency is missing or limited; empty if there is none. */
static void explain(const struct ack_verdict *v, size_t n, char *text, size_t size)
{
    char most[32];
    *text = '\0';
    if (isnan(v->direct.value))
        snprintf(text, size, "unknown, at most %s: %s", format_time(most, 1e9 * v->at_most),
                 v->late == n ? "this rank was late every time"
                              : "a rank that it may depend on was late");
    else if (v->unready)
        snprintf(text, size, "no rank was waiting: may be less by a round trip");
    else if (v->missing_rank >= 0)
        snprintf(text, size, "rank %d was late: may be more when it is on time", v->missing_rank);
    else if (v->crowded)
        snprintf(text, size, "right after another MPI call of the root: may be less alone");
}

json_t *ack_finding(const struct ack_verdict *v, int i, size_t broadcasts)
{
    char text[120];
    double n = (double)broadcasts;
    size_t came = v->asked - v->given_up;
    explain(v, broadcasts, text, sizeof text);
    json_t *row = json_pack(
        "{s:i, s:I, s:I, s:s, s:o, s:f, s:o, s:o}", "destination", i, "acknowledged",
        (json_int_t)came, "given_up", (json_int_t)v->given_up, "remark", text, "at_most_us",
        json_finite(1e6 * v->at_most), "late_percent", 100.0 * (double)v->late / n, "late_by_us",
        json_finite(1e6 * v->late_by), "early_percent",
        came ? json_real(100.0 * (double)v->early / (double)came) : json_null());
    json_put_estimate(row, "ol", v->acknowledged);
    json_put_estimate(row, "direct", v->direct);
    json_put_estimate(row, "rtl", v->round_trip);
    return row;
}
