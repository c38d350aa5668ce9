#include "causes/what_if.h"

#include "base/stats.h"
#include "causes/graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const what_if_names[WHAT_IF_KINDS] = {"balance", "faster", "no-transfer"};
const char *const replay_names[REPLAY_STATES] = {
    [REPLAY_NONE] = "none",
    [REPLAY_GOOD] = "good",
    [REPLAY_THREADS] = "several threads of a rank call MPI",
    [REPLAY_UNKNOWN_WAITS] = "for too many calls it is unknown what they wait for",
    [REPLAY_INEXACT] = "the recorded durations do not give the recorded run time",
};

struct what_if_replay {
    struct causes_run run;
    struct recorded in;
    struct event_graph graph;
    struct replay_check check;
};

/* Limit for the relative error of a replay, and for the share of time in calls whose wait is
 * unknown. */
static const double tolerance = 0.01;

static bool has_threads(const struct recorded *in)
{
    for (size_t i = 1; i < in->lanes.n; i++)
        if (in->lanes.at[i].rank == in->lanes.at[i - 1].rank)
            return true;
    return false;
}

static struct event_replay replayed(struct event_graph *g, struct durations d)
{
    struct event_replay r = event_graph_replay(g, &d);
    durations_free(&d);
    return r;
}

static int64_t length(struct event_graph *g, struct durations d)
{
    struct event_replay r = replayed(g, d);
    free(r.blocks.at);
    return r.replayed_ns;
}

static int64_t ideal_length(struct event_graph *g)
{
    struct durations d = durations_copy(g);
    event_graph_ideal(g, &d);
    return length(g, d);
}

/* The relative error of predicting the second half of the run by means over the first half. */
static double repeat_error(struct event_graph *g, int64_t recorded_ns)
{
    const struct causes_run *run = g->in->run;
    const int64_t middle = run->first_ns + (run->last_ns - run->first_ns) / 2;
    struct durations d = durations_copy(g);
    event_graph_extrapolate(g, &d, middle);
    return fabs(2 * (double)(length(g, d) - recorded_ns) / (double)recorded_ns);
}

static struct replay_check check(struct event_graph *g)
{
    struct event_replay r = replayed(g, durations_copy(g));
    const double all = (double)r.recorded_ns * (double)g->in->lanes.n;
    struct replay_check c = {.recorded_ns = r.recorded_ns,
                             .replayed_ns = r.replayed_ns,
                             .ideal_ns = -1,
                             .repeat_error = NAN,
                             .state = REPLAY_GOOD};
    free(r.blocks.at);
    if (!r.recorded_ns)
        c.state = REPLAY_NONE;
    else if (has_threads(g->in))
        c.state = REPLAY_THREADS;
    else if ((double)g->unknown_ns > tolerance * all)
        c.state = REPLAY_UNKNOWN_WAITS;
    else if (fabs((double)(r.replayed_ns - r.recorded_ns)) > tolerance * (double)r.recorded_ns)
        c.state = REPLAY_INEXACT;
    if (c.state != REPLAY_GOOD)
        return c;
    c.repeat_error = repeat_error(g, r.recorded_ns);
    c.ideal_ns = ideal_length(g);
    return c;
}

struct change {
    struct event_graph *g;
    struct durations d;
    bool *selected; /* for each piece */
};

/* Marks the pieces that W selects, but no time after the last call: a replay does not change it.
 * Returns the number of ranks that execute them. */
static uint32_t select_pieces(const struct recorded *in, const struct what_if *w, bool *selected)
{
    uint32_t ranks = 0, last = CAUSES_NONE;
    for (size_t i = 0; i < in->pieces.n; i++) {
        const struct piece *p = &in->pieces.at[i];
        selected[i] = p->kind == CAUSE_COMPUTATION && p->rank != CAUSES_NONE &&
                      p->operation != CAUSES_NONE &&
                      w->selects(&(struct root_cause){.kind = p->kind,
                                                      .rank = p->rank,
                                                      .from_site = p->from_site,
                                                      .from_operation = p->from_operation,
                                                      .site = p->site,
                                                      .operation = p->operation},
                                 w->context);
        /* Pieces are sorted by rank. */
        if (selected[i] && p->rank != last) {
            last = p->rank;
            ranks++;
        }
    }
    return ranks;
}

