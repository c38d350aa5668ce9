#include "record/channels.h"

#include "base/hash.h"

#include <errno.h>
#include <stdlib.h>

/* Receives in line behind an open wildcard; [0] is never used. */
enum { LINE = 4096 };
static struct waiting {
    uint64_t comm_id;
    uint32_t next;          /* in the line, or the free list */
    uint32_t channel;       /* 0: not known yet */
    uint32_t ordinal;       /* TURN_UNKNOWN: not known yet */
    uint32_t event;         /* to be told; TURN_UNKNOWN: none */
    bool settled, received; /* when both hold it is free again */
} * line;
static bool lost; /* some messages were not seen */
static uint32_t line_first, line_last, line_free, line_fresh;

int channels_start(void)
{
    line = calloc(LINE, sizeof *line);
    line_fresh = 1;
    layer.ledger.header->section[LEDGER_CHANNELS].count = 1; /* 0: none */
    return line ? index_start(&layer.channels) : ENOMEM;
}

uint32_t channels_new_thread(void)
{
    static uint32_t threads;
    return thread.number = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
}

static uint32_t add(const struct ledger_channel *wanted, uint64_t key)
{
    pthread_mutex_lock(&layer.lock);
    struct ledger_table *t = &layer.ledger.header->section[LEDGER_CHANNELS];
    uint32_t i = (uint32_t)index_find(&layer.channels, key);
    if (!i && t->count <= UINT16_MAX && ledger_grow(&layer.ledger, LEDGER_CHANNELS)) {
        i = t->count;
        layer.ledger.channels[i] = *wanted;
        __atomic_store_n(&t->count, i + 1, __ATOMIC_RELEASE);
        index_put(&layer.channels, key, i, layer.threaded);
    }
    t->dropped += i == 0;
    pthread_mutex_unlock(&layer.lock);
    return i;
}

/* The key is 64 bits of a hash: two channels with the same one would be counted together, and
 * their messages contradict each other later. */
static uint32_t channel_in(uint64_t id, struct comm *c, int peer, int tag, unsigned kind)
{
    uint64_t key = hash_mix(hash_mix(id, (uint64_t)(uint32_t)peer << 32 | (uint32_t)tag), kind);
    key |= INDEX_LEAST_KEY;
    uint32_t i = (uint32_t)index_find(&layer.channels, key);
    if (UNLIKELY(!i))
        i = add(&(struct ledger_channel){.comm_id = id,
                                         .peer = peer,
                                         .tag = tag,
                                         .peer_world = comm_world_rank(c, peer),
                                         .comm = (uint16_t)c->index,
                                         .kind = (uint8_t)kind,
                                         .thread = channels_thread()},
                key);
    return i;
}

/* Nobody can tell which of two threads was first. */
static uint32_t used(uint32_t channel)
{
    struct ledger_channel *c = &layer.ledger.channels[channel];
    if (channel && layer.threaded && c->thread != channels_thread())
        c->flags |= LEDGER_CHANNEL_DISORDERED;
    return channel;
}

static uint32_t channel_of(struct comm *c, int peer, int tag, unsigned kind)
{
    return used(channel_in(c->id, c, peer, tag, kind));
}

static bool has_order(const struct comm *c)
{
    return !lost && !c->disordered;
}

/* After 2^32 messages the places of a channel are used up: a second round would be taken for the
 * first. */
static uint32_t next_in(uint32_t channel)
{
    uint32_t *next = channel ? &layer.ledger.channels[channel].next : NULL;
    return next && *next != TURN_UNKNOWN ? (*next)++ : TURN_UNKNOWN;
}

static bool is_disordered(uint32_t channel)
{
    return channel && layer.ledger.channels[channel].flags & LEDGER_CHANNEL_DISORDERED;
}

struct turn channel_sent(struct comm *c, int to, int tag)
{
    uint32_t channel = lost ? 0 : channel_of(c, to, tag, LEDGER_CHANNEL_SEND);
    return (struct turn){channel, next_in(channel), 0};
}

/* The requests have a channel, too, which counts them: where its order is not known, nobody can
 * tell any more which two of them are a pair. */
struct turn channel_made(struct comm *c, int peer, int tag, bool received)
{
    enum { IN_PARTS = 1 };
    const unsigned kind = received ? LEDGER_CHANNEL_RECEIVE : LEDGER_CHANNEL_SEND;
    const uint64_t id = hash_mix(c->id, IN_PARTS);
    struct turn p = NO_TURN;
    uint32_t requests = lost ? 0 : used(channel_in(id, c, peer, tag, kind));
    uint32_t made = next_in(requests);
    if (requests)
        p.channel = channel_in(hash_mix(id, made + 1), c, peer, tag, kind);
    for (uint32_t i = made + 1; is_disordered(requests) && i > 0; i--) {
        uint32_t pair = channel_in(hash_mix(id, i), c, peer, tag, kind);
        if (!pair || is_disordered(pair))
            break;
        layer.ledger.channels[pair].flags |= LEDGER_CHANNEL_DISORDERED;
    }
    return p;
}

