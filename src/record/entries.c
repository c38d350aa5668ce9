#include "record/entries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct entry_index entry_index;

/* The last entries are kept for calls that find the table full: one per operation, without site
 * and communicator, so that totals stay right. */
enum { RESERVED = 64 };

int entries_start(void)
{
    uint64_t slots = 64;
    while (slots < 2ull * layer.ledger.header->section[LEDGER_ENTRIES].capacity)
        slots *= 2;
    entry_index.slot = calloc(slots, sizeof *entry_index.slot);
    entry_index.mask = slots - 1;
    return entry_index.slot ? 0 : ENOMEM;
}

static struct entry_slot *slot_of(uint64_t key)
{
    uint64_t i = entry_hash(key);
    while (entry_index.slot[i & entry_index.mask].key != key &&
           entry_index.slot[i & entry_index.mask].key != 0)
        i++;
    return &entry_index.slot[i & entry_index.mask];
}

static struct ledger_entry *fill(struct entry_slot *slot, uint64_t key)
{
    struct ledger_header *h = layer.ledger.header;
    uint32_t count = h->section[LEDGER_ENTRIES].count;
    struct ledger_entry *e = &layer.ledger.entries[count];
    memset(e, 0, sizeof *e);
    e->site = key >> 35 & 0xffff;
    e->operation = key >> 25 & 0x3ff;
    e->comm = key >> 14 & 0x7ff;
    e->region = key >> 7 & 0x7f;
    e->size_class = key & 0x7f;
    e->min_ns = UINT64_MAX;
    __atomic_store_n(&h->section[LEDGER_ENTRIES].count, count + 1, __ATOMIC_RELEASE);
    slot->entry = e;
    __atomic_store_n(&slot->key, key, __ATOMIC_RELEASE);
    return e;
}

struct ledger_entry *entries_add(uint64_t key)
{
    pthread_mutex_lock(&layer.lock);
    uint32_t count = layer.ledger.header->section[LEDGER_ENTRIES].count;
    uint32_t capacity = layer.ledger.header->section[LEDGER_ENTRIES].capacity;
    struct entry_slot *slot = slot_of(key);
    struct ledger_entry *e = slot->key ? slot->entry : NULL;
    if (!e && count + RESERVED < capacity) {
        e = fill(slot, key);
    } else if (!e) {
        layer.ledger.header->section[LEDGER_ENTRIES].dropped++;
        key = entry_key(LEDGER_NO_SITE, key >> 25 & 0x3ff, LEDGER_NO_COMM, 0, 0);
        slot = slot_of(key);
        e = slot->key ? slot->entry : count < capacity ? fill(slot, key) : NULL;
    }
    pthread_mutex_unlock(&layer.lock);
    return e;
}

void entries_reset(void)
{
    pthread_mutex_lock(&layer.lock);
    struct ledger_header *h = layer.ledger.header;
    for (uint32_t i = 0; i < h->section[LEDGER_ENTRIES].count; i++) {
        struct ledger_entry *e = &layer.ledger.entries[i];
        spin_lock(&e->lock);
        memset(&e->calls, 0, sizeof *e - offsetof(struct ledger_entry, calls));
        e->min_ns = UINT64_MAX;
        spin_unlock(&e->lock);
    }
    h->section[LEDGER_ENTRIES].dropped = 0;
    h->section[LEDGER_INSTANCES].count = 0;
    h->section[LEDGER_INSTANCES].dropped = 0;
    pthread_mutex_unlock(&layer.lock);
}
