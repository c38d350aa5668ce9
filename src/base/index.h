/* A map from 64-bit keys to values, fast enough for a look-up in every MPI call: one thread may
 * read without a lock while another adds. It grows as needed. Release it by free(x.table). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define INDEX_LEAST_KEY 2u /* 0: an empty slot, 1: a removed key */

struct index_table {
    uint64_t mask;
    struct index_table *old; /* the table before it, if that was kept */
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

/* Adds KEY, which must be new. KEEP_OLD: another thread may be reading. False without memory: KEY
 * was not added. */
bool index_put(struct index *x, uint64_t key, uintptr_t value, bool keep_old);

/* Removes KEY if its value is VALUE. */
void index_remove(struct index *x, uint64_t key, uintptr_t value);

static inline uint64_t index_hash(uint64_t key)
{
    key *= 0x9e3779b97f4a7c15ull;
    return key ^ key >> 32;
}

/* 0 if KEY is not in it. */
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
