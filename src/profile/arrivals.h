/* Collective instances, seen from all members at once. */
#ifndef COLLPROF_PROFILE_ARRIVALS_H
#define COLLPROF_PROFILE_ARRIVALS_H

#include "profile/profile.h"
#include "timeline/timeline.h"

/* Who has to wait for whom, where the time in the call itself is time waited: blocking operations.
 * COLLECTIVE_OTHER for the rest. */
enum collective_kind arrivals_kind(const struct profile *p, uint32_t operation);

#endif
