/* The tables of collbench-pairs: matrices, hierarchy, and a summary by relation. */
#ifndef COLLPROF_PAIRS_TELL_H
#define COLLPROF_PAIRS_TELL_H

#include "document/document.h"
#include "measure/pairs/data.h"

/* What stands out by FACTOR, as a table; returns how much. */
size_t pairs_tell_suspects(const struct pairs *p, double factor, struct document *d);

void pairs_tell(const struct pairs *p, struct document *d, enum format format);

#endif
