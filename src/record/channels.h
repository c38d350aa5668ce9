/* The ordinal of a message in its channel (communicator, sender, receiver, tag). MPI's order rule:
 * the k-th send of a channel matches its k-th receive in the order of posting. Sender and receiver
 * count separately, over the whole run; only with --trace.
 *
 * The channel of a receive with a wildcard is known only when it completes. Until then, receives
 * that were posted after it have no ordinals and wait in a queue behind it. */
#pragma once

#include "record/comms.h"

#define TURN_UNKNOWN UINT32_MAX

#define NO_TURN ((struct turn){0, TURN_UNKNOWN, 0})

/* The 1-based index of this thread among the traced threads. */
uint32_t channels_new_thread(void);
static inline uint32_t channels_thread(void)
{
    return LIKELY(thread.number) ? thread.number : channels_new_thread();
}

/* A critical section for assigning ordinals and writing events: threads of the application, and of
 * the MPI library, may do so concurrently. */
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

struct turn channel_sent(struct comm *c, int to, int tag);

/* A receive is posted: FROM and TAG may be wildcards. */
struct turn channel_posted(struct comm *c, int from, int tag);

/* A probe found a message from FROM with TAG: the next matching receive will receive it. */
struct turn channel_probed(struct comm *c, int from, int tag);

/* The order of messages can no longer be determined, since it is unknown which message one receive
 * got: their ordinals are unknown from here on. */
void channels_lose_order(void);

/* Receive P got a message from FROM with TAG. Returns P with its ordinal, or still waiting. */
struct turn channel_received(struct turn p, struct comm *c, int from, int tag);

/* Receive P was cancelled. */
void channel_cancelled(struct turn p);

/* Stores the ordinal of the receive WAITING in the event with index EVENT, as soon as the ordinal
 * is known. EVENT TURN_UNKNOWN: in no event any more. */
void channel_store_ordinal(uint32_t waiting, uint32_t event);

/* The channel of the collectives OPERATION with ROOT (-1: none) and identity ID on C. ID is that of
 * the communicator, or of a persistent collective. */
uint32_t channel_of_collective(struct comm *c, uint64_t id, uint32_t operation, int root);
