#include "causes/graph_inner.h"

#include "base/hash.h"

#include <stdlib.h>

static uint32_t piece_at(struct event_graph *g, const struct root_cause *row)
{
    uint64_t hash = hash_mix(HASH_START, (uint64_t)row->kind << 32 | row->rank);
    hash = hash_mix(hash, (uint64_t)row->from_site << 32 | row->from_operation);
    hash = hash_mix(hash, (uint64_t)row->site << 32 | row->operation);
    const uint32_t at = lookup_find(&g->piece_of, hash);
    if (at != UINT32_MAX)
        return at;
    *PUSH(&g->pieces) = *row;
    PUSH(&g->groups_of);
    lookup_add(&g->piece_of, hash, g->pieces.n - 1);
    return (uint32_t)g->pieces.n - 1;
}

/* Any call site or any operation, in a piece that represents a group of segments (delays.h). */
#define ANY_SITE (CAUSES_NONE - 1)

/* Finds or adds RANK's piece (graph_inner.h): time between the calls LEFT and ENTERED (NULL: the
 * run's start or end) or, unless KIND is CAUSE_COMPUTATION, inside of ENTERED. Sets its groups. */
static uint32_t piece_of(struct event_graph *g, enum cause_kind kind, uint32_t rank,
                         const struct event *left, const struct event *entered)
{
    const struct root_cause row = {.kind = kind,
                                   .rank = rank,
                                   .from_site = left ? left->site : CAUSES_NONE,
                                   .from_operation = left ? left->operation : CAUSES_NONE,
                                   .site = entered ? entered->site : CAUSES_NONE,
                                   .operation = entered ? entered->operation : CAUSES_NONE};
    struct root_cause group = row;
    struct delay_groups of;
    group.rank = CAUSES_NONE;
    of.piece[MATCH_SEGMENT] = piece_at(g, &group);
    group.site = group.operation = ANY_SITE;
    of.piece[MATCH_FROM] = piece_at(g, &group);
    group.from_site = group.from_operation = ANY_SITE;
    of.piece[MATCH_KIND] = piece_at(g, &group);
    group.site = row.site;
    group.operation = row.operation;
    of.piece[MATCH_TO] = piece_at(g, &group);
    const uint32_t piece = piece_at(g, &row);
    g->groups_of.at[piece] = of;
    return piece;
}

/* Whether the trace shows if this event's call waited. */
static bool is_judged(const struct event_graph *g, uint32_t event)
{
    const struct event *a = &g->t->events[event];
    if (a->excluded || a->kind == EVENT_CALL)
        return false;
    if (a->kind == EVENT_SEND || a->kind == EVENT_POST || a->kind == EVENT_SENT)
        return true; /* a send without a matched receive counts as not waiting */
    return g->t->cause[event].enabling_event != TIMELINE_NONE;
}

/* Width (ns) of the windows that a thinned trace recorded; 0 if all was recorded. */
static int64_t width_of(const struct causes_run *run)
{
    return run->time_mask ? 1ll << __builtin_ctzll(run->time_mask) : 0;
}

struct event_window event_window(const struct event_graph *g, int64_t epoch)
{
    const int64_t width = width_of(&g->run), from = epoch * width;
    struct event_window w = {g->run.first_ns, g->run.last_ns};
    w.from = width && from > w.from ? from : w.from;
    w.to = width && from + width < w.to ? from + width : w.to;
    return w;
}

