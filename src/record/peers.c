#include "record/peers.h"

void messages_lose(void)
{
    __atomic_store_n(&layer.ledger.header->messages_lost, 1, __ATOMIC_RELAXED);
}

struct ledger_messages *messages_add(const struct ledger_messages *row)
{
    const struct ledger_table *t = &layer.ledger.header->section[LEDGER_MESSAGES];
    struct ledger_messages made = *row;
    if (t->count >= t->limit / 2) {
        made.comm_id = 0;
        made.tag = MPI_ANY_TAG;
        messages_lose();
    }
    const uint64_t key = messages_key(&made);
    void *there = (void *)index_find(&layer.messages, key);
    return there ? there : layer_row(&layer.messages, key, LEDGER_MESSAGES, &made);
}
