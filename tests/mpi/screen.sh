#!/bin/sh
# Protects the first screen: of a rank that works twice as long before MPI_Sendrecv it names the rank, the call site,
# the cost and what to do; of a balanced program five runs have the same findings, which are none.
. "${srcdir:-.}/tests/mpi/lib.sh"
test -n "$mpis" || skip "no MPI with a layer and a compiler"
# Work is sleep, which other processes of the machine do not lengthen much.
write_program work <<'END'
    double mine = 1, theirs;
    for (int i = 0; i < 60; i++) {
        usleep((useconds_t)(4000 * (rank == 1 ? atoi(argv[1]) : 1)));
        MPI_Sendrecv(&mine, 1, MPI_DOUBLE, 1 - rank, 0, &theirs, 1, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* here */
    }
END
line=$(grep -n '/\* here' work.c | cut -d: -f1)
for mpi in $quick_mpis; do
    with_mpi $mpi
    $MPICC -g -o work work.c || fail "does not compile"
    # What is shown first has at most 25 lines of 80 columns. A machine that was busy is run on again.
    for try in 1 2 3 4 5; do
        timeout 60 $MPIEXEC -n 2 "$collprof" run --yield -o late-$mpi-$try ./work 2 >out 2>&1 || { cat out; fail "$mpi: late"; }
        sed -n '/^collprof: work on 2 ranks/,$p' out >screen
        tr -s ' \n' ' ' <screen >flat
        grep -q ' 1\. ' flat && break
    done
    ! grep -q ' 1\. ' flat && grep -q 'may delay are not named' flat && skip "$mpi: the machine is too busy"
    test "$(wc -l <screen)" -le 25 && test "$(wc -L <screen)" -le 80 || { cat screen; fail "$mpi: not one screen"; }
    grep -qE " 1\. [123][0-9]\.[0-9] % of the run[^:]*: Rank 1 is outside of MPI for .* which wait for it in MPI_Sendrecv at work.c:$line main" flat ||
        { cat screen; fail "$mpi: the late rank is not named, with its cost and where it is awaited"; }
    grep -q "Next: shorten sleep and file access before MPI_Sendrecv at work.c:$line main: rank 1 takes" flat ||
        { cat screen; fail "$mpi: not said what to do"; }
    grep -q 'of its time outside of MPI needed a processor' flat ||
        { cat screen; fail "$mpi: sleep is computing"; }
    grep -q ' 2\. ' flat && { cat screen; fail "$mpi: one cause is several findings"; }
    for run in 1 2 3 4 5; do
        timeout 60 $MPIEXEC -n 2 "$collprof" run --yield --report=no -o even-$mpi-$run ./work 1 >out 2>&1 || { cat out; fail "$mpi: even"; }
        "$collprof" report --format=json even-$mpi-$run | python3 -c '
import json, sys
found = [f for f in json.load(sys.stdin)["diagnosis"] if f["severity"] == "finding"]
print(*found, sep="\n", end="")
sys.exit(bool(found))' || { "$collprof" report even-$mpi-$run; fail "$mpi: a finding of a balanced program in run $run"; }
    done
done
exit 0
