/* Matches messages, and finds what each call waited for, how long, and for which rank. */
#include "timeline/timeline.h"

#include "base/array.h"
#include "base/hash.h"

#include <stdlib.h>

#define NAME(id, name, key) name,
const char *const wait_names[WAIT_STATES] = {WAIT_STATE_LIST(NAME)};

uint64_t timeline_thinner(uint64_t mask, uint64_t run_ns)
{
    enum { WINDOWS_LOG2 = 5, SHORTEST_LOG2 = 10 };
    int length = run_ns ? 63 - __builtin_clzll(run_ns) : 0;
    int first = length > WINDOWS_LOG2 + SHORTEST_LOG2 ? length - WINDOWS_LOG2 : SHORTEST_LOG2;
    if (!mask)
        return 1ull << first;
    int above = 64 - __builtin_clzll(mask), below = __builtin_ctzll(mask) - 1;
    if (above < length || below < 0)
        return mask | 1ull << (above < 63 ? above : 63);
    return mask | 1ull << below;
}

/* --- matching --- */

static bool is_sender(const struct event *a)
{
    return a->kind == EVENT_SEND || a->kind == EVENT_POST || a->kind == EVENT_SENT;
}

static uint64_t hash_of_channel(const struct event *a)
{
    uint32_t from = is_sender(a) ? a->rank : a->peer, to = is_sender(a) ? a->peer : a->rank;
    return hash_mix(hash_mix(a->comm_id, (uint64_t)from << 32 | to), (uint32_t)a->tag);
}

static uint64_t hash_of_message(const struct event *a)
{
    return hash_mix(hash_of_channel(a), a->ordinal);
}

uint64_t timeline_bytes(const struct timeline *t, size_t i)
{
    const struct event *a = &t->events[i];
    if (a->bytes != TIMELINE_UNKNOWN_BYTES)
        return a->bytes;
    return t->partner[i] == TIMELINE_NONE ? 0 : t->events[t->partner[i]].bytes;
}

static bool can_match(const struct event *send, const struct event *receive, int64_t error_ns)
{
    return (send->bytes == receive->bytes || receive->bytes == TIMELINE_UNKNOWN_BYTES) &&
           receive->exit_ns >= send->entry_ns - error_ns;
}

static void pair_up(struct timeline *t, size_t i, const struct index *sends, struct index *doubtful,
                    int64_t error_ns)
{
    const struct event *events = t->events;
    uint32_t send = lookup_find(sends, hash_of_message(&events[i]));
    if (send == TIMELINE_NONE)
        return;
    if (t->partner[send] != TIMELINE_NONE || !can_match(&events[send], &events[i], error_ns)) {
        if (lookup_find(doubtful, hash_of_channel(&events[i])) == UINT32_MAX)
            lookup_add(doubtful, hash_of_channel(&events[i]), 0);
        t->contradictions++;
        return;
    }
    t->partner[send] = (uint32_t)i;
    t->partner[i] = send;
    t->matched_messages++;
}

/* After one contradiction in a channel, its other ordinals may be wrong, too. */
static void discard_doubtful_channels(struct timeline *t, const struct index *doubtful)
{
    const struct event *events = t->events;
    for (size_t i = 0; i < t->n; i++)
        if (t->partner[i] != TIMELINE_NONE &&
            lookup_find(doubtful, hash_of_channel(&events[i])) != UINT32_MAX) {
            t->matched_messages -= events[i].kind == EVENT_RECEIVED;
            t->partner[i] = TIMELINE_NONE;
        }
}

static void match_messages(struct timeline *t, int64_t error_ns)
{
    const struct event *events = t->events;
    struct index sends = {0}, doubtful_channels = {0};
    for (size_t i = 0; i < t->n; i++) {
        bool send = events[i].kind == EVENT_SEND || events[i].kind == EVENT_POST;
        t->partner[i] = TIMELINE_NONE;
        if ((send || events[i].kind == EVENT_RECEIVED) && !event_is_numbered(&events[i])) {
            t->unnumbered++;
        } else if (send) {
            lookup_add(&sends, hash_of_message(&events[i]), i);
            t->numbered_sends++;
        }
    }
    for (size_t i = 0; i < t->n; i++)
        if (events[i].kind == EVENT_RECEIVED && event_is_numbered(&events[i])) {
            pair_up(t, i, &sends, &doubtful_channels, error_ns);
            t->numbered_receives++;
        }
    for (size_t i = 0; i < t->n; i++) /* a probe's partner is the message's send */
        if (events[i].kind == EVENT_PROBED && event_is_numbered(&events[i]))
            t->partner[i] = lookup_find(&sends, hash_of_message(&events[i]));
    discard_doubtful_channels(t, &doubtful_channels);
    for (size_t i = 0; i < t->n; i++) /* the completion of a send gets the partner of its start */
        if (events[i].kind == EVENT_SENT && event_is_numbered(&events[i])) {
            uint32_t post = lookup_find(&sends, hash_of_message(&events[i]));
            t->partner[i] = post == TIMELINE_NONE ? post : t->partner[post];
        }
    free(sends.table);
    free(doubtful_channels.table);
}

