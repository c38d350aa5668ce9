/* Benchmark mode in two parts: benchmark.c decides which calls are measured, when and for how long;
 * benchmark_measure.c measures. */
#ifndef COLLPROF_INJECT_BENCHMARK_H
#define COLLPROF_INJECT_BENCHMARK_H

#include "inject/injection.h"

/* LATER: the call that is measured besides the first one, when caches and connections are warm and
 * it is known how the ranks arrive. */
enum { ARRIVALS = 8, LATER = ARRIVALS };

/* The calls that are measured alike, and when this rank entered the last ones. */
struct signature {
    unsigned operation;
    int root;
    uint64_t bytes, calls;
    double entered[ARRIVALS]; /* global seconds, of the last ones: call k's at k % ARRIVALS */
};

/* Takes the methods of LIST, comma-separated names or "all"; false: there are none. */
bool benchmark_choose(const char *list);

/* Measures the collective that all members of a communicator are about to call, in about SHARE
 * seconds, and adds a finding. Collective; a method that one member has no memory for is left out
 * by all. */
void benchmark_broadcast(const struct collective *c, const struct signature *g, double share);
void benchmark_replica(const struct collective *c, const struct signature *g,
                       const struct replica_kind *kind, double share);

#endif
