/* A growing hash table from 64-bit keys to values, fast enough for a look-up in each MPI call:
 * threads read it without a lock while one thread adds keys under a lock of the caller. Release by
 * free(x.table). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define INDEX_LEAST_KEY 2u /* key of an empty slot: 0; of a removed key: 1 */

struct index_table {
    uint64_t mask;
    struct index_table *old; /* the table that this one replaced; NULL: none, or it was freed */
    struct index_slot {
        uint64_t key;
        uintptr_t value;
    } slot[];
};

struct index {
    struct index_table *table;
    uint64_t used; /* nonempty slots, including removed ones */
};

/* Returns 0 or ENOMEM. */
int index_start(struct index *x);

/* Adds KEY, which must be new and at least INDEX_LEAST_KEY; false if there is no memory. KEEP_OLD:
 * does not free a replaced table, since another thread may be reading it. */
bool index_put(struct index *x, uint64_t key, uintptr_t value, bool keep_old);

/* Removes the entry with this KEY and VALUE, if there is one. */
void index_remove(struct index *x, uint64_t key, uintptr_t value);

static inline uint64_t index_hash(uint64_t key)
{
    key *= 0x9e3779b97f4a7c15ull;
    return key ^ key >> 32;
}

/* The value of KEY; 0 if there is none. */
static inline uintptr_t index_find(const struct index *x, uint64_t key)
{
    const struct index_table *t = __atomic_load_n(&x->table, __ATOMIC_ACQUIRE);
    for (uint64_t i = index_hash(key);; i++) {
        const struct index_slot *slot = &t->slot[i & t->mask];
        uint64_t there = __atomic_load_n(&slot->key, __ATOMIC_ACQUIRE);
        if (__builtin_expect(there == key, 1))
            return slot->value;
        if (there == 0)
            return 0;
    }
}