/* How often and how long each lane executes the selected segments. */
struct share {
    uint32_t n;
    double ns;
};

static struct share *shares_of(const struct change *c, bool *all_equal)
{
    const struct recorded *in = c->g->in;
    struct share *share = memory_alloc((in->lanes.n + 1) * sizeof *share);
    uint32_t n = 0;
    for (size_t i = 0; i < in->calls.n; i++)
        if (c->selected[in->calls.at[i].before]) {
            share[in->calls.at[i].lane].n++;
            share[in->calls.at[i].lane].ns += (double)c->d.compute[i];
        }
    *all_equal = true;
    for (size_t i = 0; i < in->lanes.n; i++) {
        *all_equal = *all_equal && (!share[i].n || !n || share[i].n == n);
        n = share[i].n ? share[i].n : n;
    }
    return share;
}

/* Sets the K-th execution on every rank to the mean of all ranks' K-th executions. */
static void balance_each(struct change *c, uint32_t executions, uint32_t ranks)
{
    const struct recorded *in = c->g->in;
    double *sum = memory_alloc((executions + 1) * sizeof *sum);
    for (int write = 0; write < 2; write++)
        for (size_t i = 0, k = 0; i < in->calls.n; i++) {
            k = i && in->calls.at[i - 1].lane != in->calls.at[i].lane ? 0 : k;
            if (!c->selected[in->calls.at[i].before])
                continue;
            if (write)
                c->d.compute[i] = (int64_t)(sum[k] / ranks);
            else
                sum[k] += (double)c->d.compute[i];
            k++;
        }
    free(sum);
}

/* Sets the total of every rank to the mean total. */
static void balance_totals(struct change *c, const struct share *share, double mean)
{
    const struct recorded *in = c->g->in;
    for (size_t i = 0; i < in->calls.n; i++) {
        const struct share *s = &share[in->calls.at[i].lane];
        if (c->selected[in->calls.at[i].before] && s->ns > 0)
            c->d.compute[i] = (int64_t)((double)c->d.compute[i] * mean / s->ns);
    }
}

static void balance(struct change *c)
{
    bool equal;
    double sum = 0;
    uint32_t ranks = 0, most = 0;
    struct share *share = shares_of(c, &equal);
    for (size_t i = 0; i < c->g->in->lanes.n; i++) {
        sum += share[i].ns;
        ranks += share[i].n > 0;
        most = share[i].n > most ? share[i].n : most;
    }
    if (ranks && equal)
        balance_each(c, most, ranks);
    else if (ranks)
        balance_totals(c, share, sum / ranks);
    free(share);
}

static void make_faster(struct change *c, double percent)
{
    for (size_t i = 0; i < c->g->in->calls.n; i++)
        if (c->selected[c->g->in->calls.at[i].before])
            c->d.compute[i] = (int64_t)((double)c->d.compute[i] * (1 - percent / 100));
}

/* How much the gain in block I differs from the mean of all blocks. */
static double gain_off(const struct event_replay *r, size_t i)
{
    const struct event_block *b = &r->blocks.at[i];
    return (double)(b->recorded_ns - b->replayed_ns) -
           (double)(r->recorded_ns - r->replayed_ns) / (double)r->blocks.n;
}

/* Half of the 95 % interval of the sum of the gains in all blocks. Successive blocks depend on each
 * other, as where steps begin in one and end in the next: Newey and West 1987. At least the
 * variance of one block is left. */
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

/* R: the replay with the change. IDEAL_NS: its time on an ideal network. A change also alters
 * transfers, because messages then compete with others: in simulation by at most TRANSFER_ERROR
 * of the time in transfers, in 95 % of the changed programs. */
static void predict(struct prediction *p, const struct event_replay *r, int64_t ideal_ns,
                    const struct replay_check *c, const struct causes_run *run)
{
    enum { LEAST_BLOCKS = 4 };
    static const double transfer_error = 0.6;
    const double replayed = (double)r->replayed_ns,
                 scale = (double)(run->last_ns - run->first_ns) / (double)r->recorded_ns;
    p->wall_ns = scale * replayed;
    p->low_ns = p->high_ns = NAN;
    if (r->blocks.n < LEAST_BLOCKS)
        return;
    const double half = hypot(hypot(gain_error(r), c->repeat_error * replayed),
                              transfer_error * (replayed - (double)ideal_ns));
    p->low_ns = fmax(0, p->wall_ns - scale * half - run->error_ns);
    p->high_ns = p->wall_ns + scale * half + run->error_ns;
}

