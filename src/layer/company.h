/* Which ranks have the layer. In a run of several programs (mpiexec -n 2 collprof run ./a : -n 1
 * ./b) some may not, and would never answer. So none is asked: each announces itself before
 * MPI_Init, which no rank leaves before all have entered, and afterwards all see the same list. */
#ifndef COLLPROF_LAYER_COMPANY_H
#define COLLPROF_LAYER_COMPANY_H

#include <mpi.h>
#include <stdint.h>

/* Before the library's own initialization. */
void company_announce(void);

/* After it, with layer.rank, size and world known: a communicator of those that take part.
 * MPI_COMM_NULL, and said why, if this rank does not. */
MPI_Comm company_join(void);

/* What starts such ranks again. LIBRARY: what MPI_Get_library_version says, since another one of
 * the same binary interface has a launcher of its own. */
const char *company_launcher(const char *library);

/* What the launcher's processes have alike, and those of no other run; 0: not known. */
uint64_t company_run(void);

/* The list is of no use any more. On one rank. */
void company_forget(void);

/* "2 of 3 ranks take part, ...", "" if all do. */
const char *company_sentence(void);

#endif
