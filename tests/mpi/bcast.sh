#!/bin/sh
# Protects the broadcast algorithms and methods on a real MPI: see bcast.c. One rank is the
# degenerate case, three and five are no powers of two.
set -u
for n in 1 2 3 5; do
    # More ranks than processors: a rank that finds nothing to do must let the others run.
    $MPIEXEC -n $n env LD_PRELOAD="$top_builddir/.libs/libcollprof-yield.so" \
        OMPI_MCA_mpi_yield_when_idle=1 "$top_builddir/tests/mpi/bcast" ||
        { echo "FAILED with $n ranks"; exit 1; }
done
