/* Which broadcasts of a stream are acknowledged, and by whom: the same on all members without a
 * word, from what they have in common. A stream is the broadcasts of one size from one root on one
 * communicator. No MPI. */
#ifndef COLLPROF_INJECT_ACK_PLAN_H
#define COLLPROF_INJECT_ACK_PLAN_H

#include <stdint.h>

/* The root makes one and tells the others, again and again over the run. */
struct ack_plan {
    uint64_t first; /* number, in the stream, of the first broadcast that it is for */
    uint32_t every; /* one of so many is acknowledged, at a random place among them */
    uint32_t count; /* acknowledged ones, then the next plan */
};

/* A hash of both. */
uint64_t ack_mix(uint64_t a, uint64_t b);

/* The number of the plan's K-th acknowledged broadcast. */
uint64_t ack_number(const struct ack_plan *plan, uint64_t stream, uint32_t k);

/* Who acknowledges the stream's TURN-th acknowledged broadcast: in SIZE - 1 turns everybody but
 * ROOT once, in an order that is new each time. */
int ack_destination(uint64_t stream, int size, int root, uint64_t turn);

/* One of how many broadcasts may be acknowledged, if each takes COST seconds, the stream has one
 * every PERIOD seconds, and SHARE of the time may be taken. At least 1. */
uint32_t ack_every(double cost, double period, double share);

#endif
