/* Between the parts of the bench floor; programs include bench.h. */
#ifndef COLLPROF_BENCH_INNER_H
#define COLLPROF_BENCH_INNER_H

#include "bench.h"

#include "base/status.h"
#include "config.h"

/* With --yield among ARGV: starts the program again with the yielding library loaded, once;
 * returns if that is done, not asked for, or impossible. Call before MPI_Init. */
void bench_yield(int argc, char **argv);

/* The facts of rank 0's host; other hosts of a run are as a rule alike. */
void machine_facts(struct document *d);

/* Collective, at the end: which rank was how long without a processor, as a fact of D, rank 0's. */
void machine_judge(const struct bench *b, struct document *d);

/* Sets "NAME=VALUE", a control variable of the library, after MPI_Init. Why not; NULL: it is set.
 * IN_TURN: VALUE may be several of a number, separated by commas (bench.h, cvar_use()). */
const char *cvar_set(const char *assignment, bool in_turn);

/* What was set, as facts. */
void cvar_facts(struct document *d);

/* How many there are, as a fact of rank 0's document. */
void header_clocks(const struct sync_clock *clock);

/* What bench_disturbed() says is of the time from here on. */
void bench_watch(void);

/* Whether the yielding library is at work in this process. */
bool bench_yields(void);

/* Seconds of the person who waits: not clock_now(), which in a simulation is the simulator's. */
double bench_wall_now(void);

/* Whether what rank 0 says on standard error is read on a terminal. */
bool bench_on_terminal(const struct bench *b);

/* For bench_progress(): DONE of TOTAL are measured. Returns the file that keeps them, or NULL. */
const char *bench_keep_now(size_t done, size_t total);

/* Nothing is to be kept any more: all is SAVED, or said why not. */
void bench_keep_end(bool saved);

#endif
