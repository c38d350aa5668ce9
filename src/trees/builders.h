/* What the files that define broadcasts share. */
#ifndef COLLPROF_TREES_BUILDERS_H
#define COLLPROF_TREES_BUILDERS_H

#include "base/names.h"
#include "trees/bcast.h"
#include "trees/schedule.h"

#define DECLARE_TREE(symbol, name, how) extern const struct bcast tree_##symbol;
BCASTS(DECLARE_TREE)

/* Each to the nearest that is left, one child each: what "chain" is where latencies are known. */
bool build_chain(const struct graph *g, struct schedule *s);

#endif
