#include "causes/graph_inner.h"

void event_graph_reset(struct event_graph *g)
{
    for (EACH(struct graph_call, c, g->calls)) {
        c->compute.changed = c->compute.recorded;
        c->least.changed = c->least.recorded;
    }
    for (size_t i = 0; i < g->t->n; i++)
        g->link[i].transfer.changed = g->link[i].transfer.recorded;
}

void event_graph_ideal(struct event_graph *g)
{
    for (EACH(struct graph_call, c, g->calls))
        if (g->pieces.at[c->inside].kind != CAUSE_UNKNOWN)
            c->least.changed = 0;
    for (size_t i = 0; i < g->t->n; i++) {
        g->link[i].transfer.changed = 0;
        g->link[i].replayed = false; /* without transfer times, all trees take the same time */
    }
}

static void forget_groups(struct event_graph *g)
{
    for (size_t i = 0; i < g->groups.n; i++)
        g->groups.at[i].entered = EVENT_UNSET;
}

void event_enter_recorded(struct event_graph *g)
{
    forget_groups(g);
    for (EACH(struct graph_call, c, g->calls))
        c->replayed = c->entry;
}

/* --- replay --- */

static int64_t replayed_entry(const struct event_graph *g, uint32_t call)
{
    const struct graph_call *c = event_call(g, call);
    const int64_t shift = g->lanes.at[c->lane].shift;
    /* If times are equal or clocks differ, CALL may not be replayed yet: then assume that its entry
     * is shifted as much as the last replayed exit of its thread. */
    return c->replayed != EVENT_UNSET ? c->replayed : c->entry + (shift == EVENT_UNSET ? 0 : shift);
}

static int64_t entry_of(const struct event_graph *g, uint32_t entered)
{
    if (!(entered & EVENT_GROUP))
        return replayed_entry(g, entered);
    struct event_group *group = &g->groups.at[entered & ~EVENT_GROUP];
    if (group->entered != EVENT_UNSET)
        return group->entered;
    for (uint32_t i = 0; i < group->n; i++) {
        int64_t entry = replayed_entry(g, g->members.at[group->first + i]);
        group->entered = entry > group->entered ? entry : group->entered;
    }
    return group->entered;
}

int64_t event_enabled(const struct event_graph *g, uint32_t event)
{
    const struct event_link *l = &g->link[event];
    const int64_t entered = entry_of(g, l->entered);
    if (l->posted == CAUSES_NONE || replayed_entry(g, l->posted) < entered)
        return entered;
    return replayed_entry(g, l->posted);
}

/* The time at which a broadcast along another tree ends on EVENT's rank: its data arrive after each
 * of its ancestors in the tree has entered. */
static int64_t tree_end(const struct event_graph *g, uint32_t event)
{
    const struct event_link *link = &g->link[event], *x = link;
    int64_t ready = replayed_entry(g, link->call), below = 0;
    for (; x->parent != CAUSES_NONE; x = &g->link[x->parent]) {
        below += x->arrives_ns;
        const int64_t arrival = replayed_entry(g, g->link[x->parent].call) + below;
        ready = arrival > ready ? arrival : ready;
    }
    return ready + link->sends_ns;
}

static void replay_call(struct event_graph *g, uint32_t call)
{
    struct graph_call *c = event_call(g, call);
    struct lane *lane = &g->lanes.at[c->lane];
    int64_t exit = replayed_entry(g, call) + c->least.changed;
    for (uint32_t i = c->first; i < c->end; i++) {
        const uint32_t event = g->t->order[i];
        const struct event_link *link = &g->link[event];
        if (link->entered == CAUSES_NONE && !link->replayed)
            continue;
        const int64_t end =
            link->replayed ? tree_end(g, event) : event_enabled(g, event) + link->transfer.changed;
        exit = end > exit ? end : exit;
    }
    lane->exit = c->exit;
    lane->shift = exit - c->exit;
    if (call + 1 < g->calls.n && !event_is_first(g, call + 1))
        c[1].replayed = exit + c[1].compute.changed;
}

/* Progress of a replay. FROM, REPLAYED_FROM: the block's start in recorded and replayed time. */
struct progress {
    int64_t epoch;
    struct event_window window;
    int64_t from, replayed_from;
};

