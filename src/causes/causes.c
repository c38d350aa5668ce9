#include "causes/causes.h"

#include "base/hash.h"
#include "causes/history.h"

#include <math.h>
#include <stdlib.h>

const char *const cause_names[CAUSE_KINDS] = {[CAUSE_COMPUTATION] = "computation",
                                              [CAUSE_TRANSFER] = "transfer",
                                              [CAUSE_UNKNOWN] = "unknown",
                                              [CAUSE_REST] = "all others"};

/* How segments of two ranks' histories are matched, in this order: first the same segment; then the
 * rest of computation after the same call, before the same call, and any computation, since ranks
 * that do the same work may call MPI before and after it at different sites. */
enum matching {
    MATCH_SHIFTED, /* the same segment, equally often and on the same ranks in both histories */
    MATCH_SEGMENT,
    MATCH_FROM,
    MATCH_TO,
    MATCH_KIND,
    MATCHINGS
};

/* One segment on one rank. Its position is its key in histories. */
struct piece {
    uint32_t kind, rank, from_site, from_operation, site, operation;
    uint32_t group[MATCHINGS]; /* for each matching: the piece that represents its group */
    double direct, passed, path;
    uint64_t waits;
};

/* What a piece costs in the calls of one site. */
struct waited {
    uint32_t piece, site, operation, state;
    double cost;
};

struct call {
    int64_t entry, exit, until; /* until: end of its wait; <= entry: it did not wait */
    int64_t epoch;
    uint32_t lane, event;    /* event: that ended the wait, or any */
    uint32_t before, inside; /* pieces */
    uint32_t request;        /* CAUSES_NONE: it did not wait, or it is unknown for whom */
};

/* The history of a lane at a time, which a call that waited for it needs. */
struct request {
    int64_t time;
    uint32_t lane, call;
    bool served;
    struct history *history;
};

/* A thread of a rank. */
struct lane {
    uint32_t next, end; /* its calls that are not replayed yet: [NEXT, END) */
    uint32_t request, last_request;
    uint32_t rank, unknown, tail; /* pieces: of an unknown time, and after its last call */
    int64_t at;                   /* its history ends here */
    bool busy;
    struct history *history;
};

/* Time of one piece in the awaited rank's history minus that in the waiting rank's history. COUNT:
 * the same for executions; 0 if NS is because executions took longer, not because of more. */
struct delay {
    uint32_t piece;
    double ns, count;
};

/* The delays of one group. */
struct balance {
    double more, less;
    double more_count, less_count; /* executions in them */
    double squares;                /* sum of time and mean time of an execution, in LESS */
    double weights;                /* of MORE, what is above that mean */
};

struct search {
    const struct timeline *t;
    const struct act *act;
    const struct causes_run *run;
    size_t n;
    ARRAY(struct piece) pieces;
    ARRAY(struct call) calls;
    ARRAY(struct request) requests;
    ARRAY(struct lane) lanes;
    ARRAY(struct waited) waited;
    struct lookup piece_of, waited_of;
    uint32_t *lane_of; /* by event */
    struct balance *balance;
    struct history_differences differences;
    ARRAY(struct delay) delays;
    struct history_pool pool;
    int64_t epoch, from, to; /* the window that is replayed: all histories begin at FROM */
    int64_t path_ns;
    size_t most_nodes;
    uint64_t work, allowed; /* delays that were looked at, and that may be before forget() */
};

/* --- pieces --- */

static uint32_t piece_at(struct search *s, const struct piece *p)
{
    uint64_t hash = hash_mix(HASH_START, (uint64_t)p->kind << 32 | p->rank);
    hash = hash_mix(hash, (uint64_t)p->from_site << 32 | p->from_operation);
    hash = hash_mix(hash, (uint64_t)p->site << 32 | p->operation);
    uint32_t step = 0, at;
    while ((at = lookup_next(&s->piece_of, hash, &step)) != UINT32_MAX) {
        const struct piece *x = &s->pieces.at[at];
        if (x->kind == p->kind && x->rank == p->rank && x->from_site == p->from_site &&
            x->from_operation == p->from_operation && x->site == p->site &&
            x->operation == p->operation)
            return at;
    }
    *PUSH(&s->pieces) = *p;
    lookup_add(&s->piece_of, hash, s->pieces.n - 1);
    return (uint32_t)s->pieces.n - 1;
}

