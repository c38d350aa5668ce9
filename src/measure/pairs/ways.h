/* What messages of several pairs share, by a few of them at a time. */
#ifndef COLLPROF_MEASURE_PAIRS_WAYS_H
#define COLLPROF_MEASURE_PAIRS_WAYS_H

#include "measure/pairs/data.h"

#include <mpi.h>

/* Collective. Rank 0 has P, measured on COMM with gaps, and gets P->ways: for up to WAYS_HOSTS
 * hosts a burst to several others at once, one from several, and one there and one back; and as
 * many times two pairs of four hosts. Nothing is done where there is one host only. Returns an MPI
 * error code. */
enum { WAYS_HOSTS = 16 };
int pairs_measure_ways(MPI_Comm comm, struct pairs *p);

/* Collective. What each two edges of S, which rank 0 has as P, share when messages of BYTES are
 * sent on both, as far as that is not known; of up to WAYS_HOSTS ranks. Returns an MPI error code.
 */
struct schedule;
int pairs_measure_together(MPI_Comm comm, const struct schedule *s, size_t bytes, struct pairs *p);

/* What N flows share if they take SECONDS for a message each, beginning together, and RATE[]
 * (messages per second) is what each can do alone: the messages per second that it
 * carries, at most the sum of these. */
double ways_capacity(const double *rate, int n, double seconds);

#endif
