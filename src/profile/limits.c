/* Merges profiles, and limits tables that grow with the length of the run. Rows are removed by
 * rules that depend on the rows alone, so that the order of merging does not matter. */
#include "profile/model.h"

#include <stdlib.h>

/* Removes the rows of LIST for which the expression TEST, about the row R, is false. */
#define KEEP(list, r, test)                                                                        \
    do {                                                                                           \
        size_t kept = 0;                                                                           \
        for (size_t i = 0; i < (list)->n; i++) {                                                   \
            const __typeof__((list)->at) r = &(list)->at[i];                                       \
            if (test)                                                                              \
                (list)->at[kept++] = *r;                                                           \
        }                                                                                          \
        (list)->n = kept;                                                                          \
    } while (0)

static bool is_sampled(const struct profile_instance *e, uint32_t mask)
{
    return ledger_is_sampled(e->comm_id, e->sequence, e->spared, mask);
}

/* Each rank has sampled with its own mask. p->sample_mask is the bitwise or of all masks, so that
 * the same instances of all ranks are left. */
void profile_thin_instances(struct profile *p, uint32_t limit)
{
    KEEP(&p->instances, e, is_sampled(e, p->sample_mask));
    while (p->instances.n > limit && p->sample_mask != UINT32_MAX) {
        p->sample_mask = p->sample_mask << 1 | 1;
        KEEP(&p->instances, e, is_sampled(e, p->sample_mask));
    }
    if (p->instances.n > limit) { /* even one instance of each communicator is too many */
        table_sort(p, TABLE_INSTANCES);
        p->instances.n = limit;
    }
}

static void keep_windows(struct profile *p)
{
    KEEP(&p->events, a, !((uint64_t)a->entry_ns & p->trace.time_mask));
    KEEP(&p->nets, e, !((uint64_t)e->from_ns & p->trace.time_mask));
}

void profile_thin_trace(struct profile *p, size_t limit)
{
    if (!p->events.n && !p->nets.n)
        return;
    keep_windows(p); /* only the windows that all ranks have recorded */
    while (p->events.n + p->nets.n > limit && !(p->trace.time_mask & 1)) {
        p->trace.time_mask =
            timeline_thinner(p->trace.time_mask, (uint64_t)(p->trace.last_ns - p->trace.first_ns));
        keep_windows(p);
    }
}

COMPARISON(heaviest_first, struct profile_peer,
           ORDER(y->bytes, x->bytes) ?: ORDER(x->rank, y->rank) ?: ORDER(x->peer, y->peer)
               ?: ORDER(x->received, y->received))

void profile_limit_peers(struct profile *p, size_t limit)
{
    if (p->peers.n <= limit)
        return;
    struct profile *pairs = profile_new();
    for (size_t i = 0; i < p->peers.n; i++) {
        p->peers.at[i].site = p->peers.at[i].operation = PROFILE_NONE;
        profile_add(pairs, TABLE_PEERS, &p->peers.at[i]);
    }
    p->peers.n = pairs->peers.n;
    memcpy(p->peers.at, pairs->peers.at, pairs->peers.n * sizeof *p->peers.at);
    profile_free(pairs);
    if (p->peers.n > limit)
        qsort(p->peers.at, p->peers.n, sizeof *p->peers.at, heaviest_first);
    for (; p->peers.n > limit; p->peers.n--)
        p->peers_dropped += p->peers.at[p->peers.n - 1].messages;
    table_sort(p, TABLE_PEERS);
    profile_reindex(p);
}

void profile_limit_balances(struct profile *p, size_t limit)
{
    if (p->balances.n <= limit)
        return;
    KEEP(&p->balances, b, b->sent != b->received || profile_wrong_types(b));
    /* If more than half of LIMIT rows are left, merging the next ranks would exceed LIMIT. */
    p->unbalanced = p->unbalanced || p->balances.n > limit / 2;
    p->balances.n = p->unbalanced ? 0 : p->balances.n;
    profile_reindex(p);
}

void profile_merge(struct profile *into, struct profile *from)
{
    const bool several = into->ranks.n;
    profile_append(into, from);
    profile_free(from);
    if (!several) /* a single rank's ledger is limited when written */
        return;
    profile_thin_instances(into, PROFILE_MAX_INSTANCES);
    profile_thin_trace(into, PROFILE_MAX_EVENTS);
    profile_limit_peers(into, PROFILE_MAX_PEERS);
    profile_limit_balances(into, PROFILE_MAX_BALANCES);
}
