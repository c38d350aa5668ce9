#include "causes/causes.h"

#include "base/hash.h"
#include "base/stats.h"
#include "causes/calls.h"
#include "causes/delays.h"
#include "causes/history.h"

#include <math.h>
#include <stdlib.h>

const char *const cause_names[CAUSE_KINDS] = {[CAUSE_COMPUTATION] = "computation",
                                              [CAUSE_TRANSFER] = "transfer",
                                              [CAUSE_UNKNOWN] = "unknown",
                                              [CAUSE_REST] = "all others"};

/* Cost of a piece in the calls of one site. */
struct waited {
    uint32_t piece, site, operation, state;
    double cost;
};

struct search {
    struct recorded in;
    ARRAY(struct waited) waited;
    struct index waited_of;
    struct delay_balance *balance; /* for each piece, zeroed */
    struct history_differences differences;
    ARRAY(struct delay) delays;
    struct history_pool pool;
    int64_t epoch, from, to; /* the window in replay: all histories begin at FROM */
    int64_t path_ns;
    size_t windows; /* that ended */
    size_t most_nodes;
    uint64_t work, allowed; /* delays examined so far, and how many may be before forget() */
};

static void spend(struct search *s, struct history **h, uint32_t piece, int64_t ns)
{
    history_add(&s->pool, h, piece, ns > 0 ? ns : 0);
}

/* The lane's next call in this window; NULL if there is none. */
static const struct call *next_call(const struct search *s, const struct lane *lane)
{
    const struct call *c = &s->in.calls.at[lane->next];
    return lane->next < lane->end && c->epoch == s->epoch ? c : NULL;
}

/* The lane's history at TIME, limited to between its current end and its next exit. */
static struct history *history_at(struct search *s, const struct lane *lane, int64_t time)
{
    struct history *h = history_share(lane->history);
    const struct call *c = next_call(s, lane);
    if (!c) {
        spend(s, &h, lane->next == lane->end ? lane->tail : lane->unknown, time - lane->at);
        return h;
    }
    int64_t entry = c->entry > lane->at ? c->entry : lane->at;
    spend(s, &h, c->before, (time < entry ? time : entry) - lane->at);
    if (time > entry)
        spend(s, &h, c->inside, time - entry);
    return h;
}

static void serve(struct search *s, const struct lane *lane, struct request *r)
{
    r->history = history_at(s, lane, r->time);
    r->waited = lane->waited;
    r->served = true;
}

/* Serves the lane's requests for times before TIME. */
static void serve_before(struct search *s, struct lane *lane, int64_t time)
{
    for (; lane->request < lane->last_request; lane->request++) {
        struct request *r = &s->in.requests.at[lane->request];
        if (r->time >= time)
            return;
        if (r->served || r->time < lane->at)
            continue;
        serve(s, lane, r);
    }
}

/* Replaces all that histories consist of by unknown time of the same length. */
static void forget(struct search *s)
{
    s->work = s->allowed;
    for (size_t i = 0; i < s->in.lanes.n; i++) {
        struct lane *lane = &s->in.lanes.at[i];
        history_end(&s->pool, lane->history);
        lane->history = NULL;
        spend(s, &lane->history, lane->unknown, lane->at - s->from);
    }
    for (size_t i = 0; i < s->in.requests.n; i++) {
        struct request *r = &s->in.requests.at[i];
        if (!r->history)
            continue;
        history_end(&s->pool, r->history);
        r->history = NULL;
        spend(s, &r->history, s->in.lanes.at[r->lane].unknown, r->time - s->from);
    }
}

static void add_cost(struct search *s, const struct call *c, uint32_t piece, double cost)
{
    const struct event *a = &s->in.events[c->event];
    struct waited w = {piece, a->site, a->operation, s->in.t->cause[c->event].state, 0};
    struct piece *p = &s->in.pieces.at[piece];
    uint64_t hash = hash_mix(HASH_START, (uint64_t)w.piece << 32 | w.state);
    hash = hash_mix(hash, (uint64_t)w.site << 32 | w.operation);
    uint32_t at = lookup_find(&s->waited_of, hash);
    *(s->in.t->cause[c->event].rank == p->rank ? &p->direct : &p->passed) += cost;
    if (at == UINT32_MAX && s->waited.n >= CAUSES_NODES)
        return;
    if (at == UINT32_MAX) {
        at = (uint32_t)s->waited.n;
        *PUSH(&s->waited) = w;
        lookup_add(&s->waited_of, hash, at);
    }
    s->waited.at[at].cost += cost;
}

