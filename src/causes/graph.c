#include "causes/graph_inner.h"

#include "base/hash.h"

#include <stdlib.h>

static void link_message(struct event_graph *g, uint32_t event)
{
    struct event_link *link = &g->link[event];
    const uint32_t call = link->call, other = g->t->cause[event].enabling_event;
    if (g->t->events[event].kind >= EVENT_COLLECTIVE || other == TIMELINE_NONE ||
        g->t->events[event].excluded)
        return;
    link->entered = event_posting(g, other);
    if (link->entered == CAUSES_NONE)
        return;
    if (event_call(g, link->entered)->epoch != event_call(g, call)->epoch)
        link->entered = CAUSES_NONE;
    else if (event_posting(g, event) != call)
        link->posted = event_posting(g, event);
}

/* Sets what the N events MEMBER of a collective, sorted by rank in the communicator, wait for. */
static void link_collective(void *context, const uint32_t *member, size_t n, size_t root)
{
    struct event_graph *g = context;
    const struct event *a = &g->t->events[*member];
    const uint32_t at = (uint32_t)g->members.n;
    struct member_range last = {0, 0};
    for (size_t i = 0; i < n; i++) {
        const uint32_t posting = event_posting(g, member[i]);
        if (posting == CAUSES_NONE ||
            event_call(g, posting)->epoch != event_call(g, g->link[*member].call)->epoch) {
            g->members.n = at;
            return;
        }
        *PUSH(&g->members) = posting;
    }
    for (size_t i = 0; i < n; i++) {
        const struct member_range x =
            collective_needs(a->collective, i, n, a->first_group_size, root);
        if (x.end > x.first + 1 && (x.first != last.first || x.end != last.end))
            *PUSH(&g->groups) = (struct event_group){at + (uint32_t)x.first,
                                                     (uint32_t)(x.end - x.first), EVENT_UNSET};
        last = x.end > x.first + 1 ? x : last;
        if (x.end > x.first)
            g->link[member[i]].entered = x.end == x.first + 1
                                             ? g->members.at[at + x.first]
                                             : EVENT_GROUP | (uint32_t)(g->groups.n - 1);
    }
}

/* The event of CALL that was enabled last, and when (*ENABLED, ns). CAUSES_NONE: it is unknown for
 * all events of CALL what they wait for. */
static uint32_t last_enabled(const struct event_graph *g, uint32_t call, int64_t *enabled)
{
    uint32_t last = CAUSES_NONE;
    *enabled = EVENT_UNSET;
    for (uint32_t i = event_call(g, call)->first; i < event_call(g, call)->end; i++) {
        const uint32_t event = g->t->order[i];
        if (g->link[event].entered != CAUSES_NONE && event_enabled(g, event) > *enabled) {
            *enabled = event_enabled(g, event);
            last = event;
        }
    }
    return last;
}

enum which_duration { LEAST, TRANSFER };
enum { LEVELS = 3 };

/* The key of a class of calls similar to A's. Level 0 has the most similar calls, the last level
 * all calls of the operation. */
static uint64_t class_hash(const struct event *a, enum which_duration which, unsigned level)
{
    const bool message = a->kind < EVENT_COLLECTIVE;
    uint64_t hash = hash_mix(HASH_START, (uint64_t)level << 1 | which);
    hash = hash_mix(hash, message && which == TRANSFER ? a->kind : a->operation + 256ull);
    if (level < 2)
        hash = hash_mix(hash_mix(hash, a->bytes), a->comm_size);
    if (level < 1)
        hash = hash_mix(hash_mix(hash, (uint64_t)a->rank << 32 | a->peer),
                        which == TRANSFER ? a->comm_id : a->site);
    return hash;
}

static struct event_class *class_at(const struct event_graph *g, uint64_t hash)
{
    const uint32_t at = lookup_find(&g->class_of, hash);
    return at == UINT32_MAX ? NULL : &g->classes.at[at];
}

/* Adds NS, the duration WHICH of A's call, to A's classes; BOUND: NS is only an upper bound. */
static void class_add(struct event_graph *g, const struct event *a, enum which_duration which,
                      int64_t ns, bool bound)
{
    for (unsigned level = 0; level < LEVELS; level++) {
        const uint64_t hash = class_hash(a, which, level);
        struct event_class *c = class_at(g, hash);
        if (!c) {
            lookup_add(&g->class_of, hash, g->classes.n);
            c = PUSH(&g->classes);
            c->bound = INT64_MAX;
        }
        if (bound) {
            c->bound = ns < c->bound ? ns : c->bound;
        } else {
            c->sum += (double)ns;
            c->n++;
        }
    }
}

/* The mean duration WHICH (ns) of the calls most similar to A's; if there are none, the least upper
 * bound from calls with as many bytes and members; negative: unknown. */
static int64_t class_mean(const struct event_graph *g, const struct event *a,
                          enum which_duration which)
{
    int64_t bound = -1;
    for (unsigned level = 0; level < LEVELS; level++) {
        const struct event_class *c = class_at(g, class_hash(a, which, level));
        if (c && c->n > 0)
            return (int64_t)(c->sum / c->n);
        if (c && (bound < 0 || (level + 1 < LEVELS && c->bound < bound)))
            bound = c->bound;
    }
    return bound;
}

