/* Which launcher started this process, and what its environment variables say: the rank, the number
 * of ranks, and the protocols (PMI, PMIx) by which the MPI library can connect the ranks. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct launcher {
    const char *name; /* "MPICH's mpiexec"; NULL: not started by a known launcher */
    int rank, size;   /* rank and size of MPI_COMM_WORLD; SIZE is 0 if unknown */
    int local_size;   /* ranks on this host; 0: unknown */
    int parts;        /* number of programs of an MPMD run; 0: unknown */
    uint64_t run;     /* a hash that identifies the run: equal on all its ranks of one host, and on
                         all hosts if the launcher has a name for the run; never 0. Without a known
                         launcher it identifies the parent process */
    bool pmi, pmix;   /* protocols that the launcher offers: PMI 1 or 2, PMIx */
};

/* An MPI library for which collprof was built. FOLDER: of its profiling layer and benchmarks;
 * LAUNCHER: command that starts ranks; LIBRARIES: names of its files, separated by spaces. */
struct mpi_built {
    const char *folder, *title, *launcher, *libraries;
};
extern const struct mpi_built mpis_built[];
extern const size_t n_mpis_built;

/* Detects the launcher from the environment. If several launchers have set variables, the result is
 * the one whose variables the library MPI reads (NULL: unknown library). */
struct launcher launcher_read(const struct mpi_built *mpi);

/* The MPI to which the file LIBRARY (libmpi.so.40, /usr/lib/libmpi.so.40.30.4) belongs, or NULL. */
const struct mpi_built *mpi_of_library(const char *library);

/* Whether the library MPI can connect ranks that L has started. True for a single rank. */
bool launcher_serves(const struct launcher *l, const struct mpi_built *mpi);

/* The command (a static string) that starts ranks of MPI so that they are connected, by the
 * launcher L if it can: "mpiexec.mpich", "srun --mpi=pmi2". */
const char *launcher_command(const struct launcher *l, const struct mpi_built *mpi);

/* Whether this process prints messages that concern all ranks: true on rank 0 only, or without a
 * launcher. */
bool launcher_speaks(void);
