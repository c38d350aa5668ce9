/* The number and bytes of this rank's messages by communicator, call site, peer and tag. */
#ifndef COLLPROF_RECORD_PEERS_H
#define COLLPROF_RECORD_PEERS_H

#include "base/hash.h"
#include "record/comms.h"

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

/* Counts one more message of BYTES, sent to or received from RANK on the communicator with TAG. */
static inline __attribute__((always_inline)) void message_count(struct comm *on, uint32_t site,
                                                                uint32_t operation, int rank,
                                                                int tag, bool received,
                                                                uint64_t bytes)
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
    if (LIKELY(!layer.threaded)) {
        m->n++;
        m->bytes += bytes;
    } else {
        __atomic_fetch_add(&m->n, 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(&m->bytes, bytes, __ATOMIC_RELAXED);
    }
}

#endif
