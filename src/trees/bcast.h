/* Broadcast algorithms, as values: what the methods measure and what replaces MPI_Bcast.
 *
 * All ranks of COMM call RUN with equal arguments, as for MPI_Bcast. It uses point-to-point
 * messages on COMM itself, so give it a communicator of your own, never the application's.
 * Returns an MPI error code. */
#ifndef COLLPROF_TREES_BCAST_H
#define COLLPROF_TREES_BCAST_H

#include <mpi.h>
#include <stddef.h>

struct bcast {
    const char *name;    /* as in --algorithm=NAME */
    const char *summary; /* one line for --help */
    int (*run)(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
               const void *arg);
    const void *arg; /* a schedule, a segment size; NULL if it needs none */
};

/* native (the library's MPI_Bcast), binomial, linear, backward, flat, chain. */
extern const struct bcast bcasts[];
extern const size_t n_bcasts;

/* NULL if there is none of that name. */
const struct bcast *bcast_find(const char *name);

#endif
