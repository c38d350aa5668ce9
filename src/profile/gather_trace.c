/* Copies single calls, transport events and samples from a ledger. */
#include "profile/gather.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Sets the members of A that depend on its channel: for a message the peer, tag and ordinal; for a
 * collective the communicator. */
static void gather_channel(struct event *a, const struct ledger *l, const struct ledger_event *e)
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
    a->comm_size = comm->size;
    a->first_group_size = comm->first;
    a->tag = (int32_t)comm->rank;
    a->collective = (uint8_t)collective_kind(l->operations[c->tag].name);
}

static struct event event_of(struct gather *g, const struct ledger_event *e)
{
    struct event a = {.entry_ns = global_ns(g, e->entry_ticks),
                      .exit_ns = global_ns(g, e->entry_ticks + EVENT_DURATION(e)),
                      .posted_ns = global_ns(g, e->posted_ticks),
                      .bytes = EVENT_BYTES(e),
                      .rank = (uint32_t)g->h->rank,
                      .site = row_of(g, LEDGER_SITES, e->site),
                      .operation = operation_row(g, EVENT_OPERATION(e)),
                      .peer = TIMELINE_NONE,
                      .ordinal = TIMELINE_NONE,
                      .kind = EVENT_KIND(e),
                      .collective = COLLECTIVE_OTHER,
                      .thread = EVENT_THREAD(e),
                      .excluded = EVENT_EXCLUDED(e)};
    const char *name = g->p->operations.at[a.operation].name;
    a.synchronous = !strncmp(name, "MPI_Ssend", 9) || !strncmp(name, "MPI_Issend", 10);
    a.buffered = !strncmp(name, "MPI_Bsend", 9) || !strncmp(name, "MPI_Ibsend", 10);
    if (EVENT_CHANNEL(e))
        gather_channel(&a, g->l, e);
    return a;
}

static struct net net_of(struct gather *g, const struct ledger_event *e)
{
    bool in_call = e->posted_ticks != 0;
    return (struct net){.from_ns = global_ns(g, e->entry_ticks),
                        .to_ns = global_ns(g, e->entry_ticks + EVENT_DURATION(e)),
                        .call_entry_ns = in_call ? global_ns(g, e->posted_ticks) : NET_NO_CALL,
                        .bytes = EVENT_BYTES(e),
                        .rank = (uint32_t)g->h->rank,
                        .site = in_call ? row_of(g, LEDGER_SITES, e->site) : PROFILE_NONE,
                        .operation = in_call ? operation_row(g, EVENT_OPERATION(e)) : PROFILE_NONE,
                        .transfer = e->ordinal,
                        .kind = (uint8_t)(EVENT_KIND(e) - LEDGER_TRANSPORT),
                        .thread = EVENT_THREAD(e),
                        .completed_at_start = EVENT_CHANNEL(e)};
}

/* Adds the call, if any, that the rank had not left at its end, with the exit INT64_MAX: see
 * end_open_calls(). Not with several threads: which events are of the call's thread is unknown. */
static void gather_open(struct gather *g)
{
    const struct ledger_call *open = NULL;
    uint32_t threads = 0;
    for (uint32_t i = 0; i < count_of(g->l, LEDGER_CALLS); i++) {
        threads += g->l->calls[i].thread != 0;
        open = g->l->calls[i].since ? &g->l->calls[i] : open;
    }
    uint32_t operation = open ? operation_row(g, open->operation) : PROFILE_NONE;
    if (operation == PROFILE_NONE || threads != 1 || g->h->state == LEDGER_FINALIZED)
        return;
    int64_t entry = global_ns(g, open->since);
    *PUSH(&g->p->events) = (struct event){.entry_ns = entry,
                                          .exit_ns = INT64_MAX,
                                          .posted_ns = entry,
                                          .rank = (uint32_t)g->h->rank,
                                          .site = row_of(g, LEDGER_SITES, open->site),
                                          .operation = operation,
                                          .peer = TIMELINE_NONE,
                                          .ordinal = TIMELINE_NONE,
                                          .kind = EVENT_CALL,
                                          .collective = COLLECTIVE_OTHER};
    if (entry > g->p->trace.last_ns) /* the process lived at least until it entered the call */
        g->p->trace.last_ns = entry;
}

void gather_trace(struct gather *g)
{
    uint64_t end = g->h->last_ticks > g->h->pair[1].ticks ? g->h->last_ticks : g->h->pair[1].ticks;
    if (!g->h->traced)
        return;
    g->p->trace = (struct profile_trace){
        .on = true,
        .time_mask = g->h->time_mask,
        .first_ns = global_ns(g, g->h->pair[0].ticks),
        .last_ns = global_ns(g, end),
        .network = g->h->network < LEDGER_NETWORK_STATES ? g->h->network : 0};
    for (uint32_t i = 0; i < count_of(g->l, LEDGER_EVENTS); i++) {
        const struct ledger_event *e = &g->l->events[i];
        if (EVENT_KIND(e) < LEDGER_TRANSPORT)
            *PUSH(&g->p->events) = event_of(g, e);
        else
            *PUSH(&g->p->nets) = net_of(g, e);
    }
    gather_open(g);
    g->p->ranks.at[0].end_ns = g->p->trace.last_ns;
}

COMPARISON(longest_first, struct profile_sample, ORDER(y->ns, x->ns) ?: memcmp(x, y, sizeof *x))

static const char *why_not_sampled(int error)
{
    return error == EBUSY     ? "no signal is free"
           : error == ENODATA ? "--stack=0 records no call sites"
           : error == ENOSYS  ? "it needs x86-64"
                              : strerror(error);
}

/* Beyond the rank's share of PROFILE_MAX_SAMPLES the smallest rows lose their stack, and are
 * merged. */
void gather_samples(struct gather *g)
{
    const uint32_t n = count_of(g->l, LEDGER_SAMPLES), size = (uint32_t)g->h->size;
    const uint32_t most = PROFILE_MAX_SAMPLES / (size ? size : 1);
    struct profile_sample *row = memory_alloc((n + 1) * sizeof *row);
    for (uint32_t i = 0; i < n; i++) {
        const struct ledger_sample *from = &g->l->samples[i];
        row[i] = (struct profile_sample){.rank = (uint32_t)g->h->rank,
                                         .from_site = PROFILE_NONE,
                                         .from_operation = operation_row(g, from->from_operation),
                                         .site = row_of(g, LEDGER_SITES, from->site),
                                         .operation = operation_row(g, from->operation),
                                         .stack = PROFILE_NONE,
                                         .ns = from->n * LEDGER_SAMPLE_NS};
        if (row[i].from_operation != PROFILE_NONE)
            row[i].from_site = row_of(g, LEDGER_SITES, from->from_site);
        if (from->stack != LEDGER_NO_SITE)
            row[i].stack = row_of(g, LEDGER_SITES, from->stack);
    }
    qsort(row, n, sizeof *row, longest_first);
    for (uint32_t i = 0; i < n; i++) {
        row[i].stack = i < most ? row[i].stack : PROFILE_NONE;
        profile_add(g->p, TABLE_SAMPLES, &row[i]);
    }
    free(row);
    if (g->h->sample_error)
        profile_warn(g->p, PROFILE_NOT_SAMPLED ": %s (collprof-run(1))",
                     why_not_sampled((int)g->h->sample_error));
}
