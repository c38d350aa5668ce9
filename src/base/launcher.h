/* What the launcher says in the environment: which of how many processes this is, and by which
 * protocols an MPI library can join the others. */
#ifndef COLLPROF_BASE_LAUNCHER_H
#define COLLPROF_BASE_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct launcher {
    const char *name; /* "Hydra (MPICH's mpiexec)"; NULL: none is known to have started this */
    int rank, size;   /* size 0: not said */
    int local_size;   /* processes on this host, 0: not said */
    int parts;        /* of an MPMD run, 0: not said */
    uint64_t run;     /* equal for its processes (on several hosts only where the launcher names its
                         jobs), different for other runs; never 0. Of no known launcher: its parent's */
    bool pmi, pmix;   /* protocols offered: PMI 1 or 2, PMIx */
};

/* An MPI that configure has found: there is a layer for it, and the bench programs. */
struct mpi_built {
    const char *folder, *title, *launcher, *libraries; /* libraries: separated by spaces */
};
extern const struct mpi_built mpis_built[];
extern const size_t n_mpis_built;

/* What ranks of that MPI see, or, where it is NULL, of any. */
struct launcher launcher_read(const struct mpi_built *mpi);

/* The one that has LIBRARY, a path or a name (libmpi.so.40, libmpi.so.40.30.4), NULL if none. */
const struct mpi_built *mpi_of_library(const char *library);

/* Whether ranks of that MPI find each other where L has started them. A single one need not. */
bool launcher_serves(const struct launcher *l, const struct mpi_built *mpi);

/* The command with which L, if it is more than MPI's own, starts ranks of that MPI so that they
 * find each other: "mpiexec.mpich", "srun --mpi=pmi2". Lives until the process ends. */
const char *launcher_command(const struct launcher *l, const struct mpi_built *mpi);

/* Of all processes that a launcher starts with the same mistake, one should say so. */
bool launcher_speaks(void);

#endif
