#include "record/peers.h"

int peers_start(void)
{
    return index_start(&layer.peers) ?: index_start(&layer.messages);
}

struct ledger_messages *messages_add(uint64_t key, const struct ledger_messages *row)
{
    pthread_mutex_lock(&layer.lock);
    struct ledger_table *t = &layer.ledger.header->section[LEDGER_MESSAGES];
    struct ledger_messages *m = (struct ledger_messages *)index_find(&layer.messages, key);
    if (!m && ledger_grow(&layer.ledger, LEDGER_MESSAGES)) {
        m = &layer.ledger.messages[t->count];
        *m = *row;
        __atomic_store_n(&t->count, t->count + 1, __ATOMIC_RELEASE);
        index_put(&layer.messages, key, (uintptr_t)m, layer.threaded);
    }
    if (!m)
        messages_lose();
    pthread_mutex_unlock(&layer.lock);
    return m;
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

void peers_reset(void)
{
    struct ledger_table *t = &layer.ledger.header->section[LEDGER_PEERS];
    for (uint32_t i = 0; i < t->count; i++)
        layer.ledger.peers[i].messages = layer.ledger.peers[i].bytes = 0;
    t->dropped = 0;
}
