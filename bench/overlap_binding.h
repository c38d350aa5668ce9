/* Where the threads of collbench-overlap run, by hwloc. Without being asked for, nothing is bound:
 * what the launcher did stays as it is. */
#ifndef COLLPROF_BENCH_OVERLAP_BINDING_H
#define COLLPROF_BENCH_OVERLAP_BINDING_H

#include <mpi.h>
#include <stddef.h>

enum bind_mode {
    BIND_NONE,
    BIND_APART, /* the communicating thread of each rank has a core of its own, on which no
                   computing thread of any rank runs */
    BIND_OVER   /* computing threads are dealt out over all processors, those cores too */
};

struct binding;

/* Binds the calling thread, unless MODE is BIND_NONE. Collective. NULL in a simulation, or where
 * hwloc cannot tell. */
struct binding *binding_new(MPI_Comm comm, enum bind_mode mode);
void binding_free(struct binding *b);

/* Processors that the process may use, processing units of the machine, and processors for
 * computing threads: 0 where BIND_APART has none left. 1 for NULL. */
int binding_processors(const struct binding *b);
int binding_machine(const struct binding *b);
int binding_for_threads(const struct binding *b);

/* For work_threads_start() and the like: binds the calling thread as number THREAD. */
void binding_of_thread(int thread, void *binding);

/* "communication on processor 1, computing threads on 0,1"; "none: may use processors 0-1". */
void binding_describe(const struct binding *b, char *text, size_t size);

#endif
