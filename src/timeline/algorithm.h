/* Which algorithm a collective operation used, from the number and size of the messages that each
 * rank sent and received in it. Pure functions. */
#pragma once

#include "timeline/network.h"

/* Puts the names of all algorithms whose messages are those of SEEN into NAME, "ring or linear":
 * small numbers of ranks do not distinguish all. Empty if none is known. OPERATION: MPI's name.
 * ROOT: a rank of the communicator. BYTES: the whole message of a broadcast or a reduction,
 * otherwise a rank's block. */
enum { ALGORITHM_NAME = 160 };
void algorithm_find(const char *operation, size_t ranks, size_t root, uint64_t bytes,
                    const struct traffic *seen, char name[ALGORITHM_NAME]);

/* The blocking collectives of one operation, size and algorithm. */
struct algorithm_row {
    uint32_t operation, ranks;
    uint64_t bytes, calls;
    bool silent;               /* no rank sent a message: shared memory, or an unseen transport */
    char name[ALGORITHM_NAME]; /* empty: unknown */
};

/* All of them, for free(); *N_ROWS is their number. NAMES: of operations, by EVENTS.operation.
 * EVENTS: N events of MPI in any order. TIME_MASK: that of the trace, see timeline_thinner();
 * collectives in progress at the end of a window are left out. */
struct algorithm_row *algorithms_find(const struct event *events, size_t n,
                                      const struct net_traffic *traffic, uint64_t time_mask,
                                      const char *const *names, size_t *n_rows);
