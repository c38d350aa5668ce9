/* Which broadcasts of a stream are acknowledged, and by whom: the same on all members without a
 * message, from what they have in common. A stream is the broadcasts of one size from one root on
 * one communicator; STREAM is its identity. No MPI. */
#ifndef COLLPROF_INJECT_ACK_PLAN_H
#define COLLPROF_INJECT_ACK_PLAN_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the stream's broadcast NUMBER (from 0) is acknowledged: one of EVERY, at a random
 * position among them. EVERY: at least 1. */
bool ack_is_chosen(uint64_t stream, uint64_t number, uint64_t every);

/* The member that acknowledges the stream's TURN-th acknowledged broadcast: in SIZE - 1 turns each
 * but ROOT once, from another one on in each round. */
int ack_destination(uint64_t stream, int size, int root, uint64_t turn);

#endif
