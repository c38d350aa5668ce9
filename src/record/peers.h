/* The communication matrix of this rank: messages and bytes by call site and peer. */
#ifndef COLLPROF_RECORD_PEERS_H
#define COLLPROF_RECORD_PEERS_H

#include "record/comms.h"

/* Returns 0 or an errno. */
int peers_start(void);

/* Forgets all counts (MPI_Pcontrol(2)). */
void peers_reset(void);

/* NULL if there is no room, which is counted. */
struct ledger_peer *peers_add(uint64_t key);

/* 21 bits of site, 10 of operation, 31 of the peer's world rank, 1 for the direction. */
static inline uint64_t peer_key(uint32_t site, uint32_t operation, uint32_t peer, bool received)
{
    return 1ull << 63 | (uint64_t)(site & 0x1fffff) << 42 | (uint64_t)operation << 32 |
           (uint64_t)peer << 1 | received;
}

/* One more message of BYTES, sent to or received from the world rank PEER. */
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

#endif
