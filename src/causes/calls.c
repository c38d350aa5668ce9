#include "causes/calls.h"

#include <stdlib.h>

static uint32_t piece_at(struct recorded *r, const struct piece *p)
{
    uint64_t hash = hash_mix(HASH_START, (uint64_t)p->kind << 32 | p->rank);
    hash = hash_mix(hash, (uint64_t)p->from_site << 32 | p->from_operation);
    hash = hash_mix(hash, (uint64_t)p->site << 32 | p->operation);
    const uint32_t at = lookup_find(&r->piece_of, hash);
    if (at != UINT32_MAX)
        return at;
    *PUSH(&r->pieces) = *p;
    lookup_add(&r->piece_of, hash, r->pieces.n - 1);
    return (uint32_t)r->pieces.n - 1;
}

/* Stands for any call site or any operation. */
#define ANY_SITE (CAUSES_NONE - 1)

static uint32_t piece_of(struct recorded *r, struct piece p)
{
    struct piece group = p;
    group.rank = CAUSES_NONE;
    p.group[MATCH_SHIFTED] = p.group[MATCH_SEGMENT] = piece_at(r, &group);
    group.site = group.operation = ANY_SITE;
    p.group[MATCH_FROM] = piece_at(r, &group);
    group.from_site = group.from_operation = ANY_SITE;
    p.group[MATCH_KIND] = piece_at(r, &group);
    group.site = p.site;
    group.operation = p.operation;
    p.group[MATCH_TO] = piece_at(r, &group);
    return piece_at(r, &p);
}

static uint32_t piece_between(struct recorded *r, uint32_t rank, const struct event *left,
                              const struct event *entered)
{
    return piece_of(r, (struct piece){.kind = CAUSE_COMPUTATION,
                                      .rank = rank,
                                      .from_site = left ? left->site : CAUSES_NONE,
                                      .from_operation = left ? left->operation : CAUSES_NONE,
                                      .site = entered ? entered->site : CAUSES_NONE,
                                      .operation = entered ? entered->operation : CAUSES_NONE});
}

static uint32_t piece_unknown(struct recorded *r, uint32_t rank)
{
    return piece_of(r, (struct piece){.kind = CAUSE_UNKNOWN,
                                      .rank = rank,
                                      .from_site = CAUSES_NONE,
                                      .from_operation = CAUSES_NONE,
                                      .site = CAUSES_NONE,
                                      .operation = CAUSES_NONE});
}

static uint32_t piece_inside(struct recorded *r, const struct event *a, bool known)
{
    return piece_of(r, (struct piece){.kind = known ? CAUSE_TRANSFER : CAUSE_UNKNOWN,
                                      .rank = a->rank,
                                      .from_site = CAUSES_NONE,
                                      .from_operation = CAUSES_NONE,
                                      .site = a->site,
                                      .operation = a->operation});
}

/* Whether it is known if this event's call waited. */
static bool is_judged(const struct recorded *r, uint32_t event)
{
    const struct event *a = &r->events[event];
    if (a->excluded || a->kind == EVENT_CALL)
        return false;
    if (a->kind == EVENT_SEND || a->kind == EVENT_POST || a->kind == EVENT_SENT)
        return true; /* a send without a partner was not seen to wait */
    return r->t->cause[event].event != TIMELINE_NONE;
}

static int64_t width_of(const struct causes_run *run)
{
    return run->time_mask ? 1ll << __builtin_ctzll(run->time_mask) : 0;
}

static bool starts_run(const struct causes_run *run, int64_t epoch)
{
    return !run->time_mask || epoch * width_of(run) <= run->first_ns;
}

static bool ends_run(const struct causes_run *run, int64_t epoch)
{
    return !run->time_mask || (epoch + 1) * width_of(run) >= run->last_ns;
}

/* Adds the next call of the last lane; its events are the N at OF. */
static void add_call(struct recorded *r, uint32_t *lane_of, const uint32_t *of, size_t n)
{
    struct lane *lane = &r->lanes.at[r->lanes.n - 1];
    const struct event *a = &r->events[*of];
    struct call c = {.entry = a->entry_ns,
                     .exit = a->exit_ns,
                     .until = a->entry_ns,
                     .epoch = causes_epoch(r->run, a->entry_ns),
                     .lane = (uint32_t)r->lanes.n - 1,
                     .event = *of,
                     .request = CAUSES_NONE};
    const struct call *last = lane->next < r->calls.n ? &r->calls.at[r->calls.n - 1] : NULL;
    bool judged = true;
    for (size_t i = 0; i < n; i++) {
        lane_of[of[i]] = c.lane;
        judged = judged && is_judged(r, of[i]);
        if (r->t->wait_ns[of[i]] > 0) {
            c.event = of[i];
            c.until = c.entry + r->t->wait_ns[of[i]];
        }
    }
    if (last ? last->epoch == c.epoch : starts_run(r->run, c.epoch))
        c.before = piece_between(r, lane->rank, last ? &r->events[last->event] : NULL, a);
    else
        c.before = lane->unknown;
    c.inside = piece_inside(r, a, judged);
    *PUSH(&r->calls) = c;
}

