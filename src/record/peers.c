#include "record/peers.h"

struct ledger_messages *messages_add(uint64_t key, const struct ledger_messages *row)
{
    return layer_row(&layer.messages, key, LEDGER_MESSAGES, row);
}

struct ledger_peer *peers_add(uint64_t key)
{
    return layer_row(&layer.peers, key, LEDGER_PEERS,
                     &(struct ledger_peer){.site = key >> 42 & 0x1fffff,
                                           .operation = key >> 32 & 0x3ff,
                                           .peer = key >> 1 & 0x7fffffff,
                                           .received = key & 1});
}

void peers_reset(void)
{
    struct ledger_table *t = &layer.ledger.header->section[LEDGER_PEERS];
    for (uint32_t i = 0; i < t->count; i++)
        layer.ledger.peers[i].messages = layer.ledger.peers[i].bytes = 0;
    t->dropped = 0;
}
