#include "causes/what_if.h"

#include "base/stats.h"
#include "base/try.h"
#include "causes/graph_inner.h"

#include <math.h>
#include <stdlib.h>

const char *const what_if_names[WHAT_IF_KINDS] = {"balance", "faster", "no-transfer", "bcast"};
const char *const replay_names[REPLAY_STATES] = {
    [REPLAY_NONE] = "none",
    [REPLAY_GOOD] = "good",
    [REPLAY_THREADS] = "several threads of a rank call MPI: it is unknown which waits for which",
    [REPLAY_UNKNOWN_WAITS] = "for more than 1 % of the run time it is unknown what calls wait for",
    [REPLAY_INEXACT] = "a replay of the trace differs from the run by more than 1 % of its time",
};

/* Limit for the relative error of a replay, and for the share of time in calls whose wait is
 * unknown: beyond it no prediction is made. */
static const double tolerance = 0.01;

/* Replays with the present durations; returns the length in ns. */
static int64_t length(struct event_graph *g)
{
    return event_graph_replay(g)->replayed_ns;
}

static int64_t ideal_length(struct event_graph *g)
{
    event_graph_ideal(g);
    return length(g);
}

/* The relative error of predicting the second half of the run by means over the first half. */
static double repeat_error(struct event_graph *g, int64_t recorded_ns)
{
    const int64_t middle = g->run.first_ns + (g->run.last_ns - g->run.first_ns) / 2;
    event_graph_extrapolate(g, middle);
    return fabs(2 * (double)(length(g) - recorded_ns) / (double)recorded_ns);
}

/* Time in calls whose wait is unknown, ns. */
static double unknown_time(const struct event_graph *g)
{
    double sum = 0;
    for (uint32_t i = 0; i < g->calls.n; i++)
        if (g->pieces.at[event_call(g, i)->inside].kind == CAUSE_UNKNOWN)
            sum += (double)(event_call(g, i)->exit - event_call(g, i)->entry);
    return sum;
}

const struct replay_check *what_if_check(struct event_graph *g)
{
    struct replay_check *c = &g->check;
    event_graph_reset(g);
    const struct event_replay *r = event_graph_replay(g);
    *c = (struct replay_check){.recorded_ns = r->recorded_ns,
                               .replayed_ns = r->replayed_ns,
                               .ideal_ns = -1,
                               .repeat_error = NAN,
                               .state = REPLAY_GOOD};
    if (!c->recorded_ns)
        c->state = REPLAY_NONE;
    else if (g->threads)
        c->state = REPLAY_THREADS;
    else if (unknown_time(g) > tolerance * (double)c->recorded_ns * (double)g->lanes.n)
        c->state = REPLAY_UNKNOWN_WAITS;
    else if (fabs((double)(c->replayed_ns - c->recorded_ns)) > tolerance * (double)c->recorded_ns)
        c->state = REPLAY_INEXACT;
    if (c->state != REPLAY_GOOD)
        return c;
    c->ideal_ns = ideal_length(g);
    event_graph_reset(g);
    c->repeat_error = repeat_error(g, c->recorded_ns);
    return c;
}

/* Marks the pieces that W selects, except time after a rank's last call, which a replay cannot
 * change. Returns the number of ranks that execute them. */
static uint32_t select_pieces(const struct event_graph *g, const struct what_if *w, bool *selected)
{
    uint32_t ranks = 0, last = CAUSES_NONE;
    for (size_t i = 0; i < g->pieces.n; i++) {
        const struct root_cause *p = &g->pieces.at[i];
        selected[i] = p->kind == CAUSE_COMPUTATION && p->rank != CAUSES_NONE &&
                      p->operation != CAUSES_NONE && w->selects(p, w->context);
        /* Pieces are sorted by rank. */
        if (selected[i] && p->rank != last) {
            last = p->rank;
            ranks++;
        }
    }
    return ranks;
}

/* Balances the selected segments. Divides each rank's executions, in order, into as many parts as
 * the rank with the fewest has executions. Each part then takes its mean time over all ranks. */
static void balance(struct event_graph *g, const bool *selected)
{
    size_t *n = memory_alloc((g->lanes.n + 1) * sizeof *n), parts = g->calls.n, ranks = 0;
    for (size_t i = 0; i < g->calls.n; i++)
        n[g->calls.at[i].lane] += selected[g->calls.at[i].before];
    for (size_t lane = 0; lane < g->lanes.n; lane++) {
        parts = n[lane] && n[lane] < parts ? n[lane] : parts;
        ranks += n[lane] > 0;
    }
    FREED double *own = memory_alloc((g->calls.n + 1) * sizeof *own);
    FREED double *sum = memory_alloc((parts + 1) * sizeof *sum);
    for (int write = 0; write < 2; write++)
        for (size_t i = 0, k = 0; i < g->calls.n; i++) {
            struct graph_call *c = &g->calls.at[i];
            const size_t begin = g->lanes.at[c->lane].begin;
            const double ns = (double)c->compute.changed + 1; /* avoids a division by 0 */
            k = i == begin ? 0 : k;
            if (!selected[c->before])
                continue;
            const size_t part = k++ * parts / n[c->lane];
            double *of_part = &own[begin + part];
            if (write) {
                c->compute.changed = (int64_t)(ns * sum[part] / (double)ranks / *of_part);
            } else {
                *of_part += ns;
                sum[part] += ns;
            }
        }
    free(n);
}

static void make_faster(struct event_graph *g, const bool *selected, double percent)
{
    for (EACH(struct graph_call, c, g->calls))
        if (selected[c->before])
            c->compute.changed = (int64_t)((double)c->compute.changed * (1 - percent / 100));
}

