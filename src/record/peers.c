#include "record/peers.h"

int peers_start(void)
{
    return index_start(&layer.peers);
}

static uint64_t key_of(const struct ledger_peer *p)
{
    return peer_key(p->site, p->operation, p->peer, p->received);
}

struct ledger_peer *peers_add(uint64_t key)
{
    pthread_mutex_lock(&layer.lock);
    struct ledger_table *t = &layer.ledger.header->section[LEDGER_PEERS];
    struct ledger_peer *p = (struct ledger_peer *)index_find(&layer.peers, key);
    if (!p && ledger_grow(&layer.ledger, LEDGER_PEERS)) {
        p = &layer.ledger.peers[t->count];
        *p = (struct ledger_peer){.site = key >> 42 & 0x1fffff,
                                  .operation = key >> 32 & 0x3ff,
                                  .peer = key >> 1 & 0x7fffffff,
                                  .received = key & 1};
        __atomic_store_n(&t->count, t->count + 1, __ATOMIC_RELEASE);
        index_put(&layer.peers, key, (uintptr_t)p, layer.threaded);
    }
    t->dropped += p == NULL;
    pthread_mutex_unlock(&layer.lock);
    return p;
}

/* The last one takes the place of one that is added to another. */
void peers_leave(const bool *sites)
{
    struct ledger_table *t = &layer.ledger.header->section[LEDGER_PEERS];
    for (uint32_t i = t->count; i-- > 0;) {
        struct ledger_peer *p = &layer.ledger.peers[i], *last = &layer.ledger.peers[t->count - 1];
        if (!sites[p->site])
            continue;
        index_remove(&layer.peers, key_of(p), (uintptr_t)p);
        p->site = LEDGER_NO_SITE;
        struct ledger_peer *to = (struct ledger_peer *)index_find(&layer.peers, key_of(p));
        if (to) {
            to->messages += p->messages;
            to->bytes += p->bytes;
            index_remove(&layer.peers, key_of(last), (uintptr_t)last);
            *p = *last;
            t->count--;
        }
        if (!to || p != last)
            index_put(&layer.peers, key_of(p), (uintptr_t)p, layer.threaded);
    }
}

void peers_reset(void)
{
    struct ledger_table *t = &layer.ledger.header->section[LEDGER_PEERS];
    for (uint32_t i = 0; i < t->count; i++)
        layer.ledger.peers[i].messages = layer.ledger.peers[i].bytes = 0;
    t->dropped = 0;
}
