/* Collective instances, seen from all members at once. */
#ifndef COLLPROF_PROFILE_ARRIVALS_H
#define COLLPROF_PROFILE_ARRIVALS_H

#include "profile/model.h"

/* Who has to wait for whom. */
enum collective_kind {
    COLLECTIVE_ALL,       /* everyone for the last to enter */
    COLLECTIVE_FROM_ROOT, /* everyone for the root */
    COLLECTIVE_TO_ROOT,   /* the root for the last */
    COLLECTIVE_PREFIX,    /* everyone for the ranks before */
    COLLECTIVE_OTHER      /* not known, or nobody (non-blocking ones) */
};

enum collective_kind collective_kind(const char *operation);

#endif