/* Computes the classes from the calls that end by TIME (ns). */
static void find_classes(struct event_graph *g, int64_t time)
{
    int64_t enabled;
    event_enter_recorded(g);
    free(g->class_of.table);
    g->class_of = (struct index){0};
    g->classes.n = 0;
    for (uint32_t i = 0; i < g->calls.n; i++) {
        const struct graph_call *c = event_call(g, i);
        const uint32_t last = last_enabled(g, i, &enabled);
        if (last != CAUSES_NONE && c->exit >= enabled && c->exit <= time)
            class_add(g, &g->t->events[last], TRANSFER, c->exit - enabled, enabled <= c->entry);
    }
    for (uint32_t i = 0; i < g->calls.n; i++) {
        const struct graph_call *c = event_call(g, i);
        const uint32_t last = last_enabled(g, i, &enabled);
        if (c->exit <= time && (last == CAUSES_NONE ||
                                enabled + class_mean(g, &g->t->events[last], TRANSFER) <= c->entry))
            class_add(g, &g->t->events[c->event], LEAST, c->exit - c->entry, false);
    }
}

static int64_t at_most(int64_t value, int64_t most)
{
    return value < most ? value : most;
}

static void find_durations(struct event_graph *g, uint32_t call)
{
    struct graph_call *c = event_call(g, call);
    int64_t enabled;
    const uint32_t last = last_enabled(g, call, &enabled);
    if (last == CAUSES_NONE)
        return;
    for (uint32_t i = c->first; i < c->end; i++) {
        const uint32_t event = g->t->order[i];
        struct event_link *link = &g->link[event];
        if (link->entered == CAUSES_NONE)
            continue;
        int64_t most = c->exit - event_enabled(g, event);
        if (most < 0) /* CALL did not wait for this event, or clocks differ */
            link->entered = CAUSES_NONE;
        int64_t mean = class_mean(g, &g->t->events[event], TRANSFER);
        link->transfer.recorded = at_most(mean > 0 ? mean : 0, most > 0 ? most : 0);
    }
    if (enabled > c->exit)
        return;
    int64_t mean = class_mean(g, &g->t->events[c->event], LEAST);
    mean = mean > 0 ? mean : 0;
    if (enabled > c->entry || enabled + g->link[last].transfer.recorded > c->entry + mean) {
        g->link[last].transfer.recorded = c->exit - enabled;
        c->least.recorded = at_most(mean, c->least.recorded);
    }
}

/* --- reading --- */

struct event_graph *event_graph_open(const struct timeline *t, const struct causes_run *run)
{
    struct event_graph *g = memory_alloc(sizeof *g);
    *g = (struct event_graph){.t = t, .run = *run};
    g->link = memory_alloc((t->n + 1) * sizeof *g->link);
    event_calls_read(g);
    for (uint32_t i = 0; i < t->n; i++) {
        g->link[i].entered = g->link[i].posted = CAUSES_NONE;
        link_message(g, i);
    }
    collectives_visit(t->events, t->n, link_collective, g);
    find_classes(g, INT64_MAX);
    for (uint32_t i = 0; i < g->calls.n; i++)
        find_durations(g, i);
    return g;
}

void event_graph_close(struct event_graph *g)
{
    free(g->pieces.at);
    free(g->groups_of.at);
    free(g->piece_of.table);
    free(g->calls.at);
    free(g->lanes.at);
    free(g->order);
    free(g->link);
    free(g->groups.at);
    free(g->members.at);
    free(g->classes.at);
    free(g->class_of.table);
    free(g->replay.blocks.at);
    free(g);
}

/* For each piece, the mean duration (ns) of its executions that end by TIME; negative: none. */
static double *mean_computation(const struct event_graph *g, int64_t time)
{
    double *mean = memory_alloc((g->pieces.n + 1) * sizeof *mean);
    FREED uint32_t *n = memory_alloc((g->pieces.n + 1) * sizeof *n);
    for (uint32_t i = 0; i < g->calls.n; i++)
        if (event_call(g, i)->exit <= time) {
            mean[event_call(g, i)->before] += (double)event_call(g, i)->compute.recorded;
            n[event_call(g, i)->before]++;
        }
    for (size_t i = 0; i < g->pieces.n; i++)
        mean[i] = n[i] ? mean[i] / n[i] : -1;
    return mean;
}

void event_graph_extrapolate(struct event_graph *g, int64_t from_ns)
{
    FREED double *mean = mean_computation(g, from_ns);
    find_classes(g, from_ns);
    for (uint32_t i = 0; i < g->calls.n; i++) {
        struct graph_call *c = event_call(g, i);
        if (c->entry < from_ns)
            continue;
        if (mean[c->before] >= 0)
            c->compute.changed = (int64_t)mean[c->before];
        int64_t least = class_mean(g, &g->t->events[c->event], LEAST);
        c->least.changed = least >= 0 ? least : c->least.changed;
        for (uint32_t k = c->first; k < c->end; k++) {
            const uint32_t event = g->t->order[k];
            int64_t transfer = class_mean(g, &g->t->events[event], TRANSFER);
            if (transfer >= 0)
                g->link[event].transfer.changed = transfer;
        }
    }
}
