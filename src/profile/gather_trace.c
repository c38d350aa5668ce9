/* What a ledger has of single calls and of the transport under them. */
#include "profile/gather.h"

#include <string.h>

/* The other end, as far as the channel tells it. */
static void gather_channel(struct act *a, const struct ledger *l, const struct ledger_event *e)
{
    const struct ledger_channel *c = &l->channels[e->channel];
    const struct ledger_comm *comm = &l->comms[c->comm];
    a->peer = c->peer_world;
    a->comm_id = c->comm_id;
    if (!(c->flags & LEDGER_CHANNEL_DISORDERED))
        a->ordinal = e->ordinal;
    if (c->kind != LEDGER_CHANNEL_COLLECTIVE) {
        a->tag = c->tag;
        return;
    }
    /* Of an intercommunicator, who waits for whom is not worked out. */
    a->members = comm->flags & LEDGER_COMM_INTER ? 0 : comm->size;
    a->tag = (int32_t)comm->rank;
    a->collective = (uint8_t)collective_kind(l->operations[c->tag].name);
}

static struct act act_of(struct profile *p, const struct ledger *l, struct maps *m,
                         const struct ledger_event *e, double rate)
{
    const struct ledger_header *h = l->header;
    struct act a = {.entry_ns = global_ns(h, e->entry_ticks, rate),
                    .exit_ns = global_ns(h, e->entry_ticks + e->duration, rate),
                    .posted_ns = global_ns(h, e->posted_ticks, rate),
                    .bytes = e->bytes,
                    .rank = (uint32_t)h->rank,
                    .site = mapped(m->site, e->site, l, LEDGER_SITES),
                    .operation = operation_of(p, l, m, e->operation),
                    .peer = TIMELINE_NONE,
                    .ordinal = TIMELINE_NONE,
                    .kind = e->kind,
                    .collective = COLLECTIVE_OTHER,
                    .thread = e->thread,
                    .apart = e->apart};
    const char *name = p->operations.at[a.operation].name;
    a.synchronous = !strncmp(name, "MPI_Ssend", 9) || !strncmp(name, "MPI_Issend", 10);
    if (e->channel)
        gather_channel(&a, l, e);
    return a;
}

static struct net net_of(struct profile *p, const struct ledger *l, struct maps *m,
                         const struct ledger_network *e, double rate)
{
    const struct ledger_header *h = l->header;
    bool in_call = e->call_ticks != 0;
    return (struct net){.from_ns = global_ns(h, e->from_ticks, rate),
                        .to_ns = global_ns(h, e->from_ticks + e->duration, rate),
                        .call_ns = in_call ? global_ns(h, e->call_ticks, rate) : NET_NO_CALL,
                        .bytes = e->bytes,
                        .rank = (uint32_t)h->rank,
                        .site = in_call ? mapped(m->site, e->site, l, LEDGER_SITES) : PROFILE_NONE,
                        .operation = in_call ? operation_of(p, l, m, e->operation) : PROFILE_NONE,
                        .number = e->number,
                        .kind = e->kind,
                        .thread = e->thread,
                        .at_once = e->flags & LEDGER_NETWORK_AT_ONCE,
                        .apart = e->flags & LEDGER_NETWORK_APART};
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
    for (uint32_t i = 0; i < count_of(l, LEDGER_EVENTS); i++)
        *PUSH(&p->acts) = act_of(p, l, m, &l->events[i], rate);
    for (uint32_t i = 0; i < count_of(l, LEDGER_NETWORK); i++)
        *PUSH(&p->nets) = net_of(p, l, m, &l->network[i], rate);
}
