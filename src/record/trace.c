#include "record/trace.h"

#include "timeline/timeline.h"
#include "transport/transport.h"

#include <dlfcn.h>
#include <string.h>

_Static_assert(EVENT_KINDS <= LEDGER_TRANSPORT, "kinds of events are distinct");

/* The same moment on this host's clock (ticks) and on the clock common to all ranks (ns). */
static struct {
    uint64_t ticks;
    int64_t time;
} origin;

static uint64_t time_of(uint64_t ticks)
{
    return (uint64_t)origin.time + ticks_to_ns(ticks - origin.ticks);
}

/* Whether the receive E has no ordinal yet: E->ordinal then contains its turn.waiting. */
static bool waits(const struct ledger_event *e)
{
    return EVENT_KIND(e) == EVENT_RECEIVED && !EVENT_CHANNEL(e) && e->ordinal != TURN_UNKNOWN;
}

/* Halves the log: keeps events in half of the windows of time, and tells the queue of receives
 * (channels.c) the new positions of their events. */
static void thin_out(void)
{
    struct ledger_header *h = layer.ledger.header;
    struct ledger_table *t = &h->section[LEDGER_EVENTS];
    struct ledger_event *e = layer.ledger.events;
    uint32_t kept = 0;
    h->time_mask = timeline_thinner(h->time_mask, ticks_to_ns(clock_ticks() - origin.ticks));
    for (uint32_t i = 0; i < t->count; i++) {
        bool keep = !(time_of(e[i].entry_ticks) & h->time_mask);
        if (waits(&e[i]))
            channel_store_ordinal(e[i].ordinal, keep ? kept : TURN_UNKNOWN);
        if (keep)
            e[kept++] = e[i];
    }
    t->count = kept;
}

/* Makes room for an event that begins at TICKS. False if it is outside of the recorded windows. */
static bool make_room(const struct ledger_table *t, uint64_t ticks)
{
    const struct ledger_header *h = layer.ledger.header;
    uint64_t time = time_of(ticks);
    while (!(time & h->time_mask)) {
        if (LIKELY(t->count < t->capacity) || ledger_grow(&layer.ledger, LEDGER_EVENTS))
            return true;
        if (h->time_mask & 1)
            break;
        thin_out();
    }
    return false;
}

static uint64_t at_most(uint64_t value, unsigned bits)
{
    const uint64_t most = (1ull << bits) - 1;
    return value < most ? value : most;
}

/* The members of an event besides its ticks. */
struct what {
    uint32_t kind, operation;
    bool excluded;
    uint64_t bytes;
    uint32_t channel, site, ordinal;
};

/* Returns the event's index; TURN_UNKNOWN if it is not recorded. */
static uint32_t add_event(uint64_t entry, uint64_t exit, uint64_t posted, struct what w)
{
    struct ledger_table *t = &layer.ledger.header->section[LEDGER_EVENTS];
    bool room = !layer.ledger.header->time_mask && t->count < t->capacity;
    if ((int64_t)(entry - origin.ticks) < 0 || (UNLIKELY(!room) && !make_room(t, entry)))
        return TURN_UNKNOWN; /* transport events in MPI_Init may be earlier than ORIGIN */
    const uint32_t i = t->count;
    layer.ledger.events[i] = (struct ledger_event){
        .entry_ticks = entry,
        .what = at_most(exit - entry, 42) | (uint64_t)w.operation << 42 | (uint64_t)w.kind << 52 |
                (at_most(channels_thread(), 6) - 1) << 57 | (uint64_t)w.excluded << 63,
        .posted_ticks = posted,
        .message = at_most(w.bytes, 48) | (uint64_t)w.channel << 48,
        .site = w.site,
        .ordinal = w.ordinal};
    __atomic_store_n(&t->count, i + 1, __ATOMIC_RELEASE);
    return i;
}

/* Records an event of call C. POSTED: ticks at entry of the call that posted the request, or of C.
 * P: channel and ordinal of the message or collective; otherwise NO_TURN. */
static void add(struct call *c, enum event_kind kind, uint64_t bytes, uint64_t posted,
                struct turn p)
{
    c->traced = true;
    uint32_t i = add_event(c->entry, c->exit, posted,
                           (struct what){.kind = kind,
                                         .operation = c->operation,
                                         .excluded = thread.excluded.of != 0,
                                         .bytes = bytes,
                                         .channel = p.waiting ? 0 : p.channel,
                                         .site = c->site,
                                         .ordinal = p.waiting ? p.waiting : p.ordinal});
    if (UNLIKELY(p.waiting) && i != TURN_UNKNOWN)
        channel_store_ordinal(p.waiting, i);
}

/* A neighbourhood collective does not wait for all ranks. It is recorded as EVENT_CALL, for which
 * the timeline computes no waiting. */
static bool is_of_neighbours(uint32_t operation)
{
    const char *name = layer.ledger.operations[operation].name;
    return UNLIKELY(!strncmp(name, "MPI_Neighbor", 12) || !strncmp(name, "MPI_Ineighbor", 13));
}

void trace_collective_posted(struct comm *on, struct ledger_request *r)
{
    if (is_of_neighbours(r->operation))
        return;
    trace_begin();
    r->turn.channel = channel_of_collective(on, r->comm_id, r->operation, r->root);
    trace_end();
}

