/* The ranks that measure together: what every family of methods needs before its first series. */
#ifndef COLLPROF_MEASURE_CREW_H
#define COLLPROF_MEASURE_CREW_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* MPI_ERR_NO_MEM on all ranks unless all HAVE what they need. */
int crew_agree(MPI_Comm comm, bool have);

/* BYTES to be freed, written already: what nobody has written is one page of zeros, again and
 * again, which comes from the nearest cache, in half the time of 4 MiB of one's own. NULL: no
 * memory. */
void *crew_buffer(size_t bytes);

/* A store to every cache line takes it away from all other caches; what it holds stays. */
void crew_write_anew(void *buffer, size_t bytes);

#endif
