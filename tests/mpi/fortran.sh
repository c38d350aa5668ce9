#!/bin/sh
# Fortran programs. By mpif.h and `use mpi` every call is seen exactly once; by mpi_f08, whose
# MPI_Init, Wait and Finalize do not come by the C functions, the report comes all the same and is
# true of what is seen. Results stay as they are.
. "${srcdir:-.}/tests/mpi/lib.sh"
test -n "$MPIFC" || skip "no Fortran compiler for this MPI (gfortran)"

for binding in MPIFH MPI F08; do
    $MPIFC -g -O1 -cpp -DBINDING_$binding "$source/tests/mpi/fortran.F90" -o $binding >log 2>&1 ||
        { cat log; fail "$binding does not compile"; }
    plain 2 ./$binding >want || fail "$binding: status $? without the layer"
    counted 2 $binding.profile ./$binding >layered || fail "$binding: status $?"
    cmp want layered || fail "$binding: other results"
    same_counts $binding.profile || fail "$binding: other counts"
    profile $binding.profile ranks 2
    profile $binding.profile states finalized=2
    profile $binding.profile nothing-lost
    profile $binding.profile calls MPI_Bcast=100 MPI_Isend=100 MPI_Irecv=100
    test $binding = F08 ||
        profile $binding.profile calls MPI_Init=2 MPI_Wait=100 MPI_Waitall=50 MPI_Allreduce=100 \
            MPI_Allgather=100 MPI_Barrier=100 MPI_Reduce=2 MPI_Comm_split=2 MPI_Comm_free=2
done
exit 0
