#!/bin/sh
# A C++ program, under each MPI: MPI in constructors and destructors of static objects is recorded, and
# what comes after an exception thrown through MPI is, too.
. "${srcdir:-.}/tests/mpi/lib.sh"
tested=
for mpi in $mpis; do
    command -v mpicxx.$mpi >/dev/null || continue
    with_mpi $mpi
    mpicxx.$mpi -g -O1 "$source/tests/mpi/cplusplus.cpp" -o cplusplus.$mpi >log 2>&1 || { cat log; continue; }
    timeout 60 $MPIEXEC -n 2 ./cplusplus.$mpi >want 2>want.err || { cat want.err; fail "$mpi: status $? without collprof"; }
    timeout 60 $MPIEXEC -n 2 "$collprof" run --yield --report=no -o out.$mpi ./cplusplus.$mpi >out 2>err ||
        { cat err; fail "$mpi: status $?"; }
    cmp want out || fail "$mpi: other results"
    grep -qx 'caught 3, sum 1' out || fail "$mpi: no exception"
    profile out.$mpi states finalized=2
    profile out.$mpi calls MPI_Init=2 MPI_Barrier=4 MPI_Send=6 MPI_Allreduce=20
    profile out.$mpi errors MPI_Send=6
    python3 -c 'import json, sys; sys.exit(sum(e["calls"] for e in json.load(open(sys.argv[1]))["entries"]) > 100)' \
        out.$mpi/profile.json || fail "$mpi: calls that nobody made"
    COLUMNS=200 "$collprof" report --full --top=20 out.$mpi >report
    for line in 'cplusplus.cpp:13 whole_run' 'cplusplus.cpp:17 ~whole_run' 'cplusplus.cpp:50 main'; do
        grep -q " $line" report || { cat report; fail "$mpi: no row of $line"; }
    done
    tested="$tested $mpi"
done
test -n "$tested" || skip "no mpicxx.mpich or mpicxx.openmpi that works"