/* In place of a site or an operation: any. */
#define ANY_SITE (CAUSES_NONE - 1)

static uint32_t piece_of(struct search *s, struct piece p)
{
    struct piece group = p;
    group.rank = CAUSES_NONE;
    p.group[MATCH_SHIFTED] = p.group[MATCH_SEGMENT] = piece_at(s, &group);
    group.site = group.operation = ANY_SITE;
    p.group[MATCH_FROM] = piece_at(s, &group);
    group.from_site = group.from_operation = ANY_SITE;
    p.group[MATCH_KIND] = piece_at(s, &group);
    group.site = p.site;
    group.operation = p.operation;
    p.group[MATCH_TO] = piece_at(s, &group);
    return piece_at(s, &p);
}

static uint32_t piece_between(struct search *s, uint32_t rank, const struct act *left,
                              const struct act *entered)
{
    return piece_of(s, (struct piece){.kind = CAUSE_COMPUTATION,
                                      .rank = rank,
                                      .from_site = left ? left->site : CAUSES_NONE,
                                      .from_operation = left ? left->operation : CAUSES_NONE,
                                      .site = entered ? entered->site : CAUSES_NONE,
                                      .operation = entered ? entered->operation : CAUSES_NONE});
}

static uint32_t piece_unknown(struct search *s, uint32_t rank)
{
    return piece_of(s, (struct piece){.kind = CAUSE_UNKNOWN,
                                      .rank = rank,
                                      .from_site = CAUSES_NONE,
                                      .from_operation = CAUSES_NONE,
                                      .site = CAUSES_NONE,
                                      .operation = CAUSES_NONE});
}

static uint32_t piece_inside(struct search *s, const struct act *a, bool known)
{
    return piece_of(s, (struct piece){.kind = known ? CAUSE_TRANSFER : CAUSE_UNKNOWN,
                                      .rank = a->rank,
                                      .from_site = CAUSES_NONE,
                                      .from_operation = CAUSES_NONE,
                                      .site = a->site,
                                      .operation = a->operation});
}

/* --- calls, from events --- */

/* Whether it is known if the call of this event waited. */
static bool is_judged(const struct search *s, uint32_t event)
{
    const struct act *a = &s->act[event];
    if (a->excluded || a->kind == ACT_CALL)
        return false;
    if (a->kind == ACT_SEND || a->kind == ACT_POST || a->kind == ACT_SENT)
        return true; /* a send that has no partner was not seen to wait */
    return s->t->cause[event].event != TIMELINE_NONE;
}

static int64_t width_of(const struct causes_run *run)
{
    return run->time_mask ? 1ll << __builtin_ctzll(run->time_mask) : 0;
}

static int64_t epoch_at(const struct causes_run *run, int64_t time)
{
    return run->time_mask ? time >> __builtin_ctzll(run->time_mask) : 0;
}

static bool starts_run(const struct causes_run *run, int64_t epoch)
{
    return !run->time_mask || epoch * width_of(run) <= run->first_ns;
}

static bool ends_run(const struct causes_run *run, int64_t epoch)
{
    return !run->time_mask || (epoch + 1) * width_of(run) >= run->last_ns;
}

/* The N events at OF are one call, the next of the last lane. */
static void add_call(struct search *s, const uint32_t *of, size_t n)
{
    struct lane *lane = &s->lanes.at[s->lanes.n - 1];
    const struct act *a = &s->act[*of];
    struct call c = {.entry = a->entry_ns,
                     .exit = a->exit_ns,
                     .until = a->entry_ns,
                     .epoch = epoch_at(s->run, a->entry_ns),
                     .lane = (uint32_t)s->lanes.n - 1,
                     .event = *of,
                     .request = CAUSES_NONE};
    const struct call *last = lane->next < s->calls.n ? &s->calls.at[s->calls.n - 1] : NULL;
    bool judged = true;
    for (size_t i = 0; i < n; i++) {
        s->lane_of[of[i]] = c.lane;
        judged = judged && is_judged(s, of[i]);
        if (s->t->wait_ns[of[i]] > 0) {
            c.event = of[i];
            c.until = c.entry + s->t->wait_ns[of[i]];
        }
    }
    if (last ? last->epoch == c.epoch : starts_run(s->run, c.epoch))
        c.before = piece_between(s, lane->rank, last ? &s->act[last->event] : NULL, a);
    else
        c.before = lane->unknown;
    c.inside = piece_inside(s, a, judged);
    *PUSH(&s->calls) = c;
}

