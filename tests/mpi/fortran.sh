#!/bin/sh
# Fortran programs, by each binding of each MPI: every call is seen exactly once, just as a counter
# at the binding's own doors sees it; call sites are Fortran lines; results stay as they are.
. "${srcdir:-.}/tests/mpi/lib.sh"
counter=$built/tests/mpi/.libs/libcount-fortran.so
tested=

for mpi in $mpis; do
    with_mpi $mpi
    [ -n "$MPIFC" ] || continue
    for binding in MPIFH ${CHECK_THOROUGH:+MPI} F08; do
        program=$binding.$mpi
        $MPIFC -g -O1 -cpp -DBINDING_$binding "$source/tests/mpi/fortran.F90" -o $program >log 2>&1 ||
            { cat log; fail "$program does not compile"; }
        plain 2 ./$program >want || fail "$program: status $? without the layer"
        counted 2 $program.profile ./$program >out || fail "$program: status $?"
        cmp want out || fail "$program: other results"
        same_counts $program.profile || fail "$program: other counts"
        profile $program.profile ranks 2
        profile $program.profile states finalized=2
        profile $program.profile nothing-lost
        profile $program.profile calls MPI_Bcast=100 MPI_Isend=100 MPI_Irecv=102 MPI_Init=2 \
            MPI_Wait=102 MPI_Waitall=50 MPI_Test=2 MPI_Cancel=2 MPI_Allreduce=100 \
            MPI_Allgather=100 MPI_Barrier=100 MPI_Reduce=2 MPI_Comm_split=2 MPI_Comm_free=2
        line=$(grep -n 'call MPI_Bcast' "$source/tests/mpi/fortran.F90" | cut -d: -f1)
        tr -d ' \n' <$program.profile/profile.json | grep -q "fortran.F90\",\"line\":$line}" ||
            fail "$program: the call site of MPI_Bcast is no Fortran line"
        tested="$tested $program"
    done
done
test -n "$tested" || skip "no Fortran compiler for any MPI (gfortran)"
echo "tested:$tested"
exit 0
