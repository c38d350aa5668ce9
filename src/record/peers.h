/* This rank's communication matrix: messages and bytes by call site and peer. */
#ifndef COLLPROF_RECORD_PEERS_H
#define COLLPROF_RECORD_PEERS_H

#include "base/hash.h"
#include "record/comms.h"

/* Clears all counts (MPI_Pcontrol(2)). */
void peers_reset(void);

/* NULL, with a count of the loss, if there is no room. */
struct ledger_peer *peers_add(uint64_t key);

/* 21 bits of site, 10 of operation, 31 of the peer's world rank, 1 for the direction. */
static inline uint64_t peer_key(uint32_t site, uint32_t operation, uint32_t peer, bool received)
{
    return 1ull << 63 | (uint64_t)(site & 0x1fffff) << 42 | (uint64_t)operation << 32 |
           (uint64_t)peer << 1 | received;
}

/* Counts one more message of BYTES, sent to or received from the world rank PEER. */
static inline void peer_count(uint32_t site, uint32_t operation, uint32_t peer, bool received,
                              uint64_t bytes)
{
    uint64_t key = peer_key(site, operation, peer, received);
    struct ledger_peer *p = (struct ledger_peer *)index_find(&layer.peers, key);
    if (UNLIKELY(!p))
        p = peers_add(key);
    if (UNLIKELY(!p))
        return;
    if (LIKELY(!layer.threaded)) {
        p->messages++;
        p->bytes += bytes;
    } else {
        __atomic_fetch_add(&p->messages, 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(&p->bytes, bytes, __ATOMIC_RELAXED);
    }
}

/* From here on not all messages are counted by channel. */
static inline void messages_lose(void)
{
    __atomic_fetch_add(&layer.ledger.header->section[LEDGER_MESSAGES].dropped, 1, __ATOMIC_RELAXED);
}

/* NULL if there is no room; then messages_lose() is called. */
struct ledger_messages *messages_add(uint64_t key, const struct ledger_messages *row);

/* Counts one more message on the communicator, sent to or received from the world rank PEER with
 * TAG. */
static inline void message_on(const struct comm *on, uint32_t site, uint32_t peer, int tag,
                              bool received)
{
    if (UNLIKELY(__atomic_load_n(&layer.ledger.header->section[LEDGER_MESSAGES].dropped,
                                 __ATOMIC_RELAXED)))
        return;
    const uint64_t what = (uint64_t)peer << 33 | (uint64_t)received << 32 | (uint32_t)tag,
                   key = hash_mix(on->id, what) | INDEX_LEAST_KEY;
    struct ledger_messages *m = (struct ledger_messages *)index_find(&layer.messages, key);
    if (UNLIKELY(!m))
        m = messages_add(
            key,
            &(struct ledger_messages){
                .comm_id = on->id, .peer = peer, .tag = tag, .received = received, .site = site});
    if (UNLIKELY(!m))
        return;
    if (LIKELY(!layer.threaded))
        m->n++;
    else
        __atomic_fetch_add(&m->n, 1, __ATOMIC_RELAXED);
}

/* Also counts it by call site; it has BYTES, with RANK on the communicator. */
static inline __attribute__((always_inline)) void message_count(struct comm *on, uint32_t site,
                                                                uint32_t operation, int rank,
                                                                int tag, bool received,
                                                                uint64_t bytes)
{
    uint32_t peer = comm_world_rank(on, rank);
    peer_count(site, operation, peer, received, bytes);
    message_on(on, site, peer, tag, received);
}

#endif