static void end_lane(struct recorded *r)
{
    struct lane *lane = &r->lanes.at[r->lanes.n - 1];
    const struct call *last = &r->calls.at[r->calls.n - 1];
    lane->end = (uint32_t)r->calls.n;
    lane->tail = ends_run(r->run, last->epoch)
                     ? piece_between(r, lane->rank, &r->events[last->event], NULL)
                     : lane->unknown;
}

static void read_calls(struct recorded *r, size_t n, uint32_t *lane_of)
{
    const uint32_t *order = r->t->order;
    for (size_t i = 0, end; i < n; i = end) {
        const struct event *a = &r->events[order[i]], *before = i ? &r->events[order[i - 1]] : NULL;
        end = timeline_call_end(r->t, r->events, n, i);
        if (!before || before->rank != a->rank || before->thread != a->thread) {
            if (before)
                end_lane(r);
            uint32_t unknown = piece_unknown(r, a->rank);
            *PUSH(&r->lanes) =
                (struct lane){.rank = a->rank, .unknown = unknown, .next = (uint32_t)r->calls.n};
        }
        add_call(r, lane_of, order + i, end - i);
    }
    if (r->lanes.n)
        end_lane(r);
}

static int by_lane_and_time(const void *a, const void *b)
{
    const struct request *x = a, *y = b;
    return ORDER(x->lane, y->lane) ?: ORDER(x->time, y->time) ?: ORDER(x->call, y->call);
}

static void read_requests(struct recorded *r, const uint32_t *lane_of)
{
    for (uint32_t i = 0; i < r->calls.n; i++) {
        const struct call *c = &r->calls.at[i];
        uint32_t event = r->t->cause[c->event].event;
        if (c->until > c->entry && event != TIMELINE_NONE)
            *PUSH(&r->requests) =
                (struct request){.time = c->until, .lane = lane_of[event], .call = i};
    }
    if (r->requests.n)
        qsort(r->requests.at, r->requests.n, sizeof *r->requests.at, by_lane_and_time);
    for (uint32_t i = 0; i < r->requests.n; i++) {
        const struct request *q = &r->requests.at[i];
        struct lane *lane = &r->lanes.at[q->lane];
        r->calls.at[q->call].request = i;
        if (!i || r->requests.at[i - 1].lane != q->lane)
            lane->request = i;
        lane->last_request = i + 1;
    }
}

static int by_window_and_exit(const void *a, const void *b, void *calls)
{
    const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    const struct call *x = (const struct call *)calls + i, *y = (const struct call *)calls + k;
    return ORDER(x->epoch, y->epoch) ?: ORDER(x->exit, y->exit) ?: ORDER(i, k);
}

static void sort_calls(struct recorded *r)
{
    r->order = memory_alloc((r->calls.n + 1) * sizeof *r->order);
    for (uint32_t i = 0; i < r->calls.n; i++)
        r->order[i] = i;
    qsort_r(r->order, r->calls.n, sizeof *r->order, by_window_and_exit, r->calls.at);
}

void recorded_window(const struct causes_run *run, int64_t epoch, int64_t *from, int64_t *to)
{
    *from = starts_run(run, epoch) ? run->first_ns : epoch * width_of(run);
    *to = ends_run(run, epoch) ? run->last_ns : (epoch + 1) * width_of(run);
}

struct recorded recorded_calls_read(const struct timeline *t, const struct event *events, size_t n,
                                    const struct causes_run *run)
{
    struct recorded r = {.t = t, .events = events, .run = run};
    uint32_t *lane_of = memory_alloc((n + 1) * sizeof *lane_of); /* by event */
    read_calls(&r, n, lane_of);
    read_requests(&r, lane_of);
    sort_calls(&r);
    free(lane_of);
    return r;
}

void recorded_calls_free(struct recorded *r)
{
    free(r->pieces.at);
    free(r->calls.at);
    free(r->requests.at);
    free(r->lanes.at);
    free(r->order);
    free(r->piece_of.table);
}
