/* What the launcher has put into the environment: this process's rank, the number of processes, and
 * the protocols by which an MPI library can connect them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct launcher {
    const char *name; /* "Hydra (MPICH's mpiexec)"; NULL: not started by a known launcher */
    int rank, size;   /* SIZE is 0 if unknown */
    int local_size;   /* processes on this host; 0: unknown */
    int parts;        /* of an MPMD run; 0: unknown */
    uint64_t run;     /* equal for all processes of a run (on several hosts only if the launcher
                         names its jobs), different for other runs; never 0. Without a known
                         launcher it identifies the parent process */
    bool pmi, pmix;   /* protocols offered: PMI 1 or 2, PMIx */
};

/* An MPI that configure has found: there is a layer and a set of benchmarks for it. */
struct mpi_built {
    const char *folder, *title, *launcher, *libraries; /* libraries: separated by spaces */
};
extern const struct mpi_built mpis_built[];
extern const size_t n_mpis_built;

/* Detects the launcher from the environment. If several have set variables, it is the one whose
 * variables ranks of that MPI read (NULL: of any MPI). */
struct launcher launcher_read(const struct mpi_built *mpi);

/* The MPI that has LIBRARY, a path or a name (libmpi.so.40, libmpi.so.40.30.4); NULL if none. */
const struct mpi_built *mpi_of_library(const char *library);

/* Whether ranks of that MPI can connect if L starts them. A single rank always can. */
bool launcher_serves(const struct launcher *l, const struct mpi_built *mpi);

/* The command by which L starts connected ranks of that MPI: "mpiexec.mpich", "srun --mpi=pmi2".
 * The string is static. */
const char *launcher_command(const struct launcher *l, const struct mpi_built *mpi);

/* True in only one of the processes of a launcher, so that one message is printed. */
bool launcher_speaks(void);