/* Finds the delays that make LATE, the history of the awaited rank, longer than OWN. */
static void find_delays(struct search *s, const struct history *late, const struct history *own)
{
    s->differences.list.n = s->delays.n = 0;
    if (late)
        history_compare(&s->pool, late, own, &s->differences);
    for (size_t i = 0; i < s->differences.list.n; i++) {
        const struct history_difference *d = &s->differences.list.at[i];
        if (d->ns)
            *PUSH(&s->delays) = (struct delay){d->key, s->in.pieces.at[d->key].group, (double)d->ns,
                                               (double)d->count};
    }
    delays_match(s->delays.at, s->delays.n, s->balance);
}

/* Continues the idle wave in which CALL waits: the last wait of the awaited rank had the same main
 * CAUSE. */
static void follow_wave(struct search *s, uint32_t call, uint32_t cause)
{
    struct call *c = &s->in.calls.at[call];
    struct piece *p = &s->in.pieces.at[cause];
    const uint32_t waited = c->request == CAUSES_NONE ? 0 : s->in.requests.at[c->request].waited;
    const struct call *before = waited ? &s->in.calls.at[waited - 1] : NULL;
    c->cause = cause;
    c->hops = 1;
    c->wave_ns = c->until;
    if (before && before->cause == cause && before->epoch == c->epoch) {
        c->hops = before->hops + 1;
        c->wave_ns = before->wave_ns;
    }
    if (!p->farthest || c->hops > s->in.calls.at[p->farthest - 1].hops)
        p->farthest = call + 1;
}

/* Distributes the wait of C over its delays: the excess of LATE, the history of the awaited rank at
 * the end of the wait, over OWN, the history of C's own rank at the start of the wait. */
static void distribute(struct search *s, const struct call *c, const struct history *late,
                       const struct history *own)
{
    const double wait = (double)(c->until - c->entry);
    double sum = 0, most = 0;
    uint32_t first = s->in.lanes.at[c->lane].unknown;
    find_delays(s, late, own);
    s->work += s->delays.n;
    s->allowed += CAUSES_DELAYS;
    for (size_t i = 0; i < s->delays.n; i++) {
        const struct delay *d = &s->delays.at[i];
        sum += d->ns > 0 ? d->ns : 0;
        if (d->ns > most) {
            most = d->ns;
            first = d->piece;
        }
    }
    for (size_t i = 0; sum > 0 && i < s->delays.n; i++) {
        const struct delay *d = &s->delays.at[i];
        if (d->ns > 0)
            add_cost(s, c, d->piece, wait * d->ns / sum);
    }
    if (!(sum > 0))
        add_cost(s, c, first, wait);
    s->in.pieces.at[first].waits++;
    follow_wave(s, (uint32_t)(c - s->in.calls.at), first);
}

static void replay_call(struct search *s, struct lane *lane);

/* Replays the lane's calls that end by TIME. Skips a busy lane: entries and exits at the same time
 * may form a cycle, which is broken there. */
static void replay_until(struct search *s, struct lane *lane, int64_t time)
{
    const struct call *c;
    while (!lane->busy && (c = next_call(s, lane)) && c->exit <= time)
        replay_call(s, lane);
}

/* The history that C waited for; the caller frees it. NULL if unknown. */
static struct history *awaited_history(struct search *s, const struct call *c)
{
    if (c->request == CAUSES_NONE)
        return NULL;
    struct request *r = &s->in.requests.at[c->request];
    struct lane *lane = &s->in.lanes.at[r->lane];
    if (!r->served) {
        replay_until(s, lane, r->time);
        if (!r->served && lane->at <= r->time)
            serve(s, lane, r);
        r->served = true;
    }
    struct history *h = r->history;
    r->history = NULL;
    return h;
}

static void replay_call(struct search *s, struct lane *lane)
{
    const struct call *c = &s->in.calls.at[lane->next];
    lane->busy = true;
    serve_before(s, lane, c->exit);
    struct history *late = c->until > c->entry ? awaited_history(s, c) : NULL;
    int64_t entry = c->entry > lane->at ? c->entry : lane->at;
    spend(s, &lane->history, c->before, entry - lane->at);
    if (c->until > c->entry) {
        distribute(s, c, late, lane->history);
        lane->waited = lane->next + 1;
    }
    if (late && c->until > entry) {
        history_end(&s->pool, lane->history);
        lane->history = late;
        entry = c->until;
    } else {
        history_end(&s->pool, late);
        if (c->until > entry) {
            spend(s, &lane->history, lane->unknown, c->until - entry);
            entry = c->until;
        }
    }
    lane->at = c->exit > entry ? c->exit : entry;
    spend(s, &lane->history, c->inside, lane->at - entry);
    lane->next++;
    lane->busy = false;
}

