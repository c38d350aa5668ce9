#include "causes/graph.h"

#include <stdlib.h>

static const struct event *event_of(const struct event_graph *g, uint32_t link)
{
    return &g->in->events[g->in->t->order[link]];
}

/* The call of LANE that was entered at TIME; CAUSES_NONE if there is none. */
static uint32_t call_entered(const struct event_graph *g, uint32_t lane, int64_t time)
{
    uint32_t low = g->in->lanes.at[lane].next, high = g->in->lanes.at[lane].end;
    const uint32_t end = high;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (event_call(g, middle)->entry < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && event_call(g, low)->entry == time ? low : CAUSES_NONE;
}

struct reading {
    struct event_graph *g;
    uint32_t *call_of;   /* for each event */
    uint32_t *link_of;   /* for each event */
    uint64_t sent_bytes; /* sends of at least this size waited for their receive */
};

/* The call in this window that posted what this event completes; CAUSES_NONE if there is none. */
static uint32_t posting_of(const struct reading *r, uint32_t event)
{
    const uint32_t call = r->call_of[event];
    const struct event *a = &r->g->in->events[event];
    if (a->posted_ns == a->entry_ns)
        return call;
    uint32_t posting = call_entered(r->g, event_call(r->g, call)->lane, a->posted_ns);
    return posting != CAUSES_NONE &&
                   event_call(r->g, posting)->epoch == event_call(r->g, call)->epoch
               ? posting
               : CAUSES_NONE;
}

static bool is_send(const struct event *a)
{
    return a->kind == EVENT_SEND || a->kind == EVENT_SENT;
}

/* Small messages are sent eagerly, even if no send of their size has shown it. */
static uint64_t least_waiting_send(const struct recorded *in, size_t n)
{
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < n; i++)
        if (is_send(&in->events[i]) && !in->events[i].synchronous && in->t->wait_ns[i] > 0 &&
            in->events[i].bytes < least)
            least = in->events[i].bytes;
    return least;
}

static bool waits_for_receive(const struct reading *r, uint32_t event)
{
    const struct event *a = &r->g->in->events[event];
    return is_send(a) && r->g->in->t->cause[event].event != TIMELINE_NONE &&
           (a->synchronous || a->bytes >= r->sent_bytes);
}

static void link_message(const struct reading *r, uint32_t event)
{
    const struct event *a = &r->g->in->events[event];
    const uint32_t call = r->call_of[event], partner = r->g->in->t->partner[event];
    struct event_link *link = &r->g->link[r->link_of[event]];
    if (partner == TIMELINE_NONE || a->excluded)
        return;
    if (a->kind == EVENT_RECEIVED || a->kind == EVENT_PROBED)
        link->entered = r->call_of[partner];
    else if (waits_for_receive(r, event))
        link->entered = posting_of(r, partner);
    if (link->entered == CAUSES_NONE)
        return;
    if (event_call(r->g, link->entered)->epoch != event_call(r->g, call)->epoch)
        link->entered = CAUSES_NONE;
    else if (posting_of(r, event) != call)
        link->posted = posting_of(r, event);
}

static uint32_t add_group(struct event_graph *g, size_t first, size_t n)
{
    *PUSH(&g->groups) = (struct event_group){(uint32_t)first, (uint32_t)n, EVENT_UNSET};
    return EVENT_GROUP | (uint32_t)(g->groups.n - 1);
}

/* Links the N events MEMBER of a collective, sorted by rank in the communicator. */
static void link_members(struct event_graph *g, const struct reading *r, const uint32_t *member,
                         size_t n, size_t root)
{
    const struct event *a = &g->in->events[*member];
    const size_t at = g->members.n - n, first = a->first;
    uint32_t all = CAUSES_NONE, second = CAUSES_NONE;
    if (a->collective == COLLECTIVE_ALL || (a->collective == COLLECTIVE_TO_ROOT && root < n)) {
        all = add_group(g, at, first ? first : n);
        second = first ? add_group(g, at + first, n - first) : all;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t *entered = &g->link[r->link_of[member[i]]].entered;
        if (a->collective == COLLECTIVE_ALL || (a->collective == COLLECTIVE_TO_ROOT && i == root))
            *entered = i < first ? second : all;
        else if (a->collective == COLLECTIVE_FROM_ROOT && root < n &&
                 (!first || (i < first) != (root < first)))
            *entered = g->members.at[at + root];
        else if (a->collective == COLLECTIVE_PREFIX && i)
            *entered = add_group(g, at, i);
    }
}

