/* Whether all ranks have the layer. In a run of several programs (mpiexec -n 2 collprof run ./a :
 * -n 1 ./b) some may not, and these would never answer a message. So each rank that has it creates
 * its record before MPI_Init, which no rank leaves before all have entered; afterwards all count
 * the same records. On several hosts under Hydra they count the values in its key-value store
 * (PMI). */
#pragma once

#include "base/launcher.h"
#include "layer/run_directory.h"

/* The launcher according to the environment. BEFORE_INIT: if the ranks are on several hosts, the
 * name of the run is taken from the launcher's key-value store, so that all hosts use the same. */
const struct launcher *members_launcher(bool before_init);

/* Call it before MPI_Init, after this rank has tried to make its record. */
void members_announce(bool has_record);

/* Whether this process runs alone although its launcher has started several: then its MPI does not
 * fit the launcher, which is reported. Call it after MPI_Init, with layer.size set. */
bool members_run_alone(void);

/* Call it after MPI_Init, with layer.rank and size set. Returns how many ranks have the layer, by
 * the records in D: the same number on all ranks. On hosts that share neither D nor that store each
 * host counts its own, so all get less than the size. FIRST: the lowest of them. 0: this rank has
 * no record, and the others do not wait for it. */
int members_count(const struct run_directory *d, int *first);

/* The command that starts such ranks. LIBRARY: its name and version, because another
 * MPI with the same binary interface has another launcher. */
const char *members_command(const char *library);
