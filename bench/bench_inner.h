/* Between the parts of the bench floor; programs include bench.h. */
#ifndef COLLPROF_BENCH_INNER_H
#define COLLPROF_BENCH_INNER_H

#include "bench.h"
#include "config.h"

/* With --yield among ARGV: starts the program again with the yielding library loaded, once;
 * returns if that is done, not asked for, or impossible. Call before MPI_Init. */
void bench_yield(int argc, char **argv);

/* Whether the yielding library is at work in this process. */
bool bench_yields(void);

#endif
