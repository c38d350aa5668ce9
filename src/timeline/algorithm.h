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