static void end_lane(struct search *s)
{
    struct lane *lane = &s->lanes.at[s->lanes.n - 1];
    const struct call *last = &s->calls.at[s->calls.n - 1];
    lane->end = (uint32_t)s->calls.n;
    lane->tail = ends_run(s->run, last->epoch)
                     ? piece_between(s, lane->rank, &s->act[last->event], NULL)
                     : lane->unknown;
}

static void read_calls(struct search *s)
{
    const uint32_t *order = s->t->order;
    for (size_t i = 0, end; i < s->n; i = end) {
        const struct act *a = &s->act[order[i]], *before = i ? &s->act[order[i - 1]] : NULL;
        end = timeline_call_end(s->t, s->act, s->n, i);
        if (!before || before->rank != a->rank || before->thread != a->thread) {
            if (before)
                end_lane(s);
            uint32_t unknown = piece_unknown(s, a->rank);
            *PUSH(&s->lanes) =
                (struct lane){.rank = a->rank, .unknown = unknown, .next = (uint32_t)s->calls.n};
        }
        add_call(s, order + i, end - i);
    }
    if (s->lanes.n)
        end_lane(s);
}

static int by_lane_and_time(const void *a, const void *b)
{
    const struct request *x = a, *y = b;
    return ORDER(x->lane, y->lane) ?: ORDER(x->time, y->time) ?: ORDER(x->call, y->call);
}

static void read_requests(struct search *s)
{
    for (uint32_t i = 0; i < s->calls.n; i++) {
        const struct call *c = &s->calls.at[i];
        uint32_t event = s->t->cause[c->event].event;
        if (c->until > c->entry && event != TIMELINE_NONE)
            *PUSH(&s->requests) =
                (struct request){.time = c->until, .lane = s->lane_of[event], .call = i};
    }
    if (s->requests.n)
        qsort(s->requests.at, s->requests.n, sizeof *s->requests.at, by_lane_and_time);
    for (uint32_t i = 0; i < s->requests.n; i++) {
        const struct request *r = &s->requests.at[i];
        struct lane *lane = &s->lanes.at[r->lane];
        s->calls.at[r->call].request = i;
        if (!i || s->requests.at[i - 1].lane != r->lane)
            lane->request = i;
        lane->last_request = i + 1;
    }
}

/* --- histories --- */

static void spend(struct search *s, struct history **h, uint32_t piece, int64_t ns)
{
    history_add(&s->pool, h, piece, ns > 0 ? ns : 0);
}

/* The next call of the lane in this window; NULL: there is none. */
static const struct call *next_call(const struct search *s, const struct lane *lane)
{
    const struct call *c = &s->calls.at[lane->next];
    return lane->next < lane->end && c->epoch == s->epoch ? c : NULL;
}

/* The lane's history at TIME, not before where it is now and not after its next exit. */
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

/* Serves the lane's requests for times before TIME. */
static void serve_before(struct search *s, struct lane *lane, int64_t time)
{
    for (; lane->request < lane->last_request; lane->request++) {
        struct request *r = &s->requests.at[lane->request];
        if (r->time >= time)
            return;
        if (r->served || r->time < lane->at)
            continue;
        r->history = history_at(s, lane, r->time);
        r->served = true;
    }
}

/* Forgets what all histories are made of, but for their length. */
static void forget(struct search *s)
{
    s->work = s->allowed;
    for (size_t i = 0; i < s->lanes.n; i++) {
        struct lane *lane = &s->lanes.at[i];
        history_end(&s->pool, lane->history);
        lane->history = NULL;
        spend(s, &lane->history, lane->unknown, lane->at - s->from);
    }
    for (size_t i = 0; i < s->requests.n; i++) {
        struct request *r = &s->requests.at[i];
        if (!r->history)
            continue;
        history_end(&s->pool, r->history);
        r->history = NULL;
        spend(s, &r->history, s->lanes.at[r->lane].unknown, r->time - s->from);
    }
}

