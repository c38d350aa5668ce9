/* Counters by site, operation, communicator, size class and region. */
#ifndef COLLPROF_RECORD_ENTRIES_H
#define COLLPROF_RECORD_ENTRIES_H

#include "record/layer.h"

/* Adds the entry; NULL, with a count of the loss, if the table is full. */
struct ledger_entry *entries_add(uint64_t key);

/* 28 bits of site, 10 of operation, 11 of communicator, 7 of region, 7 of size class. */
static inline uint64_t entry_key(uint32_t site, uint32_t operation, uint32_t comm, uint32_t region,
                                 unsigned size_class)
{
    return 1ull << 63 | (uint64_t)site << 35 | (uint64_t)operation << 25 | (uint64_t)comm << 14 |
           (uint64_t)region << 7 | size_class;
}

static inline struct ledger_entry *entry_of(uint64_t key)
{
    struct ledger_entry *e = (struct ledger_entry *)index_find(&layer.entries, key);
    return LIKELY(e != NULL) ? e : entries_add(key);
}

/* Adds one call. The writer holds the entry's lock; readers of the count need none. */
static inline void entry_called(struct ledger_entry *e)
{
    __atomic_store_n(&e->calls, e->calls + 1, __ATOMIC_RELAXED);
}

static inline uint64_t entry_calls(const struct ledger_entry *e)
{
    return __atomic_load_n(&e->calls, __ATOMIC_RELAXED);
}

/* Counts one more call of DURATION. */
static inline void entry_count(struct ledger_entry *e, uint64_t duration_ns, uint64_t bytes,
                               bool failed)
{
    spin_lock(&e->lock);
    entry_called(e);
    e->errors += failed;
    e->bytes += bytes;
    e->time_ns += duration_ns;
    if (duration_ns < e->min_ns)
        e->min_ns = duration_ns;
    if (duration_ns > e->max_ns)
        e->max_ns = duration_ns;
    uint32_t *bucket = &e->histogram[histogram_bucket(duration_ns)];
    if (LIKELY(*bucket != UINT32_MAX))
        ++*bucket;
    spin_unlock(&e->lock);
}

#endif
