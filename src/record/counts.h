/* Where calls are counted: entries by site, operation, communicator, size class and region;
 * messages by communicator, call site, peer and tag; and the log of collective instances, of
 * limited size and thinned by the same rule on all ranks. */
#pragma once

#include "base/hash.h"
#include "record/comms.h"

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
static inline void entry_called(struct ledger_entry *e, uint64_t bytes, bool failed)
{
    __atomic_store_n(&e->calls, e->calls + 1, __ATOMIC_RELAXED);
    e->errors += failed;
    e->bytes += bytes;
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
    entry_called(e, bytes, failed);
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

/* From here on, counts by communicator and tag are incomplete. */
void messages_lose(void);

/* The row that has ROW's key, made if there is none. Once half of the table is full, new rows are
 * for any communicator and tag. NULL, with a count of the loss, if there is no room. */
struct ledger_messages *messages_add(const struct ledger_messages *row);

static inline uint64_t messages_key(const struct ledger_messages *row)
{
    const uint64_t ends = (uint64_t)row->peer << 33 | (uint64_t)row->received << 32,
                   call = (uint64_t)row->site << 32 | row->operation;
    return hash_mix(hash_mix(row->comm_id, ends | (uint32_t)row->tag), call) | INDEX_LEAST_KEY;
}

/* Counts one more message of BYTES, sent to or received from RANK on the communicator with TAG.
 * SIGNATURE: its datatype. */
static inline __attribute__((always_inline)) void message_count(struct comm *on, uint32_t site,
                                                                uint32_t operation, int rank,
                                                                int tag, bool received,
                                                                uint64_t bytes, uint32_t signature)
{
    const struct ledger_messages row = {.comm_id = on->id,
                                        .peer = comm_world_rank(on, rank),
                                        .tag = tag,
                                        .received = received,
                                        .site = site,
                                        .operation = operation};
    struct ledger_messages *m =
        (struct ledger_messages *)index_find(&layer.messages, messages_key(&row));
    if (UNLIKELY(!m))
        m = messages_add(&row);
    if (UNLIKELY(!m))
        return;
    const uint32_t type = bytes ? ledger_type_bit(signature) : 0; /* empty: matches any datatype */
    if (UNLIKELY(type & ~__atomic_load_n(&m->types, __ATOMIC_RELAXED)))
        __atomic_fetch_or(&m->types, type, __ATOMIC_RELAXED);
    if (LIKELY(!layer.threaded)) {
        m->n++;
        m->bytes += bytes;
    } else {
        __atomic_fetch_add(&m->n, 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(&m->bytes, bytes, __ATOMIC_RELAXED);
    }
}

/* Logs the instance if the sampling rule keeps it. When the log is full, the sample is halved.
 * ledger_is_sampled() uses only data that ranks share, so the remaining instances match on all
 * ranks. */
void instance_add(const struct ledger_instance *i);