static void link_collective(void *context, const uint32_t *member, size_t n)
{
    const struct reading *r = context;
    struct event_graph *g = r->g;
    const size_t before = g->members.n;
    size_t root = SIZE_MAX;
    uint32_t peer = TIMELINE_NONE;
    for (size_t i = 0; i < n; i++) {
        const uint32_t posting = posting_of(r, member[i]);
        if (posting == CAUSES_NONE ||
            event_call(g, posting)->epoch != event_call(g, r->call_of[*member])->epoch) {
            g->members.n = before;
            return;
        }
        *PUSH(&g->members) = posting;
        peer =
            g->in->events[member[i]].peer == TIMELINE_NONE ? peer : g->in->events[member[i]].peer;
    }
    for (size_t i = 0; i < n; i++)
        root = g->in->events[member[i]].rank == peer ? i : root;
    link_members(g, r, member, n, root);
}

static int64_t recorded_entry(const struct event_graph *g, uint32_t entered)
{
    if (!(entered & EVENT_GROUP))
        return event_call(g, entered)->entry;
    struct event_group *group = &g->groups.at[entered & ~EVENT_GROUP];
    if (group->entered != EVENT_UNSET)
        return group->entered;
    for (uint32_t i = 0; i < group->n; i++) {
        int64_t entry = event_call(g, g->members.at[group->first + i])->entry;
        group->entered = entry > group->entered ? entry : group->entered;
    }
    return group->entered;
}

static int64_t recorded_enabled(const struct event_graph *g, uint32_t link)
{
    const struct event_link *l = &g->link[link];
    int64_t enabled = recorded_entry(g, l->entered);
    if (l->posted != CAUSES_NONE && event_call(g, l->posted)->entry > enabled)
        enabled = event_call(g, l->posted)->entry;
    return enabled;
}

/* The link of this call whose event occurred last; CAUSES_NONE if it has no link. */
static uint32_t last_link(const struct event_graph *g, uint32_t call, int64_t *enabled)
{
    uint32_t last = CAUSES_NONE;
    *enabled = EVENT_UNSET;
    for (uint32_t i = g->first_link[call]; i < g->first_link[call + 1]; i++) {
        if (g->link[i].entered == CAUSES_NONE)
            continue;
        int64_t at = recorded_enabled(g, i);
        if (at > *enabled) {
            *enabled = at;
            last = i;
        }
    }
    return last;
}

enum duration { LEAST, TRANSFER };
enum { LEVELS = 3 };

