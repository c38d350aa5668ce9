/* The steps of timeline_find(), for the files of src/timeline alone. */
#ifndef COLLPROF_TIMELINE_TIMELINE_INNER_H
#define COLLPROF_TIMELINE_TIMELINE_INNER_H

#include "timeline/timeline.h"

#include <stdlib.h>

/* The place of its message in its channel is known. */
static inline bool act_is_numbered(const struct act *a)
{
    return a->comm_id && a->ordinal != TIMELINE_NONE && a->peer != TIMELINE_NONE;
}

/* Fills t->partner and counts. */
void match_messages(struct timeline *t, const struct act *act, size_t n, int64_t error_ns);

/* Fills t->cause: of messages, then of collectives. */
void cause_of_collectives(struct timeline *t, const struct act *act, size_t n);

#endif