static void apply(struct change *c, const struct what_if *w)
{
    c->d = durations_copy(c->g);
    if (w->kind == WHAT_IF_BALANCE)
        balance(c);
    else if (w->kind == WHAT_IF_FASTER)
        make_faster(c, w->percent);
    else
        event_graph_ideal(c->g, &c->d);
}

bool what_if_predict(struct what_if_replay *x, const struct what_if *w, struct prediction *p)
{
    struct event_graph *g = &x->graph;
    struct change c = {.g = g, .selected = memory_alloc(g->in->pieces.n + 1)};
    p->ranks = w->kind == WHAT_IF_NO_TRANSFER ? (uint32_t)g->in->lanes.n
                                              : select_pieces(g->in, w, c.selected);
    const bool known = p->ranks > 0 && x->check.state == REPLAY_GOOD;
    if (known) {
        apply(&c, w);
        struct event_replay r = replayed(g, c.d);
        apply(&c, w);
        event_graph_ideal(g, &c.d);
        predict(p, &r, length(g, c.d), &x->check, g->in->run);
        free(r.blocks.at);
    }
    free(c.selected);
    return known;
}

/* --- the best ones --- */

/* What is before the first call of MPI is setup, even if the call of P ends it. */
static bool is_of(const struct root_cause *x, const void *context)
{
    const struct prediction *p = context;
    const struct root_cause *s = &p->segment;
    const bool left = x->from_site == s->from_site && x->from_operation == s->from_operation,
               entered = x->site == s->site && x->operation == s->operation;
    return p->scope == SCOPE_LEFT      ? left
           : p->scope == SCOPE_ENTERED ? entered && (left || x->from_operation != CAUSES_NONE)
                                       : left && entered;
}

/* Ranks that do the same work may call MPI before and behind it at different sites: the scope that
 * gains most. */
static bool predict_balance(struct what_if_replay *x, struct prediction *best)
{
    const double recorded = (double)(x->run.last_ns - x->run.first_ns);
    struct prediction p = {.segment = best->segment};
    const struct what_if balance = {WHAT_IF_BALANCE, 0, is_of, &p};
    best->ranks = 0;
    for (p.scope = 0; p.scope < SCOPES; p.scope++)
        if (what_if_predict(x, &balance, &p) && p.ranks > 1 &&
            p.wall_ns < (best->ranks ? best->wall_ns : recorded))
            *best = p;
    return best->ranks > 0;
}

static bool is_predicted(const struct prediction *p, size_t n, const struct root_cause *x)
{
    for (size_t i = 0; i < n; i++)
        if (p[i].segment.from_site == x->from_site &&
            p[i].segment.from_operation == x->from_operation && p[i].segment.site == x->site &&
            p[i].segment.operation == x->operation)
            return true;
    return false;
}

size_t what_if_best(struct what_if_replay *x, const struct root_cause *rows, size_t n_rows,
                    struct prediction best[WHAT_IF_BEST])
{
    size_t n = 0;
    for (size_t i = 0; i < n_rows && n < WHAT_IF_BEST; i++) {
        if (rows[i].kind != CAUSE_COMPUTATION || !(rows[i].direct_ns + rows[i].passed_ns) ||
            is_predicted(best, n, &rows[i]))
            continue;
        best[n] = (struct prediction){.segment = rows[i]};
        n += predict_balance(x, &best[n]);
    }
    return n;
}

struct what_if_replay *what_if_open(const struct timeline *t, const struct event *events, size_t n,
                                    const struct causes_run *run)
{
    struct what_if_replay *x = memory_alloc(sizeof *x);
    x->run = *run;
    x->in = recorded_calls_read(t, events, n, &x->run);
    event_graph_read(&x->graph, &x->in, n);
    x->check = check(&x->graph);
    return x;
}

const struct replay_check *what_if_check(const struct what_if_replay *x)
{
    return &x->check;
}

void what_if_close(struct what_if_replay *x)
{
    event_graph_free(&x->graph);
    recorded_calls_free(&x->in);
    free(x);
}
