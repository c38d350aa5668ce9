/* What finding differences (differences.c) and putting them into order (causes.c) share. */
#ifndef COLLPROF_COMPARE_DIFFERENCES_INNER_H
#define COLLPROF_COMPARE_DIFFERENCES_INNER_H

#include "compare/differences.h"

static inline bool same_sign(const struct difference *x, const struct difference *y)
{
    return (x->change > 0) == (y->change > 0);
}

/* Of rows whose certainty is known; says which follow from which. */
void differences_put_in_order(struct differences *d);

#endif
