/* Whether all ranks have the layer. In a run of several programs (mpiexec -n 2 collprof run ./a :
 * -n 1 ./b) some may not, and would never answer. So none is asked: each rank that has it makes its
 * record before MPI_Init, which no rank leaves before all have entered; afterwards all count the
 * same records, or, on several hosts under Hydra, what they have put into its store. */
#ifndef COLLPROF_LAYER_MEMBERS_H
#define COLLPROF_LAYER_MEMBERS_H

#include "base/launcher.h"
#include "layer/run_directory.h"

/* What the launcher says in the environment. BEFORE_INIT: its store may be asked for the name of
 * the run, which is the same on all hosts. */
const struct launcher *members_launcher(bool before_init);

/* Before MPI_Init, when this rank has tried to make its record. */
void members_announce(bool has_record);

/* Whether this process alone has an MPI of which the launcher has started several: it belongs to
 * another launcher, which is said. After MPI_Init, with layer.size known. */
bool members_are_strangers(void);

/* After MPI_Init, with layer.rank and size known: how many ranks have the layer, by the records in
 * D. The same on all of them, or less than all on all of them: on hosts that share neither D nor a
 * store each counts its own.
 * FIRST: the lowest of them. 0: this rank has no record, and the others do not wait for it. */
int members_count(const struct run_directory *d, int *first);

/* The command that starts such ranks. LIBRARY: what MPI_Get_library_version says, since another
 * one of the same binary interface has a launcher of its own. */
const char *members_command(const char *library);

#endif
