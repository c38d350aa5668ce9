/* The tables of collbench-pairs: matrices, hierarchy, and a summary by relation. */
#ifndef COLLPROF_PAIRS_TELL_H
#define COLLPROF_PAIRS_TELL_H

#include "measure/pairs/data.h"
#include "results/document.h"

void pairs_tell(const struct pairs *p, struct document *d, enum format format);

#endif
