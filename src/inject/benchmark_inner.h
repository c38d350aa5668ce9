/* Inside of benchmark mode: benchmark.c says which calls are measured, when and for how long;
 * benchmark_measure.c does it. */
#ifndef COLLPROF_INJECT_BENCHMARK_INNER_H
#define COLLPROF_INJECT_BENCHMARK_INNER_H

#include "inject/again.h"
#include "inject/list.h"

/* LATER: the call that is measured besides the first one, when caches and connections are warm and
 * it is known how the ranks arrive. */
enum { ARRIVALS = 8, LATER = ARRIVALS };

/* What a call to be benchmarked is known by, and when this rank came to it. */
struct signature {
    unsigned operation;
    int root;
    uint64_t bytes, calls;
    bool due;                 /* this call is to be measured before */
    double entered[ARRIVALS]; /* global seconds, of the last ones: call k's at k % ARRIVALS */
};

/* Takes the methods of LIST, names with commas between, or "all"; false: there are none. */
bool benchmark_choose(const char *list);

/* Measures what all members of a communicator are about to call, in some SHARE seconds, and gives
 * what was found to the profile. Collective; what one member lacks, all leave out. */
void benchmark_broadcast(const struct collective *c, const struct signature *g, double share);
void benchmark_again(const struct collective *c, const struct signature *g,
                     const struct again_kind *kind, double share);

/* The same of an operation that was only started; whether there is a way to. */
bool benchmark_can_start(unsigned operation);
void benchmark_started(struct shadow *s, const struct started *w, double share);

#endif
