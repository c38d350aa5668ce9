/* Measuring the latency of every pair of ranks: PetaSHA's mmpi.c, doc/methods.md, section 2. */
#pragma once

#include "measure/pairs/data.h"
#include "measure/pairs/plan.h"

#include <mpi.h>

/* Defaults: 64 bytes, 100 repeats, tournament, no time limit, one clock. */
struct pairs_plan pairs_plan_default(void);

/* All ranks of COMM measure. Rank 0 gets P, the others an empty one. A rank needs memory for its
 * own P - 1 partners (in the paper's order, times repeats); only rank 0 holds the matrices. Round
 * trips are not halved; the lower rank sends first and takes the time; the cost of reading the
 * clock is subtracted. The first exchanges of each pair are warm-up. Returns an MPI error code, or
 * PAIRS_TOO_LONG on all ranks alike. */
enum { PAIRS_TOO_LONG = -1 };
int pairs_measure(MPI_Comm comm, const struct pairs_plan *plan, struct pairs *p);

/* I's partner in ROUND of a tournament of N ranks; -1 for none. Rounds: n - 1, or n if n is odd. */
int pairs_partner(int i, int round, int n);
int pairs_rounds(int n);
