#include "timeline/timeline.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/hash.h"

uint64_t timeline_thinner(uint64_t mask, uint64_t span)
{
    enum { WINDOWS_LOG2 = 5, SHORTEST_LOG2 = 10 };
    int length = span ? 63 - __builtin_clzll(span) : 0;
    int first = length > WINDOWS_LOG2 + SHORTEST_LOG2 ? length - WINDOWS_LOG2 : SHORTEST_LOG2;
    if (!mask)
        return 1ull << first;
    int above = 64 - __builtin_clzll(mask), below = __builtin_ctzll(mask) - 1;
    if (above < length || below < 0)
        return mask | 1ull << (above < 63 ? above : 63);
    return mask | 1ull << below;
}

static bool is_sender(const struct event *a)
{
    return a->kind == EVENT_SEND || a->kind == EVENT_POST || a->kind == EVENT_SENT;
}

/* The channel of a message: sender, receiver, communicator and tag. */
static uint64_t channel_of(const struct event *a)
{
    uint32_t from = is_sender(a) ? a->rank : a->peer, to = is_sender(a) ? a->peer : a->rank;
    return hash_mix(hash_mix(a->comm_id, (uint64_t)from << 32 | to), (uint32_t)a->tag);
}

static uint64_t hash_of(const struct event *a)
{
    return hash_mix(channel_of(a), a->ordinal);
}

uint64_t timeline_bytes(const struct timeline *t, size_t i)
{
    const struct event *a = &t->events[i];
    if (a->bytes != TIMELINE_UNKNOWN_BYTES)
        return a->bytes;
    return t->partner[i] == TIMELINE_NONE ? 0 : t->events[t->partner[i]].bytes;
}

static bool is_possible(const struct event *send, const struct event *receive, int64_t error_ns)
{
    return (send->bytes == receive->bytes || receive->bytes == TIMELINE_UNKNOWN_BYTES) &&
           receive->exit_ns >= send->entry_ns - error_ns;
}

static void pair_up(struct timeline *t, size_t i, const struct index *sends, struct index *doubtful,
                    int64_t error_ns)
{
    const struct event *events = t->events;
    uint32_t send = lookup_find(sends, hash_of(&events[i]));
    if (send == TIMELINE_NONE)
        return;
    if (t->partner[send] != TIMELINE_NONE || !is_possible(&events[send], &events[i], error_ns)) {
        if (lookup_find(doubtful, channel_of(&events[i])) == UINT32_MAX)
            lookup_add(doubtful, channel_of(&events[i]), 0);
        t->contradictions++;
        return;
    }
    t->partner[send] = (uint32_t)i;
    t->partner[i] = send;
    t->matched++;
}

/* Discards all pairs in DOUBTFUL channels: after one contradiction, other ordinals may be wrong. */
static void ignore_channels(struct timeline *t, const struct index *doubtful)
{
    const struct event *events = t->events;
    for (size_t i = 0; i < t->n; i++)
        if (t->partner[i] != TIMELINE_NONE &&
            lookup_find(doubtful, channel_of(&events[i])) != UINT32_MAX) {
            t->matched -= events[i].kind == EVENT_RECEIVED;
            t->partner[i] = TIMELINE_NONE;
        }
}

void match_messages(struct timeline *t, int64_t error_ns)
{
    const struct event *events = t->events;
    struct index sends = {0}, doubtful = {0}; /* keys: hash of the message; of its channel */
    for (size_t i = 0; i < t->n; i++) {
        bool send = events[i].kind == EVENT_SEND || events[i].kind == EVENT_POST;
        t->partner[i] = TIMELINE_NONE;
        if ((send || events[i].kind == EVENT_RECEIVED) && !event_is_numbered(&events[i])) {
            t->unnumbered++;
        } else if (send) {
            lookup_add(&sends, hash_of(&events[i]), i);
            t->sends++;
        }
    }
    for (size_t i = 0; i < t->n; i++)
        if (events[i].kind == EVENT_RECEIVED && event_is_numbered(&events[i])) {
            pair_up(t, i, &sends, &doubtful, error_ns);
            t->receives++;
        }
    for (size_t i = 0; i < t->n; i++) /* a probe's partner is the message's send */
        if (events[i].kind == EVENT_PROBED && event_is_numbered(&events[i]))
            t->partner[i] = lookup_find(&sends, hash_of(&events[i]));
    ignore_channels(t, &doubtful);
    for (size_t i = 0; i < t->n; i++) /* the completion of a send has the partner of its start */
        if (events[i].kind == EVENT_SENT && event_is_numbered(&events[i])) {
            uint32_t post = lookup_find(&sends, hash_of(&events[i]));
            t->partner[i] = post == TIMELINE_NONE ? post : t->partner[post];
        }
    free(sends.table);
    free(doubtful.table);
}
