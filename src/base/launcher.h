/* What the launcher says in the environment: which of how many processes this is, and by which
 * protocols an MPI library can join the others. */
#ifndef COLLPROF_BASE_LAUNCHER_H
#define COLLPROF_BASE_LAUNCHER_H

#include <stdbool.h>

struct launcher {
    const char *name; /* "Hydra (MPICH's mpiexec)"; NULL: none is known to have started this */
    int rank, size;   /* size 0: not said */
    int local_size;   /* processes on this host, 0: not said */
    int parts;        /* of an MPMD run, 0: not said */
    bool pmi, pmix;   /* protocols offered: PMI 1 or 2, PMIx */
};

struct launcher launcher_read(void);

/* Of all processes that a launcher starts with the same mistake, one should say so. */
bool launcher_speaks(void);

#endif
