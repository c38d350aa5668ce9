/* What a ledger has of single calls and of the transport under them. */
#include "profile/gather.h"

#include <string.h>

/* The other end, as far as the channel tells it. */
static void gather_channel(struct act *a, const struct ledger *l, const struct ledger_event *e)
{
    const struct ledger_channel *c = &l->channels[EVENT_CHANNEL(e)];
    const struct ledger_comm *comm = &l->comms[c->comm];
    a->peer = c->peer_world;
    a->comm_id = c->comm_id;
    if (!(c->flags & LEDGER_CHANNEL_DISORDERED))
        a->ordinal = e->ordinal;
    if (c->kind != LEDGER_CHANNEL_COLLECTIVE) {
        a->tag = c->tag;
        return;
    }
    a->members = comm->size;
    a->first = comm->first;
    a->tag = (int32_t)comm->rank;
    a->collective = (uint8_t)collective_kind(l->operations[c->tag].name);
}

static struct act act_of(struct profile *p, const struct ledger *l, struct maps *m,
                         const struct ledger_event *e, double rate)
{
    const struct ledger_header *h = l->header;
    struct act a = {.entry_ns = global_ns(h, e->entry_ticks, rate),
                    .exit_ns = global_ns(h, e->entry_ticks + EVENT_DURATION(e), rate),
                    .posted_ns = global_ns(h, e->posted_ticks, rate),
                    .bytes = EVENT_BYTES(e),
                    .rank = (uint32_t)h->rank,
                    .site = mapped(m->site, e->site, l, LEDGER_SITES),
                    .operation = operation_of(p, l, m, EVENT_OPERATION(e)),
                    .peer = TIMELINE_NONE,
                    .ordinal = TIMELINE_NONE,
                    .kind = EVENT_KIND(e),
                    .collective = COLLECTIVE_OTHER,
                    .thread = EVENT_THREAD(e),
                    .apart = EVENT_APART(e)};
    const char *name = p->operations.at[a.operation].name;
    a.synchronous = !strncmp(name, "MPI_Ssend", 9) || !strncmp(name, "MPI_Issend", 10);
    if (EVENT_CHANNEL(e))
        gather_channel(&a, l, e);
    return a;
}

static struct net net_of(struct profile *p, const struct ledger *l, struct maps *m,
                         const struct ledger_event *e, double rate)
{
    const struct ledger_header *h = l->header;
    bool in_call = e->posted_ticks != 0;
    return (struct net){.from_ns = global_ns(h, e->entry_ticks, rate),
                        .to_ns = global_ns(h, e->entry_ticks + EVENT_DURATION(e), rate),
                        .call_ns = in_call ? global_ns(h, e->posted_ticks, rate) : NET_NO_CALL,
                        .bytes = EVENT_BYTES(e),
                        .rank = (uint32_t)h->rank,
                        .site = in_call ? mapped(m->site, e->site, l, LEDGER_SITES) : PROFILE_NONE,
                        .operation =
                            in_call ? operation_of(p, l, m, EVENT_OPERATION(e)) : PROFILE_NONE,
                        .number = e->ordinal,
                        .kind = (uint8_t)(EVENT_KIND(e) - LEDGER_TRANSPORT),
                        .thread = EVENT_THREAD(e),
                        .at_once = EVENT_CHANNEL(e),
                        .apart = EVENT_APART(e)};
}

/* The call that the rank stands in, without an end: see trace_find(). Of several threads nobody can
 * tell whose lane it is in. */
static void gather_open(struct profile *p, const struct ledger *l, struct maps *m, double rate)
{
    const struct ledger_header *h = l->header;
    const struct ledger_call *open = NULL;
    uint32_t threads = 0;
    for (uint32_t i = 0; i < count_of(l, LEDGER_CALLS); i++) {
        threads += l->calls[i].thread != 0;
        open = l->calls[i].since ? &l->calls[i] : open;
    }
    uint32_t operation = open ? operation_of(p, l, m, open->operation) : PROFILE_NONE;
    if (operation == PROFILE_NONE || threads != 1 || h->state == LEDGER_FINALIZED)
        return;
    int64_t entry = global_ns(h, open->since, rate);
    *PUSH(&p->acts) = (struct act){.entry_ns = entry,
                                   .exit_ns = INT64_MAX,
                                   .posted_ns = entry,
                                   .rank = (uint32_t)h->rank,
                                   .site = mapped(m->site, open->site, l, LEDGER_SITES),
                                   .operation = operation,
                                   .peer = TIMELINE_NONE,
                                   .ordinal = TIMELINE_NONE,
                                   .kind = ACT_CALL,
                                   .collective = COLLECTIVE_OTHER};
    if (entry > p->trace.last_ns) /* it lived to enter it */
        p->trace.last_ns = entry;
}

void gather_trace(struct profile *p, const struct ledger *l, struct maps *m, double rate)
{
    const struct ledger_header *h = l->header;
    uint64_t end = h->last_ticks > h->pair[1].ticks ? h->last_ticks : h->pair[1].ticks;
    if (!h->traced)
        return;
    p->trace =
        (struct profile_trace){.on = true,
                               .time_mask = h->time_mask,
                               .first_ns = global_ns(h, h->pair[0].ticks, rate),
                               .last_ns = global_ns(h, end, rate),
                               .network = h->network < LEDGER_NETWORK_STATES ? h->network : 0,
                               .outside_polls = h->outside_polls,
                               .outside_empty = h->outside_empty};
    for (uint32_t i = 0; i < count_of(l, LEDGER_EVENTS); i++) {
        const struct ledger_event *e = &l->events[i];
        if (EVENT_KIND(e) < LEDGER_TRANSPORT)
            *PUSH(&p->acts) = act_of(p, l, m, e, rate);
        else
            *PUSH(&p->nets) = net_of(p, l, m, e, rate);
    }
    gather_open(p, l, m, rate);
}
