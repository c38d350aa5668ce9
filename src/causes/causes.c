#include "causes/causes.h"

#include "base/hash.h"
#include "base/stats.h"
#include "causes/graph_inner.h"

#include <math.h>
#include <stdlib.h>

const char *const cause_names[CAUSE_KINDS] = {[CAUSE_COMPUTATION] = "computation",
                                              [CAUSE_TRANSFER] = "transfer",
                                              [CAUSE_UNKNOWN] = "unknown",
                                              [CAUSE_REST] = "all others"};

/* The waiting that one piece (a segment on one rank, graph_inner.h) causes. Times in ns. Indices
 * here are stored plus one: 0 means none. */
struct cost {
    double direct, passed, path;
    uint64_t waits;
    uint32_t event;         /* event at the call site where the piece causes most waiting */
    double most;            /* waiting that the piece causes at EVENT's call site */
    double before, squares; /* cost before this window; sum of each window's squared cost */
    /* LAST, in the piece that represents a segment on all ranks: its latest main cause of a wait.
     * NEXT: the main cause that most recently followed this piece (follow_turn()). */
    uint32_t last, next;
    uint64_t followed, in_turn; /* as in struct root_cause */
    uint32_t farthest; /* call at the end of the longest idle wave that this piece causes */
};

/* What later calls need to know about a replayed call. */
struct visit {
    uint32_t waiting; /* number of calls that wait for this one and are still to be replayed */
    struct history *history; /* history of the call's thread at its entry; NULL once WAITING is 0 */
    int64_t at;              /* time (ns) at which HISTORY ends */
    /* If the call waited: the piece that is the main cause, the number of waits in the call's idle
     * wave so far, and the end of the first of these waits (ns). */
    uint32_t cause, hops;
    int64_t wave_ns;
};

/* State of one thread (lane) in the replay. ENTERED: replayed up to NEXT's entry. BUSY: NEXT is
 * being replayed, so a wait for NEXT would close a cycle of waits. */
struct cause_thread {
    uint32_t next; /* the call to be replayed next */
    bool entered, busy;
    struct history *history;
    int64_t at; /* time (ns) at which HISTORY ends */
};

struct search {
    const struct event_graph *g;
    struct visit *visit;         /* state of each call */
    struct cause_thread *thread; /* state of each thread (lane) */
    struct cost *cost;           /* for each piece */
    ARRAY(double) at_site;       /* a piece's cost at each call site; index: SITE_OF */
    struct index site_of;
    struct delay_balance *balance; /* scratch space of delays_match() */
    struct history_differences delays;
    struct history_pool pool;
    int64_t epoch;
    struct event_window window; /* the window being replayed; all histories begin at its start */
    int64_t path_ns;
    size_t windows; /* number of windows that have ended */
    size_t most_nodes;
    int64_t work; /* delays that may still be examined before forget() drops all histories */
};

static void spend(struct search *s, struct cause_thread *t, uint32_t piece, int64_t until)
{
    history_add(&s->pool, &t->history, piece, until > t->at ? until - t->at : 0);
    t->at = until > t->at ? until : t->at;
}

/* Replaces history H, which ends at the time AT, by unknown time of the same length. */
static void forget_one(struct search *s, struct history **h, uint32_t lane, int64_t at)
{
    history_end(&s->pool, *h);
    *h = NULL;
    history_add(&s->pool, h, s->g->lanes.at[lane].unknown, at - s->window.from);
}

static void forget(struct search *s)
{
    s->work = CAUSES_WORK;
    for (uint32_t i = 0; i < s->g->lanes.n; i++)
        forget_one(s, &s->thread[i].history, i, s->thread[i].at);
    for (uint32_t i = 0; i < s->g->calls.n; i++)
        if (s->visit[i].history)
            forget_one(s, &s->visit[i].history, event_call(s->g, i)->lane, s->visit[i].at);
}

/* Adds COST, which PIECE causes, to the waiting at EVENT's call site. */
static void add_at_site(struct search *s, uint32_t piece, uint32_t event, double cost)
{
    struct cost *p = &s->cost[piece];
    const struct event *e = &s->g->t->events[event];
    const uint64_t call = (uint64_t)e->operation << 8 | s->g->t->cause[event].wait_state,
                   hash = hash_mix(hash_mix(HASH_START, (uint64_t)piece << 32 | e->site), call);
    uint32_t at = lookup_find(&s->site_of, hash);
    if (at == UINT32_MAX) {
        at = (uint32_t)s->at_site.n;
        PUSH(&s->at_site);
        lookup_add(&s->site_of, hash, at);
    }
    s->at_site.at[at] += cost;
    if (s->at_site.at[at] > p->most) {
        p->most = s->at_site.at[at];
        p->event = event + 1;
    }
}

