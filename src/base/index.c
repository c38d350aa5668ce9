#include "base/index.h"

#include <errno.h>
#include <stdlib.h>

enum { FIRST = 64 };

static struct index_table *table_new(uint64_t slots)
{
    struct index_table *t = calloc(1, sizeof *t + slots * sizeof *t->slot);
    if (t)
        t->mask = slots - 1;
    return t;
}

int index_start(struct index *x)
{
    x->used = 0;
    x->table = table_new(FIRST);
    return x->table ? 0 : ENOMEM;
}

/* Writes the value before the key: a concurrent reader that finds the key then reads its value. */
static void put(struct index *x, struct index_table *t, uint64_t key, uintptr_t value)
{
    uint64_t i = index_hash(key);
    while (t->slot[i & t->mask].key >= INDEX_LEAST_KEY)
        i++;
    struct index_slot *slot = &t->slot[i & t->mask];
    x->used += slot->key == 0;
    slot->value = value;
    __atomic_store_n(&slot->key, key, __ATOMIC_RELEASE);
}

/* Copies a table that is half full into a new one, without its removed keys. With KEEP_OLD another
 * thread may still read the old table, so it is not freed; the new one points to it, since
 * LeakSanitizer would otherwise report it as a leak of the application. All old tables together are
 * at most as large as the new one, unless keys were removed. */
static bool grow(struct index *x, bool keep_old)
{
    struct index_table *old = x->table;
    uint64_t live = 0;
    for (uint64_t i = 0; i <= old->mask; i++)
        live += old->slot[i].key >= INDEX_LEAST_KEY;
    struct index_table *t = table_new(live * 4 > old->mask ? 2 * (old->mask + 1) : old->mask + 1);
    if (!t)
        return false;
    x->used = 0;
    for (uint64_t i = 0; i <= old->mask; i++)
        if (old->slot[i].key >= INDEX_LEAST_KEY)
            put(x, t, old->slot[i].key, old->slot[i].value);
    t->old = keep_old ? old : NULL;
    __atomic_store_n(&x->table, t, __ATOMIC_RELEASE);
    if (!keep_old)
        free(old);
    return true;
}

bool index_put(struct index *x, uint64_t key, uintptr_t value, bool keep_old)
{
    /* Without memory for a larger table, fills 7/8 of this one: a search ends at an empty slot. */
    if (2 * x->used > x->table->mask && !grow(x, keep_old) && 8 * x->used > 7 * x->table->mask)
        return false;
    put(x, x->table, key, value);
    return true;
}

void index_remove(struct index *x, uint64_t key, uintptr_t value)
{
    struct index_table *t = x->table;
    for (uint64_t i = index_hash(key); t->slot[i & t->mask].key; i++) {
        struct index_slot *slot = &t->slot[i & t->mask];
        if (slot->key == key && slot->value == value) {
            __atomic_store_n(&slot->key, 1, __ATOMIC_RELEASE);
            return;
        }
    }
}
