/* Hydra, the launcher of MPICH and its relatives, stores keys and values for the processes that it
 * starts: a service by which the library itself finds the other ranks (PMI, version 1). What a rank
 * puts before MPI_Init all can get after it, on hosts that share no file system. */
#ifndef COLLPROF_LAYER_STORE_H
#define COLLPROF_LAYER_STORE_H

#include <stdbool.h>
#include <stdint.h>

/* Before MPI_Init, which is not troubled by it: the hash of the name that the launcher gives all
 * processes of the run, never 0; or 0: this process has no such service. */
uint64_t store_open(void);

/* After store_open(), before MPI_Init. Returns whether it is kept. VALUE is not 0. */
bool store_put(int rank, uint64_t value);

/* After MPI_Init, while no other thread is in MPI. 0: that rank has put nothing. */
uint64_t store_get(int rank);

#endif
