#include "record/entries.h"

#include <string.h>

/* The last entries are reserved for calls that find the table full: one for each operation, without
 * site and communicator, so that totals stay correct. */
enum { RESERVED = 64 };

static bool has_room(uint32_t wanted)
{
    const struct ledger_table *t = &layer.ledger.header->section[LEDGER_ENTRIES];
    return t->count + wanted <= t->capacity;
}

static struct ledger_entry *fill(uint64_t key)
{
    struct ledger_header *h = layer.ledger.header;
    uint32_t count = h->section[LEDGER_ENTRIES].count;
    struct ledger_entry *e = &layer.ledger.entries[count];
    e->site = key >> 35 & 0xfffffff;
    e->operation = key >> 25 & 0x3ff;
    e->comm = key >> 14 & 0x7ff;
    e->region = key >> 7 & 0x7f;
    e->size_class = key & 0x7f;
    e->min_ns = UINT64_MAX;
    __atomic_store_n(&h->section[LEDGER_ENTRIES].count, count + 1, __ATOMIC_RELEASE);
    index_put(&layer.entries, key, (uintptr_t)e, layer.threaded);
    return e;
}

/* Finds or adds the entry of KEY. */
static struct ledger_entry *find_or_fill(uint64_t key, uint32_t room_wanted)
{
    struct ledger_entry *e = (struct ledger_entry *)index_find(&layer.entries, key);
    return e || !has_room(room_wanted) ? e : fill(key);
}

struct ledger_entry *entries_add(uint64_t key)
{
    pthread_mutex_lock(&layer.lock);
    if (!has_room(1 + RESERVED))
        ledger_extend(&layer.ledger, LEDGER_ENTRIES);
    struct ledger_entry *e = find_or_fill(key, 1 + RESERVED);
    if (!e) {
        layer.ledger.header->section[LEDGER_ENTRIES].dropped++;
        e = find_or_fill(entry_key(LEDGER_NO_SITE, key >> 25 & 0x3ff, LEDGER_NO_COMM, 0, 0), 1);
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
