/* The path of broadcasts, into tables of a document and a file for Graphviz. Only on rank 0. */
#ifndef COLLPROF_BENCH_BCAST_PATH_H
#define COLLPROF_BENCH_BCAST_PATH_H

#include "bench.h"
#include "measure/latency/discover.h"

struct paths;

/* DOT: a file; NULL: none. */
struct paths *paths_new(struct document *d, const char *dot);
void paths_add(struct paths *t, const struct bench_point *p, const struct discovery *discovery);
/* Frees T. False, with a reason, if DOT could not be written. */
bool paths_end(struct paths *t);

#endif
