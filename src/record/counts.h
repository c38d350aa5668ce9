/* Counters of calls and of messages, and the log of collectives: sections ENTRIES, MESSAGES and
 * INSTANCES of the ledger. */
#pragma once

#include "base/hash.h"
#include "record/comms.h"

/* Adds the entry of KEY and returns it. If the table is full, returns the operation's entry without
 * site and communicator, so that totals stay correct; NULL if there is no room for this either. */
struct ledger_entry *entries_add(uint64_t key);

/* An entry's key: site (28 bits), operation (10), communicator (11), region (7), size class (7). */
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

/* Counts a call without its time. The caller holds the entry's lock; entry_calls() needs none. */
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

/* Counts a call. */
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

/* Notes in the header that counts of messages by communicator and tag are incomplete. */
void messages_lose(void);

/* Adds ROW unless its messages_key() exists; returns the element. NULL, with a count of the loss,
 * if the table is full. Once it is half full, a new element counts all communicators and tags. */
struct ledger_messages *messages_add(const struct ledger_messages *row);

static inline uint64_t messages_key(const struct ledger_messages *row)
{
    const uint64_t ends = (uint64_t)row->peer << 33 | (uint64_t)row->received << 32,
                   call = (uint64_t)row->site << 32 | row->operation;
    return hash_mix(hash_mix(row->comm_id, ends | (uint32_t)row->tag), call) | INDEX_LEAST_KEY;
}

/* Counts a message of BYTES that was sent to, or RECEIVED from, RANK on the communicator ON.
 * SIGNATURE: LEDGER_SIGNATURE() of its datatype. */
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
    const uint32_t type = bytes ? ledger_type_bit(signature) : 0; /* no data: matches any type */
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

/* Logs a collective, if ledger_is_sampled(). When the log is full, half of it is dropped and half
 * as many of later collectives are kept: the same ones on all ranks. */
void instance_add(const struct ledger_instance *i);
