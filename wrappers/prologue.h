/* Included by every wrapper. The functions of this folder are the only MPI_ symbols of the library;
 * they have the prototypes of the installed mpi.h and default visibility. */
#pragma once

#include "inject/inject.h"
#include "record/operations.h"
#include "wrappers/completion.h"
#include "wrappers/next.h"

/* Deprecated functions are wrapped like all others. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#pragma GCC visibility push(default)