/* Charges COST, a part of the wait of C, to PIECE. */
static void add_cost(struct search *s, const struct graph_call *c, uint32_t piece, double cost)
{
    struct cost *p = &s->cost[piece];
    const bool direct = s->g->t->cause[c->event].enabling_rank == s->g->pieces.at[piece].rank;
    *(direct ? &p->direct : &p->passed) += cost;
    add_at_site(s, piece, c->event, cost);
}

/* Adds the wait of CALL to an idle wave: to the wave of the awaited rank's preceding wait if that
 * wait had the same main CAUSE in the same window; otherwise the wait starts a wave. */
static void follow_wave(struct search *s, uint32_t call, uint32_t cause)
{
    const struct graph_call *c = event_call(s->g, call);
    struct visit *v = &s->visit[call];
    struct cost *p = &s->cost[cause];
    const uint32_t waited = c->awaited == CAUSES_NONE ? 0 : event_call(s->g, c->awaited)->waited;
    const struct visit *before = waited ? &s->visit[waited - 1] : NULL;
    v->cause = cause;
    v->hops = 1;
    v->wave_ns = c->until;
    if (before && before->cause == cause && event_call(s->g, waited - 1)->epoch == c->epoch) {
        v->hops = before->hops + 1;
        v->wave_ns = before->wave_ns;
    }
    if (!p->farthest || v->hops > s->visit[p->farthest - 1].hops)
        p->farthest = call + 1;
}

/* Finds ranks that cause waits in turn. If a segment's main cause moves from one rank to another,
 * counts the move (FOLLOWED, without the first), and whether the last move from that rank was to
 * the same rank (IN_TURN). */
static void follow_turn(struct search *s, uint32_t cause)
{
    struct cost *group = &s->cost[s->g->groups_of.at[cause].piece[MATCH_SEGMENT]];
    if (group->last && group->last != cause + 1) {
        struct cost *before = &s->cost[group->last - 1];
        before->followed += before->next > 0;
        before->in_turn += before->next == cause + 1;
        before->next = cause + 1;
    }
    group->last = cause + 1;
}

/* Charges the wait of C to its delays: segments with more time in LATE, the awaited rank's history
 * at the end of the wait, than in OWN, the waiting rank's history at the start of the wait. */
static void distribute(struct search *s, const struct graph_call *c, const struct history *late,
                       const struct history *own)
{
    const double wait = (double)(c->until - c->entry);
    double sum = 0, most = 0;
    uint32_t first = s->g->lanes.at[c->lane].unknown;
    s->delays.n = 0;
    if (late)
        history_compare(&s->pool, late, own, &s->delays);
    delays_match(&s->delays, s->g->groups_of.at, s->balance);
    s->work += CAUSES_DELAYS - (int64_t)s->delays.n;
    for (EACH(const struct history_difference, d, s->delays)) {
        sum += d->ns > 0 ? d->ns : 0;
        if (d->ns > most) {
            most = d->ns;
            first = d->key;
        }
    }
    for (size_t i = 0; sum > 0 && i < s->delays.n; i++) {
        const struct history_difference *d = &s->delays.at[i];
        if (d->ns > 0)
            add_cost(s, c, d->key, wait * d->ns / sum);
    }
    if (!(sum > 0))
        add_cost(s, c, first, wait);
    s->cost[first].waits++;
    follow_wave(s, (uint32_t)(c - s->g->calls.at), first);
    follow_turn(s, first);
}

/* Extends T's history to its next call's entry; stores it there if calls wait for the entry. */
static void enter_call(struct search *s, struct cause_thread *t)
{
    const struct graph_call *c = event_call(s->g, t->next);
    struct visit *v = &s->visit[t->next];
    if (t->entered)
        return;
    t->entered = true;
    spend(s, t, c->before, c->entry);
    v->at = t->at;
    if (v->waiting)
        v->history = history_share(t->history);
}

static void replay_call(struct search *s, struct cause_thread *t);

/* The history of the awaited thread at its entry into the call that ended the wait of C; *AT: the
 * history's end (ns). Release by history_end(). NULL: unknown, as for one call in a cycle of waits
 * (possible if entries and exits have equal times). */
