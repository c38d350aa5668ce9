/* Errors in the calls of a run that nevertheless continued. */
#ifndef COLLPROF_VERDICT_ENDED_H
#define COLLPROF_VERDICT_ENDED_H

#include "profile/profile.h"

/* Adds findings of kind "verdict" {"kind": "mismatch", "text", "ranks"} to P, which has its call
 * sites' names and the events of all ranks: one for each pair of call sites whose calls formed one
 * collective but disagreed on the operation, the root or the number of bytes. */
void verdict_of_ended(struct profile *p);

#endif
