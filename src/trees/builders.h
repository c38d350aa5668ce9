/* The algorithms behind schedule_builders[]: each sets parent and order. */
#ifndef COLLPROF_TREES_BUILDERS_H
#define COLLPROF_TREES_BUILDERS_H

#include "trees/schedule.h"

bool build_paper(const struct graph *g, struct schedule *s);
bool build_earliest(const struct graph *g, struct schedule *s);
bool build_look_ahead(const struct graph *g, struct schedule *s);
bool build_sites(const struct graph *g, struct schedule *s);
bool build_sites_binary(const struct graph *g, struct schedule *s);
bool build_chain(const struct graph *g, struct schedule *s);
bool build_binary(const struct graph *g, struct schedule *s);
bool build_fastest_first(const struct graph *g, struct schedule *s);
bool build_binomial(const struct graph *g, struct schedule *s);
bool build_flat(const struct graph *g, struct schedule *s);
bool build_exhaustive(const struct graph *g, struct schedule *s);
bool build_grid(const struct graph *g, struct schedule *s);

enum { EXHAUSTIVE_MAX = 12 };

#endif
