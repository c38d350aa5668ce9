#include "record/trace.h"
#include "record/network.h"

static void add(struct call *c, enum act_kind kind, uint64_t bytes, uint64_t posted, struct turn p)
{
    c->traced = true;
    event_add(c, kind, bytes, posted, p);
}

void trace_left(const struct call *c, struct ledger_entry *e)
{
    if (!c->traced)
        event_add(c, ACT_CALL, 0, c->entry, NO_TURN);
    network_polled(e);
}

void trace_sent(struct call *c, struct comm *on, int to, int tag, uint64_t bytes)
{
    add(c, ACT_SEND, bytes, c->entry, channel_sent(on, to, tag));
}

void trace_received(struct call *c, struct comm *on, const MPI_Status *status, uint64_t bytes,
                    const struct request *probed)
{
    int from = status->MPI_SOURCE, tag = status->MPI_TAG;
    struct turn p = probed ? probed->turn : channel_posted(on, from, tag);
    add(c, ACT_RECEIVED, bytes, c->entry, channel_received(p, on, from, tag));
}

void trace_posted(struct call *c, struct comm *on, struct request *r)
{
    if (r->kind & REQUEST_RECV) {
        r->turn = channel_posted(on, r->peer, r->tag);
    } else {
        r->turn = channel_sent(on, r->peer, r->tag);
        add(c, ACT_POST, r->bytes, c->entry, r->turn);
    }
}

void trace_completed(struct call *c, struct comm *on, struct request *r, const MPI_Status *status,
                     uint64_t bytes, bool cancelled)
{
    if (r->kind & REQUEST_COLLECTIVE) {
        r->turn.ordinal = r->sequence;
        add(c, ACT_COLLECTED, bytes, r->post_entry, r->turn);
    } else if (cancelled) {
        channel_cancelled(r->turn);
    } else if (!(r->kind & REQUEST_RECV)) {
        add(c, ACT_SENT, bytes, r->post_entry, r->turn);
    } else if (on && status) {
        add(c, ACT_RECEIVED, bytes, r->post_entry,
            channel_received(r->turn, on, status->MPI_SOURCE, status->MPI_TAG));
    }
}

void trace_probed(struct call *c, struct comm *on, const MPI_Status *status, struct request *kept)
{
    int from = status->MPI_SOURCE, tag = status->MPI_TAG;
    struct turn p = kept ? channel_posted(on, from, tag) : channel_probed(on, from, tag);
    if (kept)
        kept->turn = p;
    if (p.waiting)
        p = NO_TURN;
    add(c, ACT_PROBED, 0, c->entry, p);
}

void trace_collective(struct call *c, struct comm *on, uint32_t sequence, int root, uint64_t bytes)
{
    struct turn p = {channel_of_collective(on, c->operation, root), sequence, 0};
    add(c, ACT_COLLECTIVE, bytes, c->entry, p);
}
