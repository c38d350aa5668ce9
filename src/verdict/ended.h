/* What is wrong with the calls of a run that ended well nevertheless. */
#ifndef COLLPROF_VERDICT_ENDED_H
#define COLLPROF_VERDICT_ENDED_H

#include "profile/profile.h"

/* Adds findings of kind "verdict" {"kind", "text", "ranks"} to P, which has its call sites' names
 * and what all ranks have recorded. "mismatch": each pair of call sites whose collectives were one,
 * but did not agree on the operation, root, number of bytes, datatype or reduction. Where all calls
 * were seen, also "missing": a member has called fewer collectives than another; "unmatched":
 * messages that were never received, and requests that were never completed. */
void verdict_of_ended(struct profile *p);

#endif
