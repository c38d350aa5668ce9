/* Where the threads of collbench-overlap run, by hwloc. The communicating thread has a processor
 * of its own among the ranks of its host as long as there are enough; computing threads are
 * dealt out over the processors that the process may use. */
#ifndef COLLPROF_BENCH_OVERLAP_BINDING_H
#define COLLPROF_BENCH_OVERLAP_BINDING_H

#include <mpi.h>
#include <stddef.h>

struct binding;

/* Binds the calling thread. Collective. NULL in a simulation, or where hwloc cannot tell. */
struct binding *binding_new(MPI_Comm comm);
void binding_free(struct binding *b);

/* Processors that the process may use; 1 for NULL. */
int binding_processors(const struct binding *b);

/* For work_threads_start() and the like: binds the calling thread as number THREAD. */
void binding_of_thread(int thread, void *binding);

/* "communication on processor 1, computing threads on 0,1". */
void binding_describe(const struct binding *b, char *text, size_t size);

#endif