static struct history *awaited_history(struct search *s, const struct graph_call *c, int64_t *at)
{
    if (c->awaited == CAUSES_NONE)
        return NULL;
    struct cause_thread *t = &s->thread[event_call(s->g, c->awaited)->lane];
    struct visit *v = &s->visit[c->awaited];
    while (!t->busy && t->next < c->awaited)
        replay_call(s, t);
    if (t->next == c->awaited)
        enter_call(s, t);
    struct history *h = history_share(v->history);
    *at = v->at;
    if (!--v->waiting) {
        history_end(&s->pool, v->history);
        v->history = NULL;
    }
    return h;
}

static void replay_call(struct search *s, struct cause_thread *t)
{
    const struct graph_call *c = event_call(s->g, t->next);
    int64_t at = 0;
    enter_call(s, t);
    t->busy = true;
    if (c->until > c->entry) {
        struct history *late = awaited_history(s, c, &at), *own = t->history;
        distribute(s, c, late, own);
        if (late && at > t->at) {
            t->history = late;
            t->at = at;
            late = own;
        }
        history_end(&s->pool, late);
        if (c->until > t->at)
            spend(s, t, s->g->lanes.at[c->lane].unknown, c->until);
    }
    spend(s, t, c->inside, c->exit);
    t->next++;
    t->entered = t->busy = false;
}

/* Whether all calls of LANE are replayed and LANE's rank ends the run: then the time after LANE's
 * last call is on the critical path. */
static bool is_last(const struct search *s, size_t lane)
{
    const struct lane *x = &s->g->lanes.at[lane];
    return s->window.to == s->g->run.last_ns && x->rank == s->g->run.last_rank &&
           s->thread[lane].next == x->end;
}

/* Adds the window's critical path: the history of the last rank to finish or, if that rank is
 * unknown or the run continues after the window, the history that ends last. */
static void end_epoch(struct search *s)
{
    size_t last = 0;
    for (size_t i = 1; i < s->g->lanes.n; i++)
        if (is_last(s, i) == is_last(s, last) ? s->thread[i].at > s->thread[last].at
                                              : is_last(s, i))
            last = i;
    struct cause_thread *t = &s->thread[last];
    const struct lane *lane = &s->g->lanes.at[last];
    spend(s, t, is_last(s, last) ? lane->tail : lane->unknown, s->window.to);
    history_compare(&s->pool, t->history, NULL, &s->delays);
    for (size_t i = 0; i < s->delays.n; i++)
        s->cost[s->delays.at[i].key].path += s->delays.at[i].ns;
    s->path_ns += t->at - s->window.from;
    s->windows++;
    for (struct cost *p = s->cost; p < s->cost + s->g->pieces.n; p++) {
        const double cost = p->direct + p->passed - p->before;
        p->squares += cost * cost;
        p->before += cost;
    }
    for (size_t i = 0; i < s->g->lanes.n; i++) {
        history_end(&s->pool, s->thread[i].history);
        s->thread[i].history = NULL;
    }
}

static void begin_epoch(struct search *s, int64_t epoch)
{
    s->epoch = epoch;
    s->window = event_window(s->g, epoch);
    for (size_t i = 0; i < s->g->lanes.n; i++)
        s->thread[i].at = s->window.from;
}

static void replay(struct search *s)
{
    const size_t n = s->g->calls.n;
    for (size_t i = 0; i < n; i++) {
        const uint32_t call = s->g->order[i];
        const struct graph_call *c = event_call(s->g, call);
        if (!i || c->epoch != s->epoch) {
            if (i)
                end_epoch(s);
            begin_epoch(s, c->epoch);
        }
        while (s->thread[c->lane].next <= call)
            replay_call(s, &s->thread[c->lane]);
        if (s->pool.nodes > s->most_nodes || s->work < 0)
            forget(s);
    }
    if (n)
        end_epoch(s);
}

COMPARISON(largest_first, struct root_cause,
           ORDER(y->direct_ns + y->passed_ns, x->direct_ns + x->passed_ns)
               ?: ORDER(y->path_ns, x->path_ns) ?: ORDER(x->kind, y->kind)
               ?: ORDER(x->rank, y->rank) ?: ORDER(x->from_site, y->from_site)
               ?: ORDER(x->site, y->site) ?: ORDER(x->from_operation, y->from_operation)
               ?: ORDER(x->operation, y->operation))

static void merge_rest(struct causes *c)
{
    struct root_cause rest = {.kind = CAUSE_REST};
    if (c->n <= CAUSES_ROWS)
        return;
    rest.rank = rest.from_site = rest.from_operation = rest.site = rest.operation = rest.wait_site =
        rest.wait_operation = rest.wave_end = CAUSES_NONE;
    for (size_t i = CAUSES_ROWS - 1; i < c->n; i++) {
        rest.direct_ns += c->rows[i].direct_ns;
        rest.passed_ns += c->rows[i].passed_ns;
        rest.waits += c->rows[i].waits;
        rest.path_ns += c->rows[i].path_ns;
        rest.error_ns += c->rows[i].error_ns;
    }
    c->n = CAUSES_ROWS;
    c->rows[c->n - 1] = rest;
}