/* --- the cost of a wait --- */

static void add_cost(struct search *s, const struct call *c, uint32_t piece, double cost)
{
    const struct act *a = &s->act[c->event];
    struct waited w = {piece, a->site, a->operation, s->t->cause[c->event].state, 0};
    struct piece *p = &s->pieces.at[piece];
    uint64_t hash = hash_mix(HASH_START, (uint64_t)w.piece << 32 | w.state);
    hash = hash_mix(hash, (uint64_t)w.site << 32 | w.operation);
    uint32_t step = 0, at;
    *(s->t->cause[c->event].rank == p->rank ? &p->direct : &p->passed) += cost;
    while ((at = lookup_next(&s->waited_of, hash, &step)) != UINT32_MAX) {
        const struct waited *x = &s->waited.at[at];
        if (x->piece == w.piece && x->state == w.state && x->site == w.site &&
            x->operation == w.operation)
            break;
    }
    if (at == UINT32_MAX && s->waited.n >= CAUSES_NODES)
        return;
    if (at == UINT32_MAX) {
        at = (uint32_t)s->waited.n;
        *PUSH(&s->waited) = w;
        lookup_add(&s->waited_of, hash, at);
    }
    s->waited.at[at].cost += cost;
}

static struct balance *balance_of(const struct search *s, const struct delay *d, enum matching m)
{
    return &s->balance[s->pieces.at[d->piece].group[m]];
}

/* Ranks in both histories are held against themselves first. */
static bool takes_part(const struct delay *d, enum matching m)
{
    return m != MATCH_SHIFTED || !(d->count > 0 || d->count < 0);
}

/* By how much it takes longer than as many executions in the other history do on average. */
static double weight_of(const struct balance *b, const struct delay *d)
{
    return b->less > 0 ? fmax(0, d->ns - fmax(0, d->count) * b->squares / b->less) : d->ns;
}

/* The share of LESS that is set off: as many executions as there are in MORE. What is left may
 * match others in the next round; in the last one all is. */
static double matched_share(const struct balance *b, enum matching m)
{
    if (m + 1 == MATCHINGS || !(b->less_count > b->more_count))
        return 1;
    return b->more_count / b->less_count;
}

/* What is left of a delay in MORE, of which LEFT is left: first what is above the mean. */
static double left_of(const struct balance *b, const struct delay *d, double left)
{
    const double weight = weight_of(b, d);
    if (left <= b->weights)
        return left * weight / b->weights;
    return weight + (left - b->weights) * (d->ns - weight) / (b->more - b->weights);
}

static void set_off_one(const struct balance *b, struct delay *d, enum matching m)
{
    const double share = matched_share(b, m), left = b->more - share * b->less;
    if (d->ns > 0) {
        d->ns = left > 0 ? left_of(b, d, left) : 0;
        d->count *= b->more_count > b->less_count ? 1 - b->less_count / b->more_count : 0;
    } else {
        d->ns *= left > 0 ? 1 - share : 1 - b->more / b->less;
        d->count *= 1 - share;
    }
}

/* Sets off what one history has more against what the other has more, in each group. */
static void set_off(struct search *s, enum matching m)
{
    struct delay *d, *end = s->delays.at + s->delays.n;
    for (d = s->delays.at; d < end; d++) {
        struct balance *b = balance_of(s, d, m);
        if (!takes_part(d, m))
            continue;
        *(d->ns > 0 ? &b->more : &b->less) += fabs(d->ns);
        if (d->ns > 0)
            b->more_count += fmax(0, d->count);
        else
            b->less_count += fmax(0, -d->count);
        if (d->ns < 0 && d->count < 0)
            b->squares += d->ns / d->count * -d->ns;
    }
    for (d = s->delays.at; d < end; d++) {
        struct balance *b = balance_of(s, d, m);
        if (takes_part(d, m) && d->ns > 0)
            b->weights += weight_of(b, d);
    }
    for (d = s->delays.at; d < end; d++) {
        const struct balance *b = balance_of(s, d, m);
        if (takes_part(d, m) && b->more > 0 && b->less > 0)
            set_off_one(b, d, m);
    }
    for (d = s->delays.at; d < end; d++)
        *balance_of(s, d, m) = (struct balance){0};
}