/* Level 0 has the most similar calls, the last level all calls of the operation. */
static uint64_t class_hash(const struct event *a, enum duration which, unsigned level)
{
    const bool message = a->kind < EVENT_COLLECTIVE;
    uint64_t hash = hash_mix(HASH_START, (uint64_t)level << 1 | which);
    hash = hash_mix(hash, message && which == TRANSFER ? a->kind : a->operation + 256ull);
    if (level < 2)
        hash = hash_mix(hash_mix(hash, a->bytes), a->members);
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

/* A call of this event took NS; with BOUND it took at most NS. */
static void class_add(struct event_graph *g, const struct event *a, enum duration which, int64_t ns,
                      bool bound)
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

/* The mean of the most similar calls, otherwise the least upper bound of those with as many bytes
 * and members; negative if unknown. */
static int64_t class_mean(const struct event_graph *g, const struct event *a, enum duration which)
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

/* Computes the classes from all calls that end by TIME. */
static void find_classes(struct event_graph *g, int64_t time)
{
    int64_t enabled;
    event_forget_entries(g);
    free(g->class_of.table);
    g->class_of = (struct index){0};
    g->classes.n = 0;
    for (uint32_t i = 0; i < g->in->calls.n; i++) {
        const struct call *c = event_call(g, i);
        const uint32_t last = last_link(g, i, &enabled);
        if (last != CAUSES_NONE && c->exit >= enabled && c->exit <= time)
            class_add(g, event_of(g, last), TRANSFER, c->exit - enabled, enabled <= c->entry);
    }
    for (uint32_t i = 0; i < g->in->calls.n; i++) {
        const struct call *c = event_call(g, i);
        const uint32_t last = last_link(g, i, &enabled);
        if (c->exit <= time && (last == CAUSES_NONE ||
                                enabled + class_mean(g, event_of(g, last), TRANSFER) <= c->entry))
            class_add(g, &g->in->events[c->event], LEAST, c->exit - c->entry, false);
    }
}

static int64_t at_most(int64_t value, int64_t most)
{
    return value < most ? value : most;
}

static void find_durations(struct event_graph *g, uint32_t call)
{
    const struct call *c = event_call(g, call);
    int64_t enabled, *least = &g->recorded.least[call];
    const uint32_t last = last_link(g, call, &enabled);
    *least = c->exit - c->entry;
    if (last == CAUSES_NONE)
        return;
    for (uint32_t i = g->first_link[call]; i < g->first_link[call + 1]; i++)
        if (g->link[i].entered != CAUSES_NONE) {
            int64_t most = c->exit - recorded_enabled(g, i);
            if (most < 0) /* it did not wait for this event, or clocks differ */
                g->link[i].entered = CAUSES_NONE;
            int64_t mean = class_mean(g, event_of(g, i), TRANSFER);
            g->recorded.transfer[i] = at_most(mean > 0 ? mean : 0, most > 0 ? most : 0);
        }
    if (enabled > c->exit)
        return;
    int64_t mean = class_mean(g, &g->in->events[c->event], LEAST);
    mean = mean > 0 ? mean : 0;
    if (enabled > c->entry || enabled + g->recorded.transfer[last] > c->entry + mean) {
        g->recorded.transfer[last] = c->exit - enabled;
        *least = at_most(mean, *least);
    }
}

/* --- reading --- */

static void read_calls(struct event_graph *g, struct reading *r, size_t n)
{
    for (uint32_t i = 0, call = 0, end; i < n; i = end, call++) {
        const struct call *c = event_call(g, call);
        end = (uint32_t)timeline_call_end(g->in->t, g->in->events, n, i);
        g->first_link[call] = i;
        for (uint32_t k = i; k < end; k++) {
            r->call_of[g->in->t->order[k]] = call;
            r->link_of[g->in->t->order[k]] = k;
            g->link[k] = (struct event_link){CAUSES_NONE, CAUSES_NONE};
        }
        int64_t from, to;
        recorded_window(g->in->run, c->epoch, &from, &to);
        g->recorded.compute[call] = c->entry - (event_is_first(g, call) ? from : c[-1].exit);
        g->calls_ns += (uint64_t)(c->exit - c->entry);
        if (g->in->pieces.at[c->inside].kind == CAUSE_UNKNOWN)
            g->unknown_ns += (uint64_t)(c->exit - c->entry);
    }
    g->first_link[g->in->calls.n] = (uint32_t)n;
}

void event_graph_read(struct event_graph *g, const struct recorded *in, size_t n)
{
    const size_t calls = in->calls.n + 1, lanes = in->lanes.n + 1;
    *g = (struct event_graph){.in = in, .n_links = n};
    g->recorded = (struct durations){memory_alloc(calls * sizeof(int64_t)),
                                     memory_alloc(calls * sizeof(int64_t)),
                                     memory_alloc((n + 1) * sizeof(int64_t))};
    g->link = memory_alloc((n + 1) * sizeof *g->link);
    g->first_link = memory_alloc(calls * sizeof *g->first_link);
    g->entry = memory_alloc(calls * sizeof *g->entry);
    g->lane = memory_alloc(lanes * sizeof *g->lane);
    struct reading r = {.g = g,
                        .call_of = memory_alloc((n + 1) * sizeof(uint32_t)),
                        .link_of = memory_alloc((n + 1) * sizeof(uint32_t)),
                        .sent_bytes = least_waiting_send(in, n)};
    read_calls(g, &r, n);
    for (uint32_t i = 0; i < n; i++)
        if (in->events[i].kind < EVENT_COLLECTIVE)
            link_message(&r, i);
    collectives_visit(in->events, n, link_collective, &r);
    free(r.call_of);
    free(r.link_of);
    find_classes(g, INT64_MAX);
    for (uint32_t i = 0; i < in->calls.n; i++)
        find_durations(g, i);
}

void event_graph_free(struct event_graph *g)
{
    durations_free(&g->recorded);
    free(g->link);
    free(g->first_link);
    free(g->groups.at);
    free(g->members.at);
    free(g->classes.at);
    free(g->class_of.table);
    free(g->entry);
    free(g->lane);
}

/* For each piece the mean duration of those that end by TIME; negative if there is none. */
static double *mean_computation(const struct event_graph *g, int64_t time)
{
    double *mean = memory_alloc((g->in->pieces.n + 1) * sizeof *mean);
    uint32_t *n = memory_alloc((g->in->pieces.n + 1) * sizeof *n);
    for (uint32_t i = 0; i < g->in->calls.n; i++)
        if (event_call(g, i)->exit <= time) {
            mean[event_call(g, i)->before] += (double)g->recorded.compute[i];
            n[event_call(g, i)->before]++;
        }
    for (size_t i = 0; i < g->in->pieces.n; i++)
        mean[i] = n[i] ? mean[i] / n[i] : -1;
    free(n);
    return mean;
}

void event_graph_extrapolate(struct event_graph *g, struct durations *d, int64_t from_ns)
{
    double *mean = mean_computation(g, from_ns);
    find_classes(g, from_ns);
    for (uint32_t i = 0; i < g->in->calls.n; i++) {
        const struct call *c = event_call(g, i);
        if (c->entry < from_ns)
            continue;
        if (mean[c->before] >= 0)
            d->compute[i] = (int64_t)mean[c->before];
        int64_t least = class_mean(g, &g->in->events[c->event], LEAST);
        d->least[i] = least >= 0 ? least : d->least[i];
        for (uint32_t k = g->first_link[i]; k < g->first_link[i + 1]; k++) {
            int64_t transfer = class_mean(g, event_of(g, k), TRANSFER);
            d->transfer[k] = transfer >= 0 ? transfer : d->transfer[k];
        }
    }
    free(mean);
}
