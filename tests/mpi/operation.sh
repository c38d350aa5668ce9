#!/bin/sh
# Protects the table of collective operations: see operation.c. One rank is the degenerate case,
# three the first that is no power of two.
for n in 1 2 3; do
    $MPIEXEC -n $n "$top_builddir/tests/mpi/operation" || exit 1
done
