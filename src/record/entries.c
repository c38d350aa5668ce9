#include "record/entries.h"

/* The last entries are reserved for calls that find the table full: one for each operation, without
 * site and communicator, so that totals stay correct. */
enum { RESERVED = 64 };

/* Whether there is room for one more that is not reserved. */
static bool make_room(void)
{
    const struct ledger_table *t = &layer.ledger.header->section[LEDGER_ENTRIES];
    pthread_mutex_lock(&layer.lock);
    bool room = t->count + RESERVED < t->capacity ||
                (ledger_extend(&layer.ledger, LEDGER_ENTRIES) && t->count + RESERVED < t->capacity);
    layer.ledger.header->section[LEDGER_ENTRIES].dropped += !room;
    pthread_mutex_unlock(&layer.lock);
    return room;
}

struct ledger_entry *entries_add(uint64_t key)
{
    if (!make_room())
        key = entry_key(LEDGER_NO_SITE, key >> 25 & 0x3ff, LEDGER_NO_COMM, 0, 0);
    return layer_row(&layer.entries, key, LEDGER_ENTRIES,
                     &(struct ledger_entry){.site = key >> 35 & 0xfffffff,
                                            .operation = key >> 25 & 0x3ff,
                                            .comm = key >> 14 & 0x7ff,
                                            .region = key >> 7 & 0x7f,
                                            .size_class = key & 0x7f,
                                            .min_ns = UINT64_MAX});
}