/* Half the width of the 95 % interval of a piece's cost: Student's t, over windows of the trace. */
static double cost_error(const struct search *s, const struct cost *p)
{
    enum { LEAST_WINDOWS = 4 };
    const double n = (double)s->windows, sum = p->direct + p->passed;
    if (!s->g->run.time_mask)
        return 0;
    if (s->windows < LEAST_WINDOWS)
        return NAN;
    return stats_student(n - 1) * sqrt(fmax(0, p->squares - sum * sum / n) * n / (n - 1));
}

static struct root_cause row_of(const struct search *s, size_t piece)
{
    const struct cost *p = &s->cost[piece];
    struct root_cause row = s->g->pieces.at[piece];
    row.direct_ns = (uint64_t)llround(p->direct);
    row.passed_ns = (uint64_t)llround(p->passed);
    row.waits = p->waits;
    row.path_ns = (uint64_t)llround(p->path);
    row.followed = p->followed;
    row.in_turn = p->in_turn;
    row.error_ns = cost_error(s, p);
    row.wave_end = CAUSES_NONE;
    if (p->farthest) {
        const struct graph_call *far = event_call(s->g, p->farthest - 1);
        row.wave_ranks = s->visit[p->farthest - 1].hops;
        row.wave_ns = far->until - s->visit[p->farthest - 1].wave_ns;
        row.wave_end = s->g->lanes.at[far->lane].rank;
    }
    row.wait_site = p->event ? s->g->t->events[p->event - 1].site : CAUSES_NONE;
    row.wait_operation = p->event ? s->g->t->events[p->event - 1].operation : CAUSES_NONE;
    row.wait_state = p->event ? s->g->t->cause[p->event - 1].wait_state : WAIT_NONE;
    return row;
}

static void put_rows(struct causes *c, const struct search *s)
{
    c->rows = memory_alloc((s->g->pieces.n + 1) * sizeof *c->rows);
    for (size_t i = 0; i < s->g->pieces.n; i++)
        if (s->cost[i].direct + s->cost[i].passed >= 0.5 || s->cost[i].path > 0)
            c->rows[c->n++] = row_of(s, i);
    qsort(c->rows, c->n, sizeof *c->rows, largest_first);
    merge_rest(c);
}

bool causes_add_up(const struct root_cause *rows, size_t n, uint64_t wait_ns, int64_t path_ns)
{
    double cost = 0, path = 0;
    for (size_t i = 0; i < n; i++) {
        cost += (double)rows[i].direct_ns + (double)rows[i].passed_ns;
        path += (double)rows[i].path_ns;
    }
    /* Pieces with a cost below 0.5 ns have no row; a millionth of the sum allows for these. */
    return fabs(cost - (double)wait_ns) <= (double)n + 1e-6 * (double)wait_ns &&
           fabs(path - (double)path_ns) <= (double)n + 1e-6 * (double)path_ns;
}

void causes_find(struct causes *c, const struct event_graph *g)
{
    struct search s = {.g = g, .work = CAUSES_WORK};
    *c = (struct causes){0};
    s.visit = memory_alloc((g->calls.n + 1) * sizeof *s.visit);
    s.thread = memory_alloc((g->lanes.n + 1) * sizeof *s.thread);
    s.cost = memory_alloc((g->pieces.n + 1) * sizeof *s.cost);
    s.balance = memory_alloc((g->pieces.n + 1) * sizeof *s.balance);
    s.pool.levels = history_levels(g->pieces.n);
    s.most_nodes = 5 * g->lanes.n > CAUSES_NODES ? 5 * g->lanes.n : CAUSES_NODES;
    for (size_t i = 0; i < g->lanes.n; i++)
        s.thread[i].next = g->lanes.at[i].begin;
    for (uint32_t i = 0; i < g->calls.n; i++)
        if (event_call(g, i)->awaited != CAUSES_NONE)
            s.visit[event_call(g, i)->awaited].waiting++;
    replay(&s);
    put_rows(c, &s);
    c->path_ns = s.path_ns;
    for (size_t i = 0; i < g->calls.n; i++)
        history_end(&s.pool, s.visit[i].history);
    free(s.at_site.at);
    free(s.site_of.table);
    free(s.visit);
    free(s.thread);
    free(s.cost);
    free(s.balance);
    free(s.delays.at);
}
