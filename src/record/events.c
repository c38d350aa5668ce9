#include "record/events.h"

static struct {
    uint64_t ticks; /* at the start */
    int64_t time;   /* the common time then, ns */
} origin;

static uint64_t time_of(uint64_t ticks)
{
    return (uint64_t)origin.time + ticks_to_ns(ticks - origin.ticks);
}

/* An event whose place is not known yet has the number of its receive in the line as ordinal. */
static bool waits(const struct ledger_event *e)
{
    return EVENT_KIND(e) == ACT_RECEIVED && !EVENT_CHANNEL(e) && e->ordinal != TURN_UNKNOWN;
}

static void settle(uint32_t event, uint32_t channel, uint32_t ordinal)
{
    struct ledger_event *e = &layer.ledger.events[event];
    e->ordinal = ordinal;
    e->message |= (uint64_t)channel << 48; /* which was 0 */
}

int events_start(int64_t now)
{
    if (!*layer.settings.trace)
        return 0;
    origin.ticks = clock_ticks();
    origin.time = now;
    channel_settled = settle;
    int error = channels_start();
    layer.trace = !error;
    layer.shared_trace = layer.threaded;
    layer.ledger.header->traced = layer.trace;
    return error;
}

/* The calls and what is under them are kept for the same windows. */
static void thin_out(void)
{
    struct ledger_header *h = layer.ledger.header;
    struct ledger_table *t = &h->section[LEDGER_EVENTS], *u = &h->section[LEDGER_NETWORK];
    struct ledger_event *e = layer.ledger.events;
    struct ledger_network *n = layer.ledger.network;
    uint64_t span = ticks_to_ns(clock_ticks() - origin.ticks);
    uint32_t kept = 0, left = 0;
    h->time_mask = timeline_thinner(h->time_mask, span);
    for (uint32_t i = 0; i < u->count; i++)
        if (!(time_of(n[i].from_ticks) & h->time_mask))
            n[left++] = n[i];
    u->count = left;
    for (uint32_t i = 0; i < t->count; i++) {
        bool keep = !(time_of(e[i].entry_ticks) & h->time_mask);
        if (waits(&e[i]))
            channel_tell(e[i].ordinal, keep ? kept : TURN_UNKNOWN);
        if (keep)
            e[kept++] = e[i];
    }
    t->count = kept;
}

/* Makes room for one more of T, if TICKS lie in a window that is kept. */
static bool make_room(const struct ledger_table *t, uint64_t ticks)
{
    const struct ledger_header *h = layer.ledger.header;
    uint64_t time = time_of(ticks);
    while (!(time & h->time_mask)) {
        if (LIKELY(t->count < t->capacity))
            return true;
        if (!ledger_grow(&layer.ledger, (enum ledger_section)(t - h->section))) {
            if (h->time_mask & 1)
                break;
            thin_out();
        }
    }
    return false;
}

static inline bool has_room(const struct ledger_table *t, uint64_t ticks)
{
    return LIKELY(!layer.ledger.header->time_mask && t->count < t->capacity) || make_room(t, ticks);
}

static uint64_t at_most(uint64_t value, unsigned bits)
{
    const uint64_t most = (1ull << bits) - 1;
    return value < most ? value : most;
}

void event_add(const struct call *c, enum act_kind kind, uint64_t bytes, uint64_t posted,
               struct turn p)
{
    struct ledger_table *t = &layer.ledger.header->section[LEDGER_EVENTS];
    if ((int64_t)(c->entry - origin.ticks) < 0 || !has_room(t, c->entry)) /* MPI_Init itself */
        return;
    const uint32_t i = t->count, channel = p.waiting ? 0 : p.channel;
    layer.ledger.events[i] = (struct ledger_event){
        .entry_ticks = c->entry,
        .what = at_most(c->exit - c->entry, 42) | (uint64_t)c->operation << 42 |
                (uint64_t)kind << 52 | (at_most(channels_thread(), 7) - 1) << 56 |
                (uint64_t)(thread.apart.of != 0) << 63,
        .posted_ticks = posted,
        .message = at_most(bytes, 48) | (uint64_t)channel << 48,
        .site = c->site,
        .ordinal = p.waiting ? p.waiting : p.ordinal};
    if (UNLIKELY(p.waiting))
        channel_tell(p.waiting, i);
    __atomic_store_n(&t->count, i + 1, __ATOMIC_RELEASE);
}

/* The application's handler of a signal may come in between and send something: nobody waits for
 * himself. */
void event_of_network(const struct transport_event *e, const struct ledger_call *call)
{
    struct ledger_table *t = &layer.ledger.header->section[LEDGER_NETWORK];
    const bool in_call = call && call->since;
    if (thread.tracing)
        return;
    trace_begin();
    if (has_room(t, e->from)) {
        const uint64_t flags =
            (e->at_once ? LEDGER_NETWORK_AT_ONCE : 0) | (call ? 0 : LEDGER_NETWORK_APART);
        layer.ledger.network[t->count] = (struct ledger_network){
            .from_ticks = e->from,
            .what = at_most(e->to - e->from, 40) | (uint64_t)e->kind << 40 |
                    (at_most(channels_thread(), 7) - 1) << 48 | flags << 56,
            .call_ticks = in_call ? call->since : 0,
            .bytes = at_most(e->bytes, 48) | (in_call ? (uint64_t)call->operation << 48 : 0),
            .site = in_call ? call->site : 0,
            .number = e->number};
        __atomic_store_n(&t->count, t->count + 1, __ATOMIC_RELEASE);
    }
    trace_end();
}

void events_reset(void)
{
    struct ledger_table *t = &layer.ledger.header->section[LEDGER_EVENTS];
    for (uint32_t i = 0; i < t->count; i++)
        if (waits(&layer.ledger.events[i]))
            channel_tell(layer.ledger.events[i].ordinal, TURN_UNKNOWN);
    t->count = 0;
    layer.ledger.header->section[LEDGER_NETWORK].count = 0;
    layer.ledger.header->time_mask = 0;
}