/* The delays for which LATE, the history of the rank that was waited for, is longer than OWN. */
static void find_delays(struct search *s, const struct history *late, const struct history *own)
{
    s->differences.list.n = s->delays.n = 0;
    if (late)
        history_compare(&s->pool, late, own, &s->differences);
    for (size_t i = 0; i < s->differences.list.n; i++) {
        const struct history_difference *d = &s->differences.list.at[i];
        if (d->ns)
            *PUSH(&s->delays) = (struct delay){d->key, (double)d->ns, (double)d->count};
    }
    for (enum matching m = 0; m < MATCHINGS; m++)
        set_off(s, m);
}

/* Distributes the wait of C over its delays: the excess of LATE, the history of the awaited rank at
 * the end of the wait, over OWN, the history of C's own rank at the start of the wait. */
static void distribute(struct search *s, const struct call *c, const struct history *late,
                       const struct history *own)
{
    const double wait = (double)(c->until - c->entry);
    double sum = 0, most = 0;
    uint32_t first = s->lanes.at[c->lane].unknown;
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
    s->pieces.at[first].waits++;
}

/* --- replay --- */

static void replay_call(struct search *s, struct lane *lane);

/* Replays the lane's calls that end by TIME. Skips a busy lane: entries and exits at the same time
 * may form a cycle, which is broken there. */
static void replay_until(struct search *s, struct lane *lane, int64_t time)
{
    const struct call *c;
    while (!lane->busy && (c = next_call(s, lane)) && c->exit <= time)
        replay_call(s, lane);
}

/* The history that C waited for; the caller frees it. NULL: unknown. */
static struct history *awaited_history(struct search *s, const struct call *c)
{
    if (c->request == CAUSES_NONE)
        return NULL;
    struct request *r = &s->requests.at[c->request];
    struct lane *lane = &s->lanes.at[r->lane];
    if (!r->served) {
        replay_until(s, lane, r->time);
        if (!r->served && lane->at <= r->time)
            r->history = history_at(s, lane, r->time);
        r->served = true;
    }
    struct history *h = r->history;
    r->history = NULL;
    return h;
}

static void replay_call(struct search *s, struct lane *lane)
{
    const struct call *c = &s->calls.at[lane->next];
    lane->busy = true;
    serve_before(s, lane, c->exit);
    struct history *late = c->until > c->entry ? awaited_history(s, c) : NULL;
    int64_t entry = c->entry > lane->at ? c->entry : lane->at;
    spend(s, &lane->history, c->before, entry - lane->at);
    if (c->until > c->entry)
        distribute(s, c, late, lane->history);
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

/* Whether the lane is of the rank that ends last: what follows its last call is on the path. */
static bool is_last(const struct search *s, const struct lane *lane)
{
    return s->to == s->run->last_ns && lane->rank == s->run->last_rank && lane->next == lane->end;
}

/* The critical path of the window is the history of the rank that ends last; where that is unknown,
 * or the run goes on, of the one whose last call in it ends last. */
static void end_epoch(struct search *s)
{
    const struct lane *last = s->lanes.at;
    for (const struct lane *x = last + 1; x < s->lanes.at + s->lanes.n; x++)
        if (is_last(s, x) == is_last(s, last) ? x->at > last->at : is_last(s, x))
            last = x;
    int64_t end = last->at > s->to ? last->at : s->to;
    struct history *path = history_share(last->history);
    spend(s, &path, is_last(s, last) ? last->tail : last->unknown, end - last->at);
    s->differences.list.n = 0;
    history_compare(&s->pool, path, NULL, &s->differences);
    for (size_t i = 0; i < s->differences.list.n; i++) {
        const struct history_difference *d = &s->differences.list.at[i];
        s->pieces.at[d->key].path += (double)d->ns;
    }
    history_end(&s->pool, path);
    s->path_ns += end - s->from;
    for (size_t i = 0; i < s->lanes.n; i++) {
        history_end(&s->pool, s->lanes.at[i].history);
        s->lanes.at[i].history = NULL;
    }
}

static void begin_epoch(struct search *s, int64_t epoch)
{
    int64_t width = width_of(s->run);
    s->epoch = epoch;
    s->from = starts_run(s->run, epoch) ? s->run->first_ns : epoch * width;
    s->to = ends_run(s->run, epoch) ? s->run->last_ns : (epoch + 1) * width;
    for (size_t i = 0; i < s->lanes.n; i++)
        s->lanes.at[i].at = s->from;
}

static int by_exit(const void *a, const void *b, void *calls)
{
    const struct call *x = (const struct call *)calls + *(const uint32_t *)a,
                      *y = (const struct call *)calls + *(const uint32_t *)b;
    return ORDER(x->epoch, y->epoch) ?: ORDER(x->exit, y->exit)
        ?: ORDER(*(const uint32_t *)a, *(const uint32_t *)b);
}

static void replay(struct search *s)
{
    const size_t n = s->calls.n;
    uint32_t *order = memory_alloc((n + 1) * sizeof *order);
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    qsort_r(order, n, sizeof *order, by_exit, s->calls.at);
    for (size_t i = 0; i < n; i++) {
        const struct call *c = &s->calls.at[order[i]];
        struct lane *lane = &s->lanes.at[c->lane];
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
    free(order);
}

/* --- rows --- */

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
    }
    rest->kind = CAUSE_REST;
    rest->rank = rest->from_site = rest->from_operation = rest->site = rest->operation =
        rest->wait_site = rest->wait_operation = CAUSES_NONE;
    rest->wait_state = WAIT_NONE;
    c->n = CAUSES_ROWS;
}