void trace_sent(struct call *c, struct comm *on, int to, int tag, uint64_t bytes)
{
    trace_begin();
    add(c, EVENT_SEND, bytes, c->entry, channel_sent(on, to, tag));
    trace_end();
}

void trace_received(struct call *c, struct comm *on, const MPI_Status *status, uint64_t bytes,
                    const struct ledger_request *probed)
{
    trace_begin();
    int from = status->MPI_SOURCE, tag = status->MPI_TAG;
    struct turn p = probed ? probed->turn : channel_posted(on, from, tag);
    add(c, EVENT_RECEIVED, bytes, c->entry, channel_received(p, on, from, tag));
    trace_end();
}

void trace_posted(struct call *c, struct comm *on, struct ledger_request *r)
{
    trace_begin();
    if (r->kind & REQUEST_RECV) {
        r->turn = channel_posted(on, r->peer, r->tag);
    } else {
        r->turn = channel_sent(on, r->peer, r->tag);
        add(c, EVENT_POST, r->bytes, c->entry, r->turn);
    }
    trace_end();
}

static uint32_t ordinal_of(uint64_t sequence)
{
    return sequence < TURN_UNKNOWN ? (uint32_t)sequence : TURN_UNKNOWN;
}

void trace_completed(struct call *c, struct comm *on, struct ledger_request *r,
                     const MPI_Status *status, uint64_t bytes, bool cancelled)
{
    trace_begin();
    if (r->kind & REQUEST_COLLECTIVE) {
        r->turn.ordinal = ordinal_of(r->sequence);
        if (r->turn.channel)
            add(c, EVENT_COLLECTED, bytes, r->posted, r->turn);
    } else if (cancelled) {
        channel_cancelled(r->turn);
    } else if (!(r->kind & REQUEST_RECV)) {
        add(c, EVENT_SENT, bytes, r->posted, r->turn);
    } else if (on && status) {
        add(c, EVENT_RECEIVED, bytes, r->posted,
            channel_received(r->turn, on, status->MPI_SOURCE, status->MPI_TAG));
    }
    trace_end();
}

void trace_probed(struct call *c, struct comm *on, const MPI_Status *status,
                  struct ledger_request *kept)
{
    trace_begin();
    int from = status->MPI_SOURCE, tag = status->MPI_TAG;
    struct turn p = kept ? channel_posted(on, from, tag) : channel_probed(on, from, tag);
    if (kept)
        kept->turn = p;
    if (p.waiting)
        p = NO_TURN;
    add(c, EVENT_PROBED, 0, c->entry, p);
    trace_end();
}

void trace_collective(struct call *c, struct comm *on, uint64_t sequence, int root, uint64_t bytes)
{
    if (is_of_neighbours(c->operation))
        return;
    trace_begin();
    struct turn p = {channel_of_collective(on, on->id, c->operation, root), ordinal_of(sequence),
                     0};
    add(c, EVENT_COLLECTIVE, bytes, c->entry, p);
    trace_end();
}

static struct transport *transport;

/* The callback of libcollprof-transport.so, in a thread of the application or of MPI. It ignores
 * communication of the layer, and of the application outside of MPI. If THREAD.TRACING, this is a
 * signal handler: it must not wait for the lock, which the interrupted thread has. */
static void on_event(const struct transport_event *e)
{
    const struct ledger_call *call = thread.call;
    bool in_call = call && call->since;
    if (!layer.on || (thread.inside ? !in_call : !e->ours))
        return;
    if (!thread.tracing) {
        trace_begin();
        add_event(e->from, e->to, in_call ? call->since : 0,
                  (struct what){.kind = LEDGER_TRANSPORT + e->kind,
                                .operation = in_call ? call->operation : 0,
                                .excluded = !call,
                                .bytes = e->bytes,
                                .channel = e->at_once,
                                .site = in_call ? call->site : 0,
                                .ordinal = e->number});
        trace_end();
    }
}

/* Sets the callback of libcollprof-transport.so. */
static void listen(void)
{
    transport = dlsym(RTLD_DEFAULT, TRANSPORT_SYMBOL);
    layer.ledger.header->network = !transport             ? LEDGER_NETWORK_MISSING
                                   : transport->knows_ucx ? LEDGER_NETWORK_ON
                                                          : LEDGER_NETWORK_NO_UCX;
    if (!transport)
        return;
    layer.shared_trace = true; /* a thread of the MPI library may report at any time */
    transport->now = clock_ticks;
    __atomic_store_n(&transport->event, on_event, __ATOMIC_RELEASE);
}

void trace_stop(void)
{
    if (transport)
        __atomic_store_n(&transport->event, NULL, __ATOMIC_RELEASE);
}

void trace_start(int64_t now_ns)
{
    origin.ticks = clock_ticks();
    origin.time = now_ns;
    layer.trace = *layer.settings.trace != '\0';
    layer.shared_trace = layer.threaded;
    layer.ledger.header->traced = layer.trace;
    if (!strcmp(layer.settings.trace, "transport"))
        listen();
}

void trace_left(const struct call *c)
{
    if (c->traced)
        return;
    struct call copy = *c;
    trace_begin();
    add(&copy, EVENT_CALL, 0, c->entry, NO_TURN);
    trace_end();
}
