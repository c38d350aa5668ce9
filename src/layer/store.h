/* Hydra, the launcher of MPICH and its relatives, stores keys and values for the processes that it
 * starts, by the protocol with which the MPI library connects its ranks (PMI, version 1). All ranks
 * can read after MPI_Init what a rank has stored before it, even on hosts that share no file
 * system. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Call it before MPI_Init, which it does not affect. Returns the hash of the name that the
 * launcher gives to the run, never 0; or 0 if there is no such service. */
uint64_t pmi_store_open(void);

/* Stores that RANK takes part. Call it after pmi_store_open() and before MPI_Init. Returns whether
 * that was stored. */
bool pmi_store_put(int rank);

/* Whether RANK has stored it. Call it after MPI_Init, while no other thread is in MPI. */
bool pmi_store_has(int rank);