static void put_rows(struct causes *c, const struct search *s)
{
    uint32_t *most = memory_alloc((s->pieces.n + 1) * sizeof *most); /* of s->waited; plus one */
    for (uint32_t i = 0; i < s->waited.n; i++) {
        uint32_t *m = &most[s->waited.at[i].piece];
        if (!*m || s->waited.at[i].cost > s->waited.at[*m - 1].cost)
            *m = i + 1;
    }
    c->rows = memory_alloc((s->pieces.n + 1) * sizeof *c->rows);
    for (size_t i = 0; i < s->pieces.n; i++) {
        const struct piece *p = &s->pieces.at[i];
        const struct waited *w = most[i] ? &s->waited.at[most[i] - 1] : NULL;
        if (p->direct + p->passed >= 0.5 || p->path > 0)
            c->rows[c->n++] = (struct root_cause){.kind = p->kind,
                                                  .rank = p->rank,
                                                  .from_site = p->from_site,
                                                  .from_operation = p->from_operation,
                                                  .site = p->site,
                                                  .operation = p->operation,
                                                  .direct_ns = (uint64_t)llround(p->direct),
                                                  .passed_ns = (uint64_t)llround(p->passed),
                                                  .waits = p->waits,
                                                  .path_ns = (uint64_t)llround(p->path),
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
    /* Pieces below half a nanosecond have no row: a part in a million is far more than all these.
     */
    return fabs(cost - (double)wait_ns) <= (double)n + 1e-6 * (double)wait_ns &&
           fabs(path - (double)path_ns) <= (double)n + 1e-6 * (double)path_ns;
}

void causes_find(struct causes *c, const struct timeline *t, const struct act *act, size_t n,
                 const struct causes_run *run)
{
    struct search s = {.t = t, .act = act, .run = run, .n = n};
    *c = (struct causes){0};
    s.lane_of = memory_alloc((n + 1) * sizeof *s.lane_of);
    read_calls(&s);
    read_requests(&s);
    s.balance = memory_alloc((s.pieces.n + 1) * sizeof *s.balance);
    s.pool.levels = history_levels(s.pieces.n);
    s.most_nodes = 5 * s.lanes.n > CAUSES_NODES ? 5 * s.lanes.n : CAUSES_NODES;
    replay(&s);
    put_rows(c, &s);
    c->path_ns = s.path_ns;
    for (size_t i = 0; i < s.requests.n; i++)
        history_end(&s.pool, s.requests.at[i].history);
    history_pool_free(&s.pool);
    free(s.pieces.at);
    free(s.calls.at);
    free(s.requests.at);
    free(s.lanes.at);
    free(s.waited.at);
    free(s.piece_of.slot);
    free(s.waited_of.slot);
    free(s.lane_of);
    free(s.balance);
    free(s.differences.list.at);
    free(s.delays.at);
}

void causes_free(struct causes *c)
{
    free(c->rows);
    *c = (struct causes){0};
}
