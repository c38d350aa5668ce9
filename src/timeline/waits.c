/* Wait states: what each call waited for, how long, and for which rank. */
#include "timeline/timeline.h"

#include <stdlib.h>

#include "base/array.h"

#define NAME(id, name, key) name,
const char *const wait_names[WAIT_STATES] = {WAIT_STATE_LIST(NAME)};

/* --- messages --- */

/* The start of the send that event I completes: the partner of the send's receive. */
static const struct event *start_of(const struct timeline *t, size_t i)
{
    return &t->events[t->partner[t->partner[i]]];
}

/* Whether event I completes a send that may wait for its receive. */
static bool is_send(const struct timeline *t, size_t i)
{
    return (t->events[i].kind == EVENT_SEND || t->events[i].kind == EVENT_SENT) &&
           t->partner[i] != TIMELINE_NONE && !start_of(t, i)->buffered;
}

/* Estimates the size in bytes from which sends wait for their receive (rendezvous): the smallest
 * message sent before its receive was posted, but larger than all messages whose sends returned
 * before the receive was posted. */
static uint64_t least_waiting_send(const struct timeline *t, int64_t error_ns)
{
    const struct event *events = t->events;
    uint64_t eager = 0, least = UINT64_MAX;
    for (size_t i = 0; i < t->n; i++)
        if (is_send(t, i) && !start_of(t, i)->synchronous && events[i].bytes > eager &&
            events[i].exit_ns < events[t->partner[i]].posted_ns - error_ns)
            eager = events[i].bytes;
    for (size_t i = 0; i < t->n; i++)
        if (is_send(t, i) && !start_of(t, i)->synchronous && events[i].bytes > eager &&
            events[i].bytes < least &&
            events[t->partner[i]].posted_ns > events[i].entry_ns + error_ns)
            least = events[i].bytes;
    return least;
}

static uint64_t thread_of(const struct event *a)
{
    return (uint64_t)a->rank << 8 | a->thread;
}

/* Marks blocking receives that wait although, for most of that time, a message had arrived that a
 * later blocking receive of the same thread gets. */
static void find_wrong_order(struct timeline *t)
{
    int64_t earliest = INT64_MAX; /* earliest start of a send whose message is received later */
    uint64_t thread = UINT64_MAX;
    for (size_t i = t->n; i-- > 0;) {
        const uint32_t event = t->order[i];
        const struct event *a = &t->events[event];
        struct cause *c = &t->cause[event];
        if (thread_of(a) != thread)
            earliest = INT64_MAX;
        thread = thread_of(a);
        if (a->kind != EVENT_RECEIVED || c->enabled_ns == INT64_MIN || a->posted_ns != a->entry_ns)
            continue;
        if (c->enabled_ns > a->entry_ns &&
            earliest < a->entry_ns + (c->enabled_ns - a->entry_ns) / 2)
            c->state = WAIT_WRONG_ORDER;
        earliest = c->enabled_ns < earliest ? c->enabled_ns : earliest;
    }
}

static void cause_of_messages(struct timeline *t, int64_t error_ns)
{
    const struct event *events = t->events;
    const uint64_t least = least_waiting_send(t, error_ns);
    for (size_t i = 0; i < t->n; i++) {
        t->cause[i] = (struct cause){INT64_MIN, TIMELINE_NONE, TIMELINE_NONE, WAIT_NONE};
        if (t->partner[i] == TIMELINE_NONE)
            continue;
        const struct event *other = &events[t->partner[i]];
        if (events[i].kind == EVENT_RECEIVED || events[i].kind == EVENT_PROBED)
            t->cause[i] =
                (struct cause){other->entry_ns, other->rank, t->partner[i], WAIT_LATE_SENDER};
        else if (is_send(t, i) && (start_of(t, i)->synchronous || events[i].bytes >= least))
            t->cause[i] =
                (struct cause){other->posted_ns, other->rank, t->partner[i], WAIT_LATE_RECEIVER};
    }
    find_wrong_order(t);
}

/* --- calls --- */

static int by_call(const void *a, const void *b, void *context)
{
    const struct event *events = context;
    const struct event *x = &events[*(const uint32_t *)a], *y = &events[*(const uint32_t *)b];
    return ORDER(x->rank, y->rank) ?: ORDER(x->thread, y->thread) ?: ORDER(x->entry_ns, y->entry_ns)
        ?: ORDER(x->exit_ns, y->exit_ns);
}

/* Whether A was enabled after B; at equal times, a late sender counts as later. */
static bool is_later(const struct cause *a, const struct cause *b)
{
    return a->enabled_ns != b->enabled_ns ? a->enabled_ns > b->enabled_ns : a->state < b->state;
}

/* Sets the wait of the call with the events OF: its wait for the event that was enabled last, which
 * ended the call. A call that returned earlier, as a collective without data may, did not wait. */
static void wait_of_call(struct timeline *t, const uint32_t *of, size_t n, int64_t error_ns)
{
    uint32_t last = *of;
    for (size_t i = 1; i < n; i++)
        if (is_later(&t->cause[of[i]], &t->cause[last]))
            last = of[i];
    const struct event *a = &t->events[last];
    const struct cause *c = &t->cause[last];
    if (a->excluded)
        return;
    t->call_ns += (uint64_t)(a->exit_ns > a->entry_ns ? a->exit_ns - a->entry_ns : 0);
    if (c->enabled_ns == INT64_MIN || c->enabled_ns > a->exit_ns + error_ns)
        return;
    int64_t until = c->enabled_ns < a->exit_ns ? c->enabled_ns : a->exit_ns;
    int64_t wait = until - a->entry_ns;
    if (wait > error_ns && wait > 0) {
        t->wait_ns[last] = wait;
        t->wait_sum_ns += (uint64_t)wait;
    }
}

size_t timeline_call_end(const struct timeline *t, size_t i)
{
    size_t end = i + 1;
    while (end < t->n && !by_call(&t->order[i], &t->order[end], (void *)t->events))
        end++;
    return end;
}

void timeline_find(struct timeline *t, const struct event *events, size_t n, int64_t error_ns)
{
    *t = (struct timeline){.events = events,
                           .n = n,
                           .partner = memory_alloc((n + 1) * sizeof *t->partner),
                           .order = memory_alloc((n + 1) * sizeof *t->order),
                           .cause = memory_alloc((n + 1) * sizeof *t->cause),
                           .wait_ns = memory_alloc((n + 1) * sizeof *t->wait_ns)};
    for (size_t i = 0; i < n; i++)
        t->order[i] = (uint32_t)i;
    qsort_r(t->order, n, sizeof *t->order, by_call, (void *)events);
    match_messages(t, error_ns);
    cause_of_messages(t, error_ns);
    cause_of_collectives(t);
    for (size_t i = 0, end; i < n; i = end) {
        end = timeline_call_end(t, i);
        wait_of_call(t, t->order + i, end - i, error_ns);
    }
}

void timeline_free(struct timeline *t)
{
    free(t->partner);
    free(t->order);
    free(t->cause);
    free(t->wait_ns);
    *t = (struct timeline){0};
}
