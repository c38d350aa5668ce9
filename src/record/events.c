#include "record/events.h"

static struct {
    uint64_t ticks; /* at the start */
    int64_t time;   /* the common time then, ns */
    uint32_t lock;
} origin;

/* The application's handler of a signal may come in between and send something: nobody waits for
 * himself. */
static PER_THREAD bool writing;

static void begin_writing(void)
{
    writing = true;
    spin_lock_if(layer.shared_trace, &origin.lock);
}

static void end_writing(void)
{
    spin_unlock_if(layer.shared_trace, &origin.lock);
    writing = false;
}

static uint64_t time_of(uint64_t ticks)
{
    return (uint64_t)origin.time + ticks_to_ns(ticks - origin.ticks);
}

/* An event whose place is not known yet has the number of its receive in the line as ordinal. */
static bool waits(const struct ledger_event *e)
{
    return e->kind == ACT_RECEIVED && !e->channel && e->ordinal != TURN_UNKNOWN;
}

static void settle(uint32_t event, uint32_t channel, uint32_t ordinal)
{
    struct ledger_event *e = &layer.ledger.events[event];
    e->ordinal = ordinal;
    e->channel = channel & 0xffff;
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

/* Whether there is room for one more of SECTION, and TICKS lie in a window that is kept. */
static bool room_at(enum ledger_section section, uint64_t ticks)
{
    const struct ledger_header *h = layer.ledger.header;
    const struct ledger_table *t = &h->section[section];
    uint64_t time = time_of(ticks);
    while (!(time & h->time_mask)) {
        if (LIKELY(t->count < t->capacity))
            return true;
        if (!ledger_grow(&layer.ledger, section)) {
            if (h->time_mask & 1)
                break;
            thin_out();
        }
    }
    return false;
}

static uint8_t thread_number(void)
{
    uint32_t number = channels_thread();
    return (uint8_t)((number < 128 ? number : 128) - 1);
}

void event_add(const struct call *c, enum act_kind kind, uint64_t bytes, uint64_t posted,
               struct turn p)
{
    const uint64_t longest = (1ull << 42) - 1;
    struct ledger_table *t = &layer.ledger.header->section[LEDGER_EVENTS];
    uint64_t duration = c->exit - c->entry;
    if ((int64_t)(c->entry - origin.ticks) < 0) /* MPI_Init itself */
        return;
    begin_writing();
    if (room_at(LEDGER_EVENTS, c->entry)) {
        /* Written where it stays: a copy would cost as much as all the rest. */
        layer.ledger.events[t->count] =
            (struct ledger_event){.entry_ticks = c->entry,
                                  .duration = (duration < longest ? duration : longest) & longest,
                                  .operation = c->operation & 0x3ff,
                                  .kind = kind & 0xf,
                                  .thread = thread_number() & 0x7fu,
                                  .apart = (thread.apart.of != 0) & 1,
                                  .posted_ticks = posted,
                                  .bytes = bytes & 0xffffffffffff,
                                  .channel = p.waiting ? 0 : p.channel & 0xffff,
                                  .site = c->site,
                                  .ordinal = p.waiting ? p.waiting : p.ordinal};
        if (p.waiting)
            channel_tell(p.waiting, t->count);
        __atomic_store_n(&t->count, t->count + 1, __ATOMIC_RELEASE);
    }
    end_writing();
}

void event_of_network(const struct transport_event *e, const struct ledger_call *call)
{
    const uint64_t longest = (1ull << 40) - 1;
    struct ledger_table *t = &layer.ledger.header->section[LEDGER_NETWORK];
    bool in_call = call && call->since;
    uint64_t duration = e->to - e->from;
    if (writing)
        return;
    begin_writing();
    if (room_at(LEDGER_NETWORK, e->from)) {
        layer.ledger.network[t->count] =
            (struct ledger_network){.from_ticks = e->from,
                                    .duration = (duration < longest ? duration : longest) & longest,
                                    .kind = e->kind,
                                    .thread = thread_number(),
                                    .flags = (uint8_t)((e->at_once ? LEDGER_NETWORK_AT_ONCE : 0) |
                                                       (call ? 0 : LEDGER_NETWORK_APART)),
                                    .call_ticks = in_call ? call->since : 0,
                                    .bytes = e->bytes & TRANSPORT_UNKNOWN_BYTES,
                                    .operation = in_call ? call->operation & 0xffff : 0,
                                    .site = in_call ? call->site : 0,
                                    .number = e->number};
        __atomic_store_n(&t->count, t->count + 1, __ATOMIC_RELEASE);
    }
    end_writing();
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
