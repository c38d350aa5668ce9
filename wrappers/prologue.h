/* Included by each file with wrappers, the only files that define functions MPI_..., with the
 * prototypes of the installed mpi.h. After this header all functions are exported. */
#pragma once

#include "inject/inject.h"
#include "record/operations.h"
#include "wrappers/completion.h"

/* The function that the wrapper of MPI_NAME calls: PMPI_NAME, or that of another tool (chain.c). */
extern void *mpi_next[];
#define NEXT(name) ((__typeof__(PMPI_##name) *)mpi_next[OP_##name])

/* Functions that MPI deprecates are wrapped, too. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#pragma GCC visibility push(default)
