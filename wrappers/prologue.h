/* Included by every wrapper. The functions of this folder are the only MPI_ symbols of the library;
 * they have the prototypes of the installed mpi.h and default visibility. */
#pragma once

#include "inject/inject.h"
#include "record/operations.h"
#include "wrappers/completion.h"

/* The function that the wrapper of MPI_NAME calls: PMPI_NAME, or that of another tool (chain.c). */
extern void *mpi_next[];
#define NEXT(name) ((__typeof__(PMPI_##name) *)mpi_next[OP_##name])

/* Deprecated functions are wrapped like all others. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#pragma GCC visibility push(default)
