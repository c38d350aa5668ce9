/* The key-value store of Hydra, the launcher of MPICH, by its protocol PMI, version 1. What a rank
 * stores before MPI_Init, all ranks can read after it, even on hosts that share no file system. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Connects to the store; call it before MPI_Init, which can still use it. Returns a hash of the
 * launcher's name of the run, not 0; or 0 if there is no store. */
uint64_t pmi_store_open(void);

/* Stores that RANK has the layer, before MPI_Init, in the opened store; false if that failed. */
bool pmi_store_put(int rank);

/* Whether RANK has called pmi_store_put(). After MPI_Init, while no other thread is in MPI. */
bool pmi_store_has(int rank);
