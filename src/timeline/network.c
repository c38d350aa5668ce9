#include "timeline/network.h"

#include "base/hash.h"

#include <math.h>
#include <stdlib.h>

static uint64_t hash_of(uint32_t rank, uint64_t of_rank)
{
    return hash_mix(hash_mix(HASH_START, rank), of_rank);
}

static void add_start(struct net_traffic *t, const struct net *e)
{
    const uint64_t hash = hash_of(e->rank, (uint64_t)e->call_entry_ns);
    const double bytes = e->bytes == TRANSPORT_UNKNOWN_BYTES ? NAN : (double)e->bytes;
    const uint32_t at = lookup_find(&t->of_call, hash);
    if (at == UINT32_MAX)
        lookup_add(&t->of_call, hash, t->list.n);
    struct traffic *x = at == UINT32_MAX ? PUSH(&t->list) : &t->list.at[at];
    if (e->kind == TRANSPORT_SEND) {
        x->sends++;
        x->sent_bytes += bytes;
    } else {
        x->receives++;
        x->received_bytes += bytes;
    }
}

struct net_traffic net_traffic_of(const struct net *net, size_t m)
{
    struct net_traffic t = {0};
    for (size_t i = 0; i < m; i++)
        if (net[i].kind == TRANSPORT_SEND || net[i].kind == TRANSPORT_RECEIVE)
            add_start(&t, &net[i]);
    return t;
}

void net_traffic_free(struct net_traffic *t)
{
    free(t->list.at);
    free(t->of_call.table);
}

struct traffic net_traffic_at(const struct net_traffic *t, uint32_t rank, int64_t entry_ns)
{
    const uint32_t at = lookup_find(&t->of_call, hash_of(rank, (uint64_t)entry_ns));
    return at == UINT32_MAX ? (struct traffic){0} : t->list.at[at];
}

bool net_is_cut_off(const struct event *a, uint64_t time_mask)
{
    const uint64_t width = time_mask & -time_mask;
    return width &&
           ((uint64_t)a->exit_ns & time_mask || (uint64_t)(a->exit_ns - a->entry_ns) >= width);
}

uint64_t net_sends_seen(const struct net_traffic *t, const struct event *events, size_t n)
{
    uint64_t seen = 0;
    for (size_t i = 0; i < n; i++)
        if ((events[i].kind == EVENT_SEND || events[i].kind == EVENT_POST) &&
            event_is_numbered(&events[i]))
            seen += net_traffic_at(t, events[i].rank, events[i].entry_ns).sends > 0;
    return seen;
}
