/* The place of a message in its channel, which is (communicator, sender, receiver, tag): by MPI's
 * order rule the k-th send of a channel is its k-th receive in the order of posting. Each side
 * counts for itself, over the whole run; only with --trace.
 *
 * A receive with a wildcard is known to be of a channel when it completes. While one is open, those
 * that were posted after it do not know their places yet, and wait in line with it. */
#ifndef COLLPROF_RECORD_CHANNELS_H
#define COLLPROF_RECORD_CHANNELS_H

#include "record/comms.h"

#define TURN_UNKNOWN UINT32_MAX

struct turn {
    uint32_t channel; /* index in the ledger; 0: none, or the table was full */
    uint32_t ordinal; /* TURN_UNKNOWN */
    uint32_t waiting; /* its number in the line; 0: it does not stand there */
};
#define NO_TURN ((struct turn){0, TURN_UNKNOWN, 0})

/* The number of this thread among those that are traced, from 1. */
uint32_t channels_new_thread(void);
static inline uint32_t channels_thread(void)
{
    return LIKELY(thread.number) ? thread.number : channels_new_thread();
}

/* Places are given and taken, and events are written, between these two: threads of the application
 * may do so at once, and MPI's own. */
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

/* A message FROM there with TAG is seen, which the next receive that matches it will bring. */
struct turn channel_probed(struct comm *c, int from, int tag);

/* Nobody can tell any more which message a receive on C brings: their places are unknown from
 * here on. */
void channel_lose_order(struct comm *c);

/* Some messages were not seen: all places are unknown from here on. */
void channels_lose_order(void);

/* It has brought a message FROM there with TAG. The place is complete then, or still waiting. */
struct turn channel_received(struct turn p, struct comm *c, int from, int tag);

/* It was cancelled, or what it receives will never be known. */
void channel_cancelled(struct turn p);
void channel_lost(struct turn p);

/* A place that still waits belongs to the event with this index (TURN_UNKNOWN: to none any more),
 * which has it as soon as it is known. */
void channel_tell(uint32_t waiting, uint32_t event);

/* The channel of the collectives called ID on a communicator (its own, or that of one that is made
 * once and started often) that are this OPERATION with this ROOT (-1: none). */
uint32_t channel_of_collective(struct comm *c, uint64_t id, uint32_t operation, int root);

#endif