/* Adds the call with the events FIRST to END - 1 in t->order to the thread that was added last. */
static void add_call(struct event_graph *g, uint32_t first, uint32_t end)
{
    struct lane *lane = &g->lanes.at[g->lanes.n - 1];
    const uint32_t *order = g->t->order;
    const struct event *a = &g->t->events[order[first]];
    const int64_t width = width_of(&g->run);
    struct graph_call c = {.entry = a->entry_ns,
                           .exit = a->exit_ns,
                           .until = a->entry_ns,
                           .epoch = width ? a->entry_ns / width : 0,
                           .lane = (uint32_t)g->lanes.n - 1,
                           .first = first,
                           .end = end,
                           .event = order[first],
                           .awaited = CAUSES_NONE};
    const struct graph_call *last = lane->begin < g->calls.n ? &g->calls.at[g->calls.n - 1] : NULL;
    bool judged = true;
    for (uint32_t i = first; i < end; i++) {
        g->link[order[i]].call = (uint32_t)g->calls.n;
        judged = judged && is_judged(g, order[i]);
        if (g->t->wait_ns[order[i]] > 0) {
            c.event = order[i];
            c.until = c.entry + g->t->wait_ns[order[i]];
        }
    }
    if (last)
        c.waited = last->until > last->entry ? (uint32_t)g->calls.n : last->waited;
    const bool first_here = !last || last->epoch != c.epoch;
    const int64_t from = event_window(g, c.epoch).from;
    c.compute.recorded = c.entry - (first_here ? from : last->exit);
    c.least.recorded = c.exit - c.entry;
    if (!first_here || (!last && from == g->run.first_ns))
        c.before =
            piece_of(g, CAUSE_COMPUTATION, lane->rank, last ? &g->t->events[last->event] : NULL, a);
    else
        c.before = lane->unknown;
    c.inside = piece_of(g, judged ? CAUSE_TRANSFER : CAUSE_UNKNOWN, lane->rank, NULL, a);
    *PUSH(&g->calls) = c;
}

static void end_lane(struct event_graph *g)
{
    struct lane *lane = &g->lanes.at[g->lanes.n - 1];
    const struct graph_call *last = &g->calls.at[g->calls.n - 1];
    lane->end = (uint32_t)g->calls.n;
    lane->tail = event_window(g, last->epoch).to == g->run.last_ns
                     ? piece_of(g, CAUSE_COMPUTATION, lane->rank, &g->t->events[last->event], NULL)
                     : lane->unknown;
}

static void add_calls(struct event_graph *g)
{
    const struct event *before = NULL;
    for (size_t i = 0, end; i < g->t->n; i = end) {
        const struct event *a = &g->t->events[g->t->order[i]];
        end = timeline_call_end(g->t, i);
        if (!before || before->rank != a->rank || before->thread != a->thread) {
            g->threads = g->threads || (before && before->rank == a->rank);
            if (before)
                end_lane(g);
            *PUSH(&g->lanes) =
                (struct lane){.rank = a->rank,
                              .unknown = piece_of(g, CAUSE_UNKNOWN, a->rank, NULL, NULL),
                              .begin = (uint32_t)g->calls.n};
        }
        add_call(g, (uint32_t)i, (uint32_t)end);
        before = a;
    }
    if (g->lanes.n)
        end_lane(g);
}

uint32_t event_posting(const struct event_graph *g, uint32_t event)
{
    const struct event *a = &g->t->events[event];
    const uint32_t call = g->link[event].call;
    uint32_t low = g->lanes.at[g->calls.at[call].lane].begin, high = call;
    if (a->posted_ns == a->entry_ns)
        return call;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (g->calls.at[middle].entry < a->posted_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return g->calls.at[low].entry == a->posted_ns &&
                   g->calls.at[low].epoch == g->calls.at[call].epoch
               ? low
               : CAUSES_NONE;
}

static int by_window_and_exit(const void *a, const void *b, void *calls)
{
    const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    const struct graph_call *x = (const struct graph_call *)calls + i,
                            *y = (const struct graph_call *)calls + k;
    return ORDER(x->epoch, y->epoch) ?: ORDER(x->exit, y->exit) ?: ORDER(i, k);
}

void event_calls_read(struct event_graph *g)
{
    add_calls(g);
    g->order = memory_alloc((g->calls.n + 1) * sizeof *g->order);
    for (uint32_t i = 0; i < g->calls.n; i++) {
        struct graph_call *c = &g->calls.at[i];
        const uint32_t event = g->t->cause[c->event].enabling_event;
        g->order[i] = i;
        if (c->until <= c->entry || event == TIMELINE_NONE)
            continue;
        c->awaited = event_posting(g, event);
        if (c->awaited != CAUSES_NONE && g->calls.at[c->awaited].epoch != c->epoch)
            c->awaited = CAUSES_NONE;
    }
    qsort_r(g->order, g->calls.n, sizeof *g->order, by_window_and_exit, g->calls.at);
}