/* Whether the lane belongs to the rank that ends last, whose time after its last call is on the
 * path. */
static bool is_last(const struct search *s, const struct lane *lane)
{
    return s->to == s->in.run->last_ns && lane->rank == s->in.run->last_rank &&
           lane->next == lane->end;
}

/* The critical path of the window is the history of the rank that ends last; if that is unknown, or
 * the run continues, of the rank whose last call in the window ends last. */
static void end_epoch(struct search *s)
{
    const struct lane *last = s->in.lanes.at;
    for (const struct lane *x = last + 1; x < s->in.lanes.at + s->in.lanes.n; x++)
        if (is_last(s, x) == is_last(s, last) ? x->at > last->at : is_last(s, x))
            last = x;
    int64_t end = last->at > s->to ? last->at : s->to;
    struct history *path = history_share(last->history);
    spend(s, &path, is_last(s, last) ? last->tail : last->unknown, end - last->at);
    s->differences.list.n = 0;
    history_compare(&s->pool, path, NULL, &s->differences);
    for (size_t i = 0; i < s->differences.list.n; i++) {
        const struct history_difference *d = &s->differences.list.at[i];
        s->in.pieces.at[d->key].path += (double)d->ns;
    }
    history_end(&s->pool, path);
    s->path_ns += end - s->from;
    s->windows++;
    for (size_t i = 0; i < s->in.pieces.n; i++) {
        struct piece *p = &s->in.pieces.at[i];
        const double cost = p->direct + p->passed - p->cost_before;
        p->cost_squares += cost * cost;
        p->cost_before += cost;
    }
    for (size_t i = 0; i < s->in.lanes.n; i++) {
        history_end(&s->pool, s->in.lanes.at[i].history);
        s->in.lanes.at[i].history = NULL;
    }
}

static void begin_epoch(struct search *s, int64_t epoch)
{
    s->epoch = epoch;
    recorded_window(s->in.run, epoch, &s->from, &s->to);
    for (size_t i = 0; i < s->in.lanes.n; i++)
        s->in.lanes.at[i].at = s->from;
}

static void replay(struct search *s)
{
    const size_t n = s->in.calls.n;
    const uint32_t *order = s->in.order;
    for (size_t i = 0; i < n; i++) {
        const struct call *c = &s->in.calls.at[order[i]];
        struct lane *lane = &s->in.lanes.at[c->lane];
        if (!i || c->epoch != s->epoch) {
            if (i)
                end_epoch(s);
            begin_epoch(s, c->epoch);
        }
        while (lane->next <= order[i])
            replay_call(s, lane);
        if (s->pool.nodes > s->most_nodes || s->work > s->allowed + CAUSES_WORK)
            forget(s);
    }
    if (n)
        end_epoch(s);
}

static int largest_first(const void *a, const void *b)
{
    const struct root_cause *x = a, *y = b;
    return ORDER(y->direct_ns + y->passed_ns, x->direct_ns + x->passed_ns)
               ?: ORDER(y->path_ns, x->path_ns)
               ?: ORDER(x->kind, y->kind) ?: ORDER(x->rank, y->rank)
               ?: ORDER(x->from_site, y->from_site) ?: ORDER(x->site, y->site)
               ?: ORDER(x->from_operation, y->from_operation) ?: ORDER(x->operation, y->operation);
}

static void merge_rest(struct causes *c)
{
    struct root_cause *rest = &c->rows[CAUSES_ROWS - 1];
    if (c->n <= CAUSES_ROWS)
        return;
    for (size_t i = CAUSES_ROWS; i < c->n; i++) {
        rest->direct_ns += c->rows[i].direct_ns;
        rest->passed_ns += c->rows[i].passed_ns;
        rest->waits += c->rows[i].waits;
        rest->path_ns += c->rows[i].path_ns;
        rest->error_ns += c->rows[i].error_ns;
    }
    rest->wave_ranks = 0;
    rest->wave_ns = 0;
    rest->kind = CAUSE_REST;
    rest->rank = rest->from_site = rest->from_operation = rest->site = rest->operation =
        rest->wait_site = rest->wait_operation = rest->wave_end = CAUSES_NONE;
    rest->wait_state = WAIT_NONE;
    c->n = CAUSES_ROWS;
}