/* The gain in block I minus the mean gain of all blocks, ns. */
static double gain_off(const struct event_replay *r, size_t i)
{
    const struct event_block *b = &r->blocks.at[i];
    return (double)(b->recorded_ns - b->replayed_ns) -
           (double)(r->recorded_ns - r->replayed_ns) / (double)r->blocks.n;
}

/* Half the width of the total gain's 95 % interval. Gains of successive blocks correlate, as
 * iterations cross block borders (Newey, West 1987); the variance is at least that of one block. */
static double gain_error(const struct event_replay *r)
{
    enum { LAGS = 4 };
    const double n = (double)r->blocks.n;
    double one = 0, all = 0;
    for (size_t lag = 0; lag <= LAGS && lag < r->blocks.n; lag++) {
        double sum = 0;
        for (size_t i = lag; i < r->blocks.n; i++)
            sum += gain_off(r, i) * gain_off(r, i - lag);
        one = lag ? one : sum / (n - 1);
        all += (lag ? 2 - 2 * (double)lag / (LAGS + 1) : 1) * sum * n / (n - 1);
    }
    return stats_student(n - 1) * sqrt(fmax(all, one));
}

/* Sets the times of P from the present replay. A change also alters transfers, as messages then
 * compete with others: in 95 % of simulated changes by at most TRANSFER_ERROR of their time. */
static void predict(struct prediction *p, struct event_graph *g)
{
    enum { LEAST_BLOCKS = 4 };
    static const double transfer_error = 0.6;
    const double replayed = (double)g->replay.replayed_ns,
                 scale = (double)(g->run.last_ns - g->run.first_ns) / (double)g->replay.recorded_ns;
    p->wall_ns = scale * replayed;
    p->low_ns = p->high_ns = NAN;
    if (g->replay.blocks.n < LEAST_BLOCKS)
        return;
    const double error = hypot(gain_error(&g->replay), g->check.repeat_error * replayed),
                 half = hypot(error, transfer_error * (replayed - (double)ideal_length(g)));
    p->low_ns = fmax(0, p->wall_ns - scale * half - g->run.error_ns);
    p->high_ns = p->wall_ns + scale * half + g->run.error_ns;
}

bool what_if_predict(struct event_graph *g, const struct what_if *w, struct prediction *p)
{
    FREED bool *selected = memory_alloc(g->pieces.n + 1);
    p->ranks = w->kind < WHAT_IF_NO_TRANSFER ? select_pieces(g, w, selected) : (uint32_t)g->lanes.n;
    p->unknown = NULL;
    bool known = p->ranks > 0 && g->check.state == REPLAY_GOOD;
    if (known) {
        event_graph_reset(g);
        if (w->kind == WHAT_IF_BALANCE)
            balance(g, selected);
        else if (w->kind == WHAT_IF_FASTER)
            make_faster(g, selected, w->percent);
        else if (w->kind == WHAT_IF_NO_TRANSFER)
            event_graph_ideal(g);
        else
            p->unknown = event_graph_replace(g, w);
    }
    known = known && !p->unknown;
    if (known) {
        event_graph_replay(g);
        predict(p, g);
    }
    return known;
}

/* --- the best predictions --- */

bool same_segment(const struct root_cause *a, const struct root_cause *b)
{
    return a->from_site == b->from_site && a->from_operation == b->from_operation &&
           a->site == b->site && a->operation == b->operation;
}

/* Whether computation X is to be balanced, by the scope of prediction CONTEXT. SCOPE_ENTERED
 * excludes the time before a rank's first MPI call, which is setup. */
static bool is_of(const struct root_cause *x, const void *context)
{
    const struct prediction *p = context;
    const struct root_cause *s = &p->segment;
    if (p->scope == SCOPE_LEFT)
        return x->from_site == s->from_site && x->from_operation == s->from_operation;
    return same_segment(x, s) || (p->scope == SCOPE_ENTERED && x->site == s->site &&
                                  x->operation == s->operation && x->from_operation != CAUSES_NONE);
}

/* Sets BEST to the prediction with the shortest run time. Every balance_scope is tried, since ranks
 * may do equal work that begins or ends with other calls. False if none saves time. */
static bool predict_balance(struct event_graph *g, struct prediction *best)
{
    const double recorded = (double)(g->run.last_ns - g->run.first_ns);
    struct prediction p = {.segment = best->segment};
    const struct what_if balance = {.kind = WHAT_IF_BALANCE, .selects = is_of, .context = &p};
    best->ranks = 0;
    for (p.scope = 0; p.scope < SCOPES; p.scope++)
        if (what_if_predict(g, &balance, &p) && p.ranks > 1 &&
            p.wall_ns < (best->ranks ? best->wall_ns : recorded))
            *best = p;
    return best->ranks > 0;
}

static bool is_predicted(const struct prediction *p, size_t n, const struct root_cause *x)
{
    for (size_t i = 0; i < n; i++)
        if (same_segment(&p[i].segment, x))
            return true;
    return false;
}

size_t what_if_best(struct event_graph *g, const struct root_cause *rows, size_t n_rows,
                    struct prediction best[WHAT_IF_BEST])
{
    size_t n = 0;
    for (size_t i = 0; i < n_rows && n < WHAT_IF_BEST; i++) {
        if (rows[i].kind != CAUSE_COMPUTATION || !(rows[i].direct_ns + rows[i].passed_ns) ||
            is_predicted(best, n, &rows[i]))
            continue;
        best[n] = (struct prediction){.segment = rows[i]};
        n += predict_balance(g, &best[n]);
    }
    return n;
}