/* The rank that ends the run; CAUSES_NONE if it is unknown or has no calls in this window. */
static uint32_t last_rank(const struct event_graph *g)
{
    for (EACH(const struct lane, l, g->lanes))
        if (l->rank == g->run.last_rank && l->shift != EVENT_UNSET)
            return g->run.last_rank;
    return CAUSES_NONE;
}

/* The replayed time at which all threads have reached the recorded TIME. If TIME is the END of a
 * window, only threads of the rank that ends the run must reach TIME, others their last exit. */
static int64_t replayed_time(const struct event_graph *g, int64_t time, bool end)
{
    const uint32_t last = last_rank(g);
    int64_t latest = EVENT_UNSET;
    for (EACH(const struct lane, l, g->lanes)) {
        const bool exits = end && last != CAUSES_NONE && l->rank != last;
        if (l->shift != EVENT_UNSET && (exits ? l->exit : time) + l->shift > latest)
            latest = (exits ? l->exit : time) + l->shift;
    }
    return latest == EVENT_UNSET ? time : latest;
}

static void end_block(struct event_graph *g, struct progress *p, int64_t time, bool end)
{
    const int64_t replayed = replayed_time(g, time, end);
    const struct event_block b = {time - p->from, replayed - p->replayed_from};
    *PUSH(&g->replay.blocks) = b;
    g->replay.recorded_ns += b.recorded_ns;
    g->replay.replayed_ns += b.replayed_ns;
    p->from = time;
    p->replayed_from = replayed;
}

/* A thinned trace's window is measured from first entry to last exit, as the rest is unknown. */
static void end_window(struct event_graph *g, struct progress *p)
{
    int64_t exit = EVENT_UNSET;
    for (EACH(const struct lane, l, g->lanes))
        exit = l->exit > exit ? l->exit : exit;
    end_block(g, p, g->run.time_mask ? exit : p->window.to, true);
}

/* Begins the time window of the trace that contains the I-th call in the order of the replay. */
static void begin_window(struct event_graph *g, struct progress *p, size_t i)
{
    int64_t entry = INT64_MAX;
    p->epoch = event_call(g, g->order[i])->epoch;
    for (; i < g->calls.n && event_call(g, g->order[i])->epoch == p->epoch; i++)
        if (event_call(g, g->order[i])->entry < entry)
            entry = event_call(g, g->order[i])->entry;
    p->window = event_window(g, p->epoch);
    p->from = p->replayed_from = g->run.time_mask ? entry : p->window.from;
    for (EACH(struct lane, l, g->lanes))
        l->exit = l->shift = EVENT_UNSET;
}

/* End of the present block (recorded time), at most the end of the window. */
static int64_t block_end(const struct event_graph *g, const struct progress *p)
{
    const struct event_window w = p->window;
    if (g->run.time_mask)
        return w.to;
    return w.from + (w.to - w.from) * (int64_t)(g->replay.blocks.n + 1) / EVENT_BLOCKS;
}

static void start_lanes(struct event_graph *g)
{
    forget_groups(g);
    for (uint32_t i = 0; i < g->calls.n; i++) {
        struct graph_call *c = event_call(g, i);
        c->replayed = event_is_first(g, i) ? event_window(g, c->epoch).from + c->compute.changed
                                           : EVENT_UNSET;
    }
}

const struct event_replay *event_graph_replay(struct event_graph *g)
{
    struct progress p = {0};
    g->replay.recorded_ns = g->replay.replayed_ns = 0;
    g->replay.blocks.n = 0;
    start_lanes(g);
    for (size_t i = 0; i < g->calls.n; i++) {
        const struct graph_call *c = event_call(g, g->order[i]);
        if (i && c->epoch != p.epoch)
            end_window(g, &p);
        if (!i || c->epoch != p.epoch)
            begin_window(g, &p, i);
        while (c->exit > block_end(g, &p) && block_end(g, &p) < p.window.to)
            end_block(g, &p, block_end(g, &p), false);
        replay_call(g, g->order[i]);
    }
    if (g->calls.n)
        end_window(g, &p);
    return &g->replay;
}
