/* The key-value store of Hydra, MPICH's launcher, by its protocol PMI, version 1. All ranks can
 * read after MPI_Init what a rank has stored before, even without a common file system. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Connects to the store before MPI_Init, which can still use the connection. Returns a hash (not 0)
 * of the name that Hydra gives the run; 0 if there is no store. */
uint64_t pmi_store_open(void);

/* Stores that RANK has the layer; false if that failed. For an opened store, before MPI_Init. */
bool pmi_store_put(int rank);

/* Whether RANK has called pmi_store_put(). Call it after MPI_Init, while no thread uses MPI. */
bool pmi_store_has(int rank);
