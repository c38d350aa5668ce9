/* With --trace: numbers messages, so that sends and receives of different ranks can be matched. MPI
 * guarantees that the k-th send on a channel (communicator, sender, receiver, tag) matches the k-th
 * receive posted there. K is the message's ordinal, which sender and receiver each count.
 *
 * The channel of a receive with a wildcard is known only when it completes. Until then it stands in
 * a queue, with all receives posted after it: none of them has an ordinal yet. */
#pragma once

#include "record/comms.h"

#define TURN_UNKNOWN UINT32_MAX

#define NO_TURN ((struct turn){0, TURN_UNKNOWN, 0}) /* a message without channel and ordinal */

/* The number of this thread among the traced threads, from 1. */
uint32_t channels_new_thread(void);
static inline uint32_t channels_thread(void)
{
    return LIKELY(thread.number) ? thread.number : channels_new_thread();
}

/* Enters the critical section in which ordinals are assigned and events written. With several
 * threads it is a lock; the functions below must be called within it. */
static inline void trace_begin(void)
{
    thread.tracing = true;
    spin_lock_if(layer.shared_trace, &layer.trace_lock);
}

static inline void trace_end(void)
{
    spin_unlock_if(layer.shared_trace, &layer.trace_lock);
    thread.tracing = false;
}

/* A send on communicator C to rank TO: returns its channel and ordinal. */
struct turn channel_sent(struct comm *c, int to, int tag);

/* A posted receive; FROM and TAG may be wildcards. Returns channel and ordinal, or turn.waiting. */
struct turn channel_posted(struct comm *c, int from, int tag);

/* A probe that has found a message from FROM with TAG. Returns the message's ordinal if no receives
 * are queued, so that the next matching receive gets this message; otherwise NO_TURN. */
struct turn channel_probed(struct comm *c, int from, int tag);

/* To be called when it is unknown which message a receive got: all further ordinals are unknown. */
void channels_lose_order(void);

/* Receive P got a message from FROM with TAG. Returns P with its ordinal, if this is known now. */
struct turn channel_received(struct turn p, struct comm *c, int from, int tag);

/* Receive P was cancelled. */
void channel_cancelled(struct turn p);

/* Makes the queue write the ordinal of its receive WAITING into the event with index EVENT, as soon
 * as the ordinal is known. TURN_UNKNOWN: this receive's event was dropped. */
void channel_store_ordinal(uint32_t waiting, uint32_t event);

/* The channel of C's collectives of the kind OPERATION with ROOT (-1: none). ID: the comm_id of a
 * ledger_instance or of a persistent request. */
uint32_t channel_of_collective(struct comm *c, uint64_t id, uint32_t operation, int root);
