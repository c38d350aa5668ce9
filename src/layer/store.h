/* Hydra, the launcher of MPICH and its relatives, keeps names and values for the processes that it
 * starts: a service by which the library itself finds the other ranks (PMI, version 1). What was
 * put before MPI_Init is there for all after it, on hosts that share nothing else, and nobody has
 * to answer. */
#ifndef COLLPROF_LAYER_STORE_H
#define COLLPROF_LAYER_STORE_H

#include <stdbool.h>
#include <stdint.h>

/* Before MPI_Init, which is not troubled by it. False: this process has no such service. VALUE is
 * not 0. */
bool store_put(int rank, uint64_t value);

/* After MPI_Init, while no other thread is in MPI. 0: that rank has put nothing. */
uint64_t store_get(int rank);

#endif
