#include "record/channels.h"

#include "base/hash.h"

/* A ring buffer of receives without ordinal: the oldest incomplete wildcard receive and all that
 * were posted after it. Their numbers are FIRST to END - 1; turn.waiting is 1 + (number % LINE). */
enum { LINE = 4096 };
static struct waiting {
    uint32_t channel; /* index of the ledger_channel; 0 if not yet known */
    uint32_t ordinal;
    uint32_t event; /* index of the trace event that gets channel and ordinal; TURN_UNKNOWN: none */
    bool taken;     /* this element is in use */
    bool settled;   /* has an ordinal */
    bool received, cancelled;
} line[LINE + 1];
static uint64_t first, end;
static bool lost; /* by channels_lose_order() */

uint32_t channels_new_thread(void)
{
    static uint32_t threads;
    return thread.number = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
}

/* Finds or adds a channel; returns its index. The key is a hash: if two channels have the same key,
 * their messages get wrong ordinals, which timeline/timeline.c detects as contradictions. */
static uint32_t channel_in(uint64_t id, struct comm *c, int peer, int tag, unsigned kind)
{
    uint64_t key = hash_mix(hash_mix(id, (uint64_t)(uint32_t)peer << 32 | (uint32_t)tag), kind);
    key |= INDEX_LEAST_KEY;
    const struct ledger_channel *found = (const void *)index_find(&layer.channels, key);
    if (UNLIKELY(!found))
        found = layer_row(&layer.channels, key, LEDGER_CHANNELS,
                          &(struct ledger_channel){.comm_id = id,
                                                   .peer = peer,
                                                   .tag = tag,
                                                   .peer_world = comm_world_rank(c, peer),
                                                   .comm = (uint16_t)c->index,
                                                   .kind = (uint8_t)kind,
                                                   .thread = channels_thread()});
    return found ? (uint32_t)(found - layer.ledger.channels) : 0;
}

/* channel_in() for messages. If several threads use a channel, the messages have no known order. */
static uint32_t channel_of(struct comm *c, int peer, int tag, unsigned kind)
{
    const uint32_t channel = channel_in(c->id, c, peer, tag, kind);
    struct ledger_channel *row = &layer.ledger.channels[channel];
    if (channel && layer.threaded && row->thread != channels_thread())
        row->flags |= LEDGER_CHANNEL_DISORDERED;
    return channel;
}

/* The next ordinal of CHANNEL; TURN_UNKNOWN after 2^32 messages: ordinals must not repeat. */
static uint32_t next_in(uint32_t channel)
{
    uint32_t *next = channel ? &layer.ledger.channels[channel].next : NULL;
    return next && *next != TURN_UNKNOWN ? (*next)++ : TURN_UNKNOWN;
}

struct turn channel_sent(struct comm *c, int to, int tag)
{
    uint32_t channel = lost ? 0 : channel_of(c, to, tag, LEDGER_CHANNEL_SEND);
    return (struct turn){channel, next_in(channel), 0};
}

void channels_lose_order(void)
{
    lost = true;
}

/* Adds a receive to the queue. Returns its turn.waiting; 0 if the queue is full. */
static uint32_t stand_in_line(uint32_t channel)
{
    const uint32_t number = 1 + (uint32_t)(end % LINE);
    if (line[number].taken)
        return 0;
    line[number] = (struct waiting){.channel = channel, .event = TURN_UNKNOWN, .taken = true};
    end++;
    return number;
}

/* Assigns an ordinal to the queue's first receive W, and to its event, unless W was cancelled. */
static void settle(struct waiting *w)
{
    w->settled = true;
    w->taken = !w->cancelled && !w->received;
    if (w->cancelled)
        return;
    w->ordinal = next_in(w->channel);
    if (w->event != TURN_UNKNOWN) {
        struct ledger_event *e = &layer.ledger.events[w->event];
        e->ordinal = w->ordinal;
        e->message |= (uint64_t)w->channel << 48; /* the event was added with channel 0 */
    }
}

/* Removes receives from the queue and assigns ordinals, up to the first unknown channel. */
static void move_up(void)
{
    for (; first < end; first++) {
        struct waiting *w = &line[1 + first % LINE];
        if (!w->channel && !w->received && !w->cancelled)
            return;
        settle(w);
    }
}

struct turn channel_posted(struct comm *c, int from, int tag)
{
    struct turn p = NO_TURN;
    bool exact = from != MPI_ANY_SOURCE && tag != MPI_ANY_TAG;
    if (exact && !lost)
        p.channel = channel_of(c, from, tag, LEDGER_CHANNEL_RECEIVE);
    if (exact && first == end) {
        p.ordinal = next_in(p.channel);
    } else if (!lost && (!exact || p.channel)) {
        p.waiting = stand_in_line(p.channel);
        if (!p.waiting)
            channels_lose_order();
    }
    return p;
}

struct turn channel_probed(struct comm *c, int from, int tag)
{
    struct turn p = NO_TURN;
    if (first == end && !lost) {
        p.channel = channel_of(c, from, tag, LEDGER_CHANNEL_RECEIVE);
        p.ordinal = p.channel ? layer.ledger.channels[p.channel].next : TURN_UNKNOWN;
    }
    return p;
}

struct turn channel_received(struct turn p, struct comm *c, int from, int tag)
{
    struct waiting *w = &line[p.waiting];
    if (!p.waiting)
        return p;
    if (!w->channel)
        w->channel = channel_of(c, from, tag, LEDGER_CHANNEL_RECEIVE);
    w->received = true;
    if (!w->settled)
        move_up();
    p.channel = w->channel;
    if (w->settled) {
        p.ordinal = w->ordinal;
        p.waiting = 0;
        w->taken = false;
    }
    return p;
}

void channel_store_ordinal(uint32_t waiting, uint32_t event)
{
    line[waiting].event = event;
}

/* Frees the ordinal of a cancelled receive, which gets no message. If later receives already have
 * ordinals, all of these are wrong, so the channel is flagged as disordered. */
static void give_back(uint32_t channel, uint32_t ordinal)
{
    struct ledger_channel *c = &layer.ledger.channels[channel];
    if (!channel || ordinal == TURN_UNKNOWN)
        return;
    if (c->next == ordinal + 1)
        c->next--;
    else
        c->flags |= LEDGER_CHANNEL_DISORDERED;
}

void channel_cancelled(struct turn p)
{
    struct waiting *w = &line[p.waiting];
    if (!p.waiting) {
        give_back(p.channel, p.ordinal);
    } else if (w->settled) {
        give_back(w->channel, w->ordinal);
        w->taken = false;
    } else {
        w->cancelled = true;
        move_up();
    }
}

uint32_t channel_of_collective(struct comm *c, uint64_t id, uint32_t operation, int root)
{
    return channel_in(id, c, root, (int)operation, LEDGER_CHANNEL_COLLECTIVE);
}
