/* Between the parts of the bench floor; programs include bench.h. */
#ifndef COLLPROF_BENCH_INNER_H
#define COLLPROF_BENCH_INNER_H

#include "bench.h"

#include "base/status.h"
#include "config.h"

/* Sets "NAME=NUMBER", a control variable of the library, after MPI_Init. Why not; NULL: it is set.
 */
const char *cvar_set(const char *assignment);

/* What was set, as facts. */
void cvar_facts(struct document *d);

/* What bench_disturbed() finds is of the time from here on. */
void bench_watch(void);

/* Collective, at the end: how long a rank was without a processor, as a fact of D, rank 0's. */
void bench_judge(const struct bench *b, struct document *d);

/* Nothing is kept any more (bench_keep()): all is SAVED, or there was a reason why not. */
void bench_keep_end(bool saved);

#endif
