/* Whether a broadcast brings the right data, checked outside of anything timed. */
#ifndef COLLPROF_MEASURE_BCAST_VALIDATE_H
#define COLLPROF_MEASURE_BCAST_VALIDATE_H

#include "trees/bcast.h"

#include <mpi.h>
#include <stdbool.h>

/* All ranks of COMM: spoils the data of every rank but the root (only what belongs to TYPE),
 * makes one broadcast and compares. *WRONG is the number of ranks whose data then differs from
 * the root's, the same on all ranks. *CHECKED is false, and only the broadcast was made, where
 * the data cannot be packed (one element above 2 GiB, or no memory somewhere). */
int validate_bcast(const struct bcast *bcast, void *buffer, int count, MPI_Datatype type, int root,
                   MPI_Comm comm, int *wrong, bool *checked);

#endif
