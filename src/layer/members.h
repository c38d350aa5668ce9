/* Which ranks have the layer. In a run of several programs (mpiexec -n 2 collprof run ./a : -n 1
 * ./b) some may not, and would never answer. So none is asked: each rank that has it makes its
 * record, or tells the launcher, before MPI_Init, which no rank leaves before all have entered;
 * afterwards all see the same records. */
#ifndef COLLPROF_LAYER_MEMBERS_H
#define COLLPROF_LAYER_MEMBERS_H

#include "base/launcher.h"
#include "layer/run_directory.h"

#include <mpi.h>

/* What the launcher says in the environment, with a job that is never 0. BEFORE_INIT: the
 * launcher's own service may be asked. */
const struct launcher *members_launcher(bool before_init);

/* Before MPI_Init, after this rank has tried to make its record in D. OUTPUT: of the settings.
 * RECORDED: whether that is a file. */
void members_announce(const struct run_directory *d, const char *output, bool recorded);

/* After MPI_Init, with layer.rank, size and world known: a new communicator of the members.
 * MPI_COMM_NULL, having said why, if this rank is none. */
MPI_Comm members_join(const struct run_directory *d);

/* The command that starts such ranks. LIBRARY: what MPI_Get_library_version says, since another
 * one of the same binary interface has a launcher of its own. */
const char *members_command(const char *library);

/* "2 of 3 ranks take part, ...", "" if all do. */
const char *members_sentence(void);

#endif