/* --- waits for messages --- */

/* The event that posted the send which event I completes: the partner of the send's receive. */
static const struct event *post_of(const struct timeline *t, size_t i)
{
    return &t->events[t->partner[t->partner[i]]];
}

static bool is_unbuffered_send(const struct timeline *t, size_t i)
{
    return (t->events[i].kind == EVENT_SEND || t->events[i].kind == EVENT_SENT) &&
           t->partner[i] != TIMELINE_NONE && !post_of(t, i)->buffered;
}

/* In bytes. A send that returned before its receive was posted was eager. The threshold is the
 * smallest message that was sent before its receive was posted and is larger than all eager ones.
 */
static uint64_t rendezvous_threshold(const struct timeline *t, int64_t error_ns)
{
    const struct event *events = t->events;
    uint64_t eager = 0, least = UINT64_MAX;
    for (size_t i = 0; i < t->n; i++)
        if (is_unbuffered_send(t, i) && !post_of(t, i)->synchronous && events[i].bytes > eager &&
            events[i].exit_ns < events[t->partner[i]].posted_ns - error_ns)
            eager = events[i].bytes;
    for (size_t i = 0; i < t->n; i++)
        if (is_unbuffered_send(t, i) && !post_of(t, i)->synchronous && events[i].bytes > eager &&
            events[i].bytes < least &&
            events[t->partner[i]].posted_ns > events[i].entry_ns + error_ns)
            least = events[i].bytes;
    return least;
}

static uint64_t thread_of(const struct event *a)
{
    return (uint64_t)a->rank << 8 | a->thread;
}

/* Walks backward in time, so that EARLIEST is known from the later receives of the same thread. */
static void find_wrong_order(struct timeline *t)
{
    int64_t earliest = INT64_MAX; /* start of a send whose message the thread receives later */
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
            c->wait_state = WAIT_WRONG_ORDER;
        earliest = c->enabled_ns < earliest ? c->enabled_ns : earliest;
    }
}

static void cause_of_messages(struct timeline *t, int64_t error_ns)
{
    const struct event *events = t->events;
    const uint64_t least = rendezvous_threshold(t, error_ns);
    for (size_t i = 0; i < t->n; i++) {
        t->cause[i] = (struct cause){INT64_MIN, TIMELINE_NONE, TIMELINE_NONE, WAIT_NONE};
        if (t->partner[i] == TIMELINE_NONE)
            continue;
        const struct event *other = &events[t->partner[i]];
        if (events[i].kind == EVENT_RECEIVED || events[i].kind == EVENT_PROBED)
            t->cause[i] =
                (struct cause){other->entry_ns, other->rank, t->partner[i], WAIT_LATE_SENDER};
        else if (is_unbuffered_send(t, i) &&
                 (post_of(t, i)->synchronous || events[i].bytes >= least))
            t->cause[i] =
                (struct cause){other->posted_ns, other->rank, t->partner[i], WAIT_LATE_RECEIVER};
    }
    find_wrong_order(t);
}

/* --- waits of calls --- */

static int by_call(const void *a, const void *b, void *context)
{
    const struct event *events = context;
    const struct event *x = &events[*(const uint32_t *)a], *y = &events[*(const uint32_t *)b];
    return ORDER(x->rank, y->rank) ?: ORDER(x->thread, y->thread) ?: ORDER(x->entry_ns, y->entry_ns)
        ?: ORDER(x->exit_ns, y->exit_ns);
}

/* At equal times, a late sender counts as enabled later. */
static bool is_enabled_later(const struct cause *a, const struct cause *b)
{
    return (ORDER(a->enabled_ns, b->enabled_ns) ?: ORDER(b->wait_state, a->wait_state)) > 0;
}

/* A call waits for the event that is enabled last. A call that returned before that did not
 * wait: a collective without data may return early. */
static void find_wait_of_call(struct timeline *t, const uint32_t *of, size_t n, int64_t error_ns)
{
    uint32_t last = *of;
    for (size_t i = 1; i < n; i++)
        if (is_enabled_later(&t->cause[of[i]], &t->cause[last]))
            last = of[i];
    const struct event *a = &t->events[last];
    const struct cause *c = &t->cause[last];
    if (a->excluded)
        return;
    t->calls_ns += (uint64_t)(a->exit_ns > a->entry_ns ? a->exit_ns - a->entry_ns : 0);
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
        find_wait_of_call(t, t->order + i, end - i, error_ns);
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
