/* What is wrong with the calls of a run that went on nevertheless. */
#ifndef COLLPROF_VERDICT_ENDED_H
#define COLLPROF_VERDICT_ENDED_H

#include "profile/profile.h"

/* Adds to P, which has its call sites' names and the events of all ranks, a finding of kind
 * "verdict" {"kind": "mismatch", "text", "ranks"} for each pair of call sites whose collectives
 * were one, but did not agree on the operation, the root or the number of bytes. */
void verdict_of_ended(struct profile *p);

#endif