void channel_started(struct turn *p)
{
    p->ordinal = lost ? TURN_UNKNOWN : next_in(p->channel);
}

/* What has a place by now keeps it: no later message can take it. */
void channel_lose_order(struct comm *c)
{
    c->disordered = true;
}

void channels_lose_order(void)
{
    lost = true;
}

static uint32_t stand_in_line(struct comm *c, uint32_t channel)
{
    uint32_t i = line_free;
    if (i)
        line_free = line[i].next;
    else if (line_fresh < LINE)
        i = line_fresh++;
    if (!i)
        return 0;
    line[i] = (struct waiting){
        .comm_id = c->id, .channel = channel, .ordinal = TURN_UNKNOWN, .event = TURN_UNKNOWN};
    if (line_first)
        line[line_last].next = i;
    else
        line_first = i;
    line_last = i;
    return i;
}

static void release(uint32_t i)
{
    line[i].next = line_free;
    line_free = i;
}

static void settle(uint32_t event, uint32_t channel, uint32_t ordinal)
{
    struct ledger_event *e = &layer.ledger.events[event];
    e->ordinal = ordinal;
    e->message |= (uint64_t)channel << 48; /* which was 0 */
}

/* Those at the front whose channel is known have their places now. */
static void move_up(void)
{
    while (line_first && (line[line_first].channel || line[line_first].received)) {
        uint32_t i = line_first;
        struct waiting *w = &line[i];
        line_first = w->next;
        w->ordinal = next_in(w->channel);
        w->settled = true;
        if (w->received && w->event != TURN_UNKNOWN)
            settle(w->event, w->channel, w->ordinal);
        if (w->received)
            release(i);
    }
}

struct turn channel_posted(struct comm *c, int from, int tag)
{
    struct turn p = NO_TURN;
    bool exact = from != MPI_ANY_SOURCE && tag != MPI_ANY_TAG;
    if (exact && has_order(c))
        p.channel = channel_of(c, from, tag, LEDGER_CHANNEL_RECEIVE);
    if (exact && !line_first) {
        p.ordinal = next_in(p.channel);
    } else if (has_order(c) && (!exact || p.channel)) {
        p.waiting = stand_in_line(c, p.channel);
        if (!p.waiting)
            channel_lose_order(c);
    }
    return p;
}

struct turn channel_probed(struct comm *c, int from, int tag)
{
    struct turn p = NO_TURN;
    if (!line_first && has_order(c)) {
        p.channel = channel_of(c, from, tag, LEDGER_CHANNEL_RECEIVE);
        p.ordinal = p.channel ? layer.ledger.channels[p.channel].next : TURN_UNKNOWN;
    }
    return p;
}

struct turn channel_received(struct turn p, struct comm *c, int from, int tag)
{
    if (!p.waiting)
        return p;
    struct waiting *w = &line[p.waiting];
    if (!w->channel)
        w->channel = channel_of(c, from, tag, LEDGER_CHANNEL_RECEIVE);
    p.channel = w->channel;
    w->received = true;
    if (w->settled) {
        p.ordinal = w->ordinal;
        release(p.waiting);
        p.waiting = 0;
    } else if (line_first == p.waiting) {
        p.ordinal = w->channel ? layer.ledger.channels[w->channel].next : TURN_UNKNOWN;
        p.waiting = 0;
        move_up(); /* this one first */
    }
    return p;
}

void channel_tell(uint32_t waiting, uint32_t event)
{
    line[waiting].event = event;
}

/* A place that was given cannot be taken back, unless it was the last. */
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

static void leave_line(uint32_t i)
{
    uint32_t *link = &line_first, before = 0;
    while (*link != i) {
        before = *link;
        link = &line[before].next;
    }
    *link = line[i].next;
    if (line_last == i)
        line_last = before;
    release(i);
}

void channel_cancelled(struct turn p)
{
    if (!p.waiting) {
        if (p.ordinal != TURN_UNKNOWN)
            give_back(p.channel, p.ordinal);
    } else if (line[p.waiting].settled) {
        give_back(line[p.waiting].channel, line[p.waiting].ordinal);
        release(p.waiting);
    } else {
        leave_line(p.waiting);
        move_up();
    }
}

/* The channel has no order then. Of a wildcard nobody knows which one that is. */
void channel_lost(struct turn p)
{
    uint32_t channel = p.waiting ? line[p.waiting].channel : p.channel;
    if (channel)
        layer.ledger.channels[channel].flags |= LEDGER_CHANNEL_DISORDERED;
    else if (p.waiting)
        channels_lose_order();
}

uint32_t channel_of_collective(struct comm *c, uint64_t id, uint32_t operation, int root)
{
    return channel_in(id, c, root, (int)operation, LEDGER_CHANNEL_COLLECTIVE);
}