/* Half of the 95 % interval of a piece's cost in all windows of a thinned trace. */
static double cost_error(const struct search *s, const struct piece *p)
{
    enum { LEAST_WINDOWS = 4 };
    const double n = (double)s->windows, sum = p->direct + p->passed;
    if (!s->in.run->time_mask)
        return 0;
    if (s->windows < LEAST_WINDOWS)
        return NAN;
    return stats_student(n - 1) * sqrt(fmax(0, p->cost_squares - sum * sum / n) * n / (n - 1));
}

static void put_rows(struct causes *c, const struct search *s)
{
    uint32_t *most = memory_alloc((s->in.pieces.n + 1) * sizeof *most); /* plus one; index into
                                                                           s->waited */
    for (uint32_t i = 0; i < s->waited.n; i++) {
        uint32_t *m = &most[s->waited.at[i].piece];
        if (!*m || s->waited.at[i].cost > s->waited.at[*m - 1].cost)
            *m = i + 1;
    }
    c->rows = memory_alloc((s->in.pieces.n + 1) * sizeof *c->rows);
    for (size_t i = 0; i < s->in.pieces.n; i++) {
        const struct piece *p = &s->in.pieces.at[i];
        const struct waited *w = most[i] ? &s->waited.at[most[i] - 1] : NULL;
        const struct call *far = p->farthest ? &s->in.calls.at[p->farthest - 1] : NULL;
        if (p->direct + p->passed >= 0.5 || p->path > 0)
            c->rows[c->n++] =
                (struct root_cause){.kind = p->kind,
                                    .rank = p->rank,
                                    .from_site = p->from_site,
                                    .from_operation = p->from_operation,
                                    .site = p->site,
                                    .operation = p->operation,
                                    .direct_ns = (uint64_t)llround(p->direct),
                                    .passed_ns = (uint64_t)llround(p->passed),
                                    .waits = p->waits,
                                    .path_ns = (uint64_t)llround(p->path),
                                    .error_ns = cost_error(s, p),
                                    .wave_ranks = far ? far->hops : 0,
                                    .wave_ns = far ? far->until - far->wave_ns : 0,
                                    .wave_end = far ? s->in.lanes.at[far->lane].rank : CAUSES_NONE,
                                    .wait_site = w ? w->site : CAUSES_NONE,
                                    .wait_operation = w ? w->operation : CAUSES_NONE,
                                    .wait_state = w ? w->state : WAIT_NONE};
    }
    qsort(c->rows, c->n, sizeof *c->rows, largest_first);
    merge_rest(c);
    free(most);
}

bool causes_add_up(const struct root_cause *rows, size_t n, uint64_t wait_ns, int64_t path_ns)
{
    double cost = 0, path = 0;
    for (size_t i = 0; i < n; i++) {
        cost += (double)rows[i].direct_ns + (double)rows[i].passed_ns;
        path += (double)rows[i].path_ns;
    }
    /* Pieces below half a nanosecond have no row; together they are far below a millionth. */
    return fabs(cost - (double)wait_ns) <= (double)n + 1e-6 * (double)wait_ns &&
           fabs(path - (double)path_ns) <= (double)n + 1e-6 * (double)path_ns;
}

void causes_find(struct causes *c, const struct timeline *t, const struct event *events, size_t n,
                 const struct causes_run *run)
{
    struct search s = {.in = recorded_calls_read(t, events, n, run)};
    *c = (struct causes){0};
    s.balance = memory_alloc((s.in.pieces.n + 1) * sizeof *s.balance);
    s.pool.levels = history_levels(s.in.pieces.n);
    s.most_nodes = 5 * s.in.lanes.n > CAUSES_NODES ? 5 * s.in.lanes.n : CAUSES_NODES;
    replay(&s);
    put_rows(c, &s);
    c->path_ns = s.path_ns;
    for (size_t i = 0; i < s.in.requests.n; i++)
        history_end(&s.pool, s.in.requests.at[i].history);
    history_pool_free(&s.pool);
    free(s.waited.at);
    free(s.waited_of.table);
    recorded_calls_free(&s.in);
    free(s.balance);
    free(s.differences.list.at);
    free(s.delays.at);
}

void causes_free(struct causes *c)
{
    free(c->rows);
    *c = (struct causes){0};
}
