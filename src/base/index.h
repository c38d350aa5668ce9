/* A growing hash table from 64-bit keys to values, for a look-up in each MPI call: a thread may
 * read it without a lock while another thread, with the caller's lock, adds. Release by
 * free(x.table). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define INDEX_LEAST_KEY 2u /* 0: an empty slot, 1: a removed key */

struct index_table {
    uint64_t mask;
    struct index_table *old; /* the smaller table that this one replaced; NULL: freed, or none */
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

/* Adds KEY, which must be new and at least INDEX_LEAST_KEY. KEEP_OLD: another thread may be
 * reading. False if there is no memory: then KEY was not added. */
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
