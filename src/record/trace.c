#include "record/trace.h"
#include "record/network.h"

#include <string.h>

static void add(struct call *c, enum act_kind kind, uint64_t bytes, uint64_t posted, struct turn p)
{
    c->traced = true;
    event_add(c, kind, bytes, posted, p);
}

void trace_left(const struct call *c, struct ledger_entry *e)
{
    if (!c->traced) {
        trace_begin();
        event_add(c, ACT_CALL, 0, c->entry, NO_TURN);
        trace_end();
    }
    network_polled(e);
}

/* How many ranks a collective of a topology needs, each by itself; 0: all of what it is. */
static int neighbours_of(struct comm *on, uint32_t operation)
{
    const char *name = layer.ledger.operations[operation].name;
    if (LIKELY(strncmp(name, "MPI_Neighbor", 12) && strncmp(name, "MPI_Ineighbor", 13)))
        return 0;
    if (!on->sources)
        comm_find_sources(on);
    return on->n_sources;
}

void trace_collective_posted(struct comm *on, struct request *r)
{
    trace_begin();
    int root = neighbours_of(on, r->operation) ? *on->sources : r->root;
    r->turn.channel = channel_of_collective(on, r->comm_id, r->operation, root);
    trace_end();
}

/* The first of its neighbours has an event: the others, as each request of a Waitall has one. */
static void add_neighbours(struct call *c, enum act_kind kind, uint64_t bytes, uint64_t posted,
                           struct comm *on, uint64_t id, uint32_t operation, uint32_t sequence)
{
    for (int i = 1, n = neighbours_of(on, operation); i < n; i++)
        add(c, kind, bytes, posted,
            (struct turn){channel_of_collective(on, id, operation, on->sources[i]), sequence, 0});
}

void trace_sent(struct call *c, struct comm *on, int to, int tag, uint64_t bytes)
{
    trace_begin();
    add(c, ACT_SEND, bytes, c->entry, channel_sent(on, to, tag));
    trace_end();
}

void trace_received(struct call *c, struct comm *on, const MPI_Status *status, uint64_t bytes,
                    const struct request *probed)
{
    trace_begin();
    int from = status->MPI_SOURCE, tag = status->MPI_TAG;
    struct turn p = probed ? probed->turn : channel_posted(on, from, tag);
    add(c, ACT_RECEIVED, bytes, c->entry, channel_received(p, on, from, tag));
    trace_end();
}

void trace_made(struct comm *on, struct request *r)
{
    trace_begin();
    r->turn = channel_made(on, r->peer, r->tag, r->kind & REQUEST_RECV);
    trace_end();
}

void trace_ready(struct call *c, const struct request *r)
{
    trace_begin();
    add(c, ACT_POST, r->bytes, c->entry, r->turn);
    trace_end();
}

void trace_posted(struct call *c, struct comm *on, struct request *r)
{
    trace_begin();
    if (r->kind & REQUEST_PARTITIONED) {
        channel_started(&r->turn);
    } else if (r->kind & REQUEST_RECV) {
        r->turn = channel_posted(on, r->peer, r->tag);
    } else {
        r->turn = channel_sent(on, r->peer, r->tag);
        add(c, ACT_POST, r->bytes, c->entry, r->turn);
    }
    trace_end();
}

void trace_completed(struct call *c, struct comm *on, struct request *r, const MPI_Status *status,
                     uint64_t bytes, bool cancelled)
{
    trace_begin();
    if (r->kind & REQUEST_COLLECTIVE) {
        r->turn.ordinal = r->sequence;
        add(c, ACT_COLLECTED, bytes, r->post_entry, r->turn);
        if (on)
            add_neighbours(c, ACT_COLLECTED, bytes, r->post_entry, on, r->comm_id, r->operation,
                           r->sequence);
    } else if (cancelled) {
        channel_cancelled(r->turn);
    } else if (!(r->kind & REQUEST_RECV)) {
        add(c, ACT_SENT, bytes, r->post_entry, r->turn);
    } else if (on && status) {
        add(c, ACT_RECEIVED, bytes, r->post_entry,
            channel_received(r->turn, on, status->MPI_SOURCE, status->MPI_TAG));
    }
    trace_end();
}

void trace_lost(const struct request *r)
{
    trace_begin();
    channel_lost(r->turn);
    trace_end();
}

void trace_probed(struct call *c, struct comm *on, const MPI_Status *status, struct request *kept)
{
    trace_begin();
    int from = status->MPI_SOURCE, tag = status->MPI_TAG;
    struct turn p = kept ? channel_posted(on, from, tag) : channel_probed(on, from, tag);
    if (kept)
        kept->turn = p;
    if (p.waiting)
        p = NO_TURN;
    add(c, ACT_PROBED, 0, c->entry, p);
    trace_end();
}

void trace_collective(struct call *c, struct comm *on, uint32_t sequence, int root, uint64_t bytes)
{
    trace_begin();
    if (neighbours_of(on, c->operation))
        root = *on->sources;
    struct turn p = {channel_of_collective(on, on->id, c->operation, root), sequence, 0};
    add(c, ACT_COLLECTIVE, bytes, c->entry, p);
    add_neighbours(c, ACT_COLLECTIVE, bytes, c->entry, on, on->id, c->operation, sequence);
    trace_end();
}
