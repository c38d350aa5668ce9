#include "causes/graph.h"

#include <stdlib.h>
#include <string.h>

static int64_t *copy_of(const int64_t *from, size_t n)
{
    int64_t *to = memory_alloc((n + 1) * sizeof *to);
    memcpy(to, from, n * sizeof *to);
    return to;
}

struct durations durations_copy(const struct event_graph *g)
{
    return (struct durations){copy_of(g->recorded.compute, g->in->calls.n),
                              copy_of(g->recorded.least, g->in->calls.n),
                              copy_of(g->recorded.transfer, g->n_links)};
}

void durations_free(struct durations *d)
{
    free(d->compute);
    free(d->least);
    free(d->transfer);
}

void event_graph_ideal(const struct event_graph *g, struct durations *d)
{
    for (uint32_t i = 0; i < g->in->calls.n; i++) {
        const struct call *c = event_call(g, i);
        if (g->in->pieces.at[c->inside].kind != CAUSE_UNKNOWN)
            d->least[i] = 0;
    }
    memset(d->transfer, 0, g->n_links * sizeof *d->transfer);
}

/* --- replay --- */

static int64_t replayed_entry(const struct event_graph *g, uint32_t call)
{
    const int64_t entry = g->entry[call], shift = g->lane[event_call(g, call)->lane].shift;
    if (entry != EVENT_UNSET)
        return entry;
    /* With entries and exits at the same time, or differing clocks, the replay has not reached it
     * yet. */
    return event_call(g, call)->entry + (shift == EVENT_UNSET ? 0 : shift);
}

static int64_t replayed_enabled(const struct event_graph *g, uint32_t entered)
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

static void replay_call(struct event_graph *g, const struct durations *d, uint32_t call)
{
    const struct call *c = event_call(g, call);
    int64_t exit = replayed_entry(g, call) + d->least[call];
    for (uint32_t i = g->first_link[call]; i < g->first_link[call + 1]; i++) {
        const struct event_link *l = &g->link[i];
        if (l->entered == CAUSES_NONE)
            continue;
        int64_t end = replayed_enabled(g, l->entered);
        if (l->posted != CAUSES_NONE && replayed_entry(g, l->posted) > end)
            end = replayed_entry(g, l->posted);
        exit = end + d->transfer[i] > exit ? end + d->transfer[i] : exit;
    }
    g->lane[c->lane] = (struct event_lane){c->exit, exit - c->exit};
    if (call + 1 < g->in->calls.n && !event_is_first(g, call + 1))
        g->entry[call + 1] = exit + d->compute[call + 1];
}

/* A replay in progress: FROM (recorded) and REPLAYED_FROM are the same moment. */
struct progress {
    struct event_replay *r;
    int64_t epoch, first, last; /* the window */
    int64_t from, replayed_from;
};

/* The rank that ends last, if it has calls in this window. */
static uint32_t last_rank(const struct event_graph *g)
{
    for (size_t i = 0; i < g->in->lanes.n; i++)
        if (g->in->lanes.at[i].rank == g->in->run->last_rank && g->lane[i].shift != EVENT_UNSET)
            return g->in->run->last_rank;
    return CAUSES_NONE;
}

/* The replayed time that corresponds to the recorded TIME: all lanes have reached it or, at an END,
 * their last exits; the rank that ends last continues to TIME. */
static int64_t replayed_time(const struct event_graph *g, int64_t time, bool end)
{
    const uint32_t last = last_rank(g);
    int64_t latest = EVENT_UNSET;
    for (size_t i = 0; i < g->in->lanes.n; i++) {
        const struct event_lane *l = &g->lane[i];
        const bool exits = end && last != CAUSES_NONE && g->in->lanes.at[i].rank != last;
        if (l->shift != EVENT_UNSET && (exits ? l->exit : time) + l->shift > latest)
            latest = (exits ? l->exit : time) + l->shift;
    }
    return latest == EVENT_UNSET ? time : latest;
}

static void end_block(const struct event_graph *g, struct progress *p, int64_t time, bool end)
{
    const int64_t replayed = replayed_time(g, time, end);
    const struct event_block b = {time - p->from, replayed - p->replayed_from};
    *PUSH(&p->r->blocks) = b;
    p->r->recorded_ns += b.recorded_ns;
    p->r->replayed_ns += b.replayed_ns;
    p->from = time;
    p->replayed_from = replayed;
}

/* In a thinned trace the time before a window's first entry and after its last exit is not
 * recorded, and is ignored. */
static void end_window(const struct event_graph *g, struct progress *p)
{
    int64_t exit = EVENT_UNSET;
    for (size_t i = 0; i < g->in->lanes.n; i++)
        exit = g->lane[i].exit > exit ? g->lane[i].exit : exit;
    end_block(g, p, g->in->run->time_mask ? exit : p->last, true);
}

/* Begins the time window of the trace that contains the I-th call in the order of the replay. */
static void begin_window(struct event_graph *g, struct progress *p, size_t i)
{
    int64_t entry = INT64_MAX;
    p->epoch = event_call(g, g->in->order[i])->epoch;
    for (; i < g->in->calls.n && event_call(g, g->in->order[i])->epoch == p->epoch; i++)
        if (event_call(g, g->in->order[i])->entry < entry)
            entry = event_call(g, g->in->order[i])->entry;
    recorded_window(g->in->run, p->epoch, &p->first, &p->last);
    p->from = p->replayed_from = g->in->run->time_mask ? entry : p->first;
    for (i = 0; i < g->in->lanes.n; i++)
        g->lane[i] = (struct event_lane){EVENT_UNSET, EVENT_UNSET};
}

/* End of the present block, at most the end of the window. */
static int64_t block_end(const struct event_graph *g, const struct progress *p)
{
    if (g->in->run->time_mask)
        return p->last;
    return p->first + (p->last - p->first) * (int64_t)(p->r->blocks.n + 1) / EVENT_BLOCKS;
}

static void start_lanes(struct event_graph *g, const struct durations *d)
{
    int64_t from, to;
    event_forget_entries(g);
    for (uint32_t i = 0; i < g->in->calls.n; i++) {
        g->entry[i] = EVENT_UNSET;
        if (!event_is_first(g, i))
            continue;
        recorded_window(g->in->run, event_call(g, i)->epoch, &from, &to);
        g->entry[i] = from + d->compute[i];
    }
}

struct event_replay event_graph_replay(struct event_graph *g, const struct durations *d)
{
    struct event_replay r = {0};
    struct progress p = {.r = &r};
    start_lanes(g, d);
    for (size_t i = 0; i < g->in->calls.n; i++) {
        const struct call *c = event_call(g, g->in->order[i]);
        if (i && c->epoch != p.epoch)
            end_window(g, &p);
        if (!i || c->epoch != p.epoch)
            begin_window(g, &p, i);
        while (c->exit > block_end(g, &p) && block_end(g, &p) < p.last)
            end_block(g, &p, block_end(g, &p), false);
        replay_call(g, d, g->in->order[i]);
    }
    if (g->in->calls.n)
        end_window(g, &p);
    return r;
}
