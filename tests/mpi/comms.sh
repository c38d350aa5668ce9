#!/bin/sh
# Many communicators, and attributes that notice every copy of one: with whatever is injected, under
# every MPI, a program prints the same and ends the same, and nothing is measured on a
# communicator that was hardly used.
. "${srcdir:-.}/tests/mpi/lib.sh"

# On 1100 of them at a time all is said to be the same; that 500 cost nothing is said by counts.
for mpi in $mpis; do
    with_mpi $mpi
    $MPICC -o comms "$source/tests/mpi/comms.c" >compiled 2>&1 || { cat compiled; fail "$mpi: does not compile"; }
    for program in "many 1100" "callbacks"; do
        # shellcheck disable=SC2086 # two words
        plain 2 ./comms $program >want 2>err || { cat err; fail "$mpi, $program: status without the layer"; }
        grep -q right want || fail "$mpi, $program: wrong without the layer"
        for mode in ACK=all BENCHMARK=direct,held BCAST=chain BCAST=grid; do
            rm -rf out
            # shellcheck disable=SC2086
            timeout 120 $MPIEXEC -n 2 env LD_PRELOAD="$layer $yielding" COLLPROF_$mode COLLPROF_BENCHMARK_BUDGET=1 \
                COLLPROF_OUTPUT=out COLLPROF_REPORT=no ./comms $program >got 2>err ||
                { cat got err; fail "$mpi, $program, $mode: status $?"; }
            cmp want got || { cat got err; fail "$mpi, $program, $mode: other output"; }
            # The last communicator is used: measured are its fifth call and a later one.
            case $program,$mode in
            many*,BENCH*) profile out findings benchmark operation=MPI_Bcast , rows=2 ;;
            many*,BCAST*) profile out findings broadcast bytes=4 , rows=1 calls=17 ;;
            esac
        done
    done
done
exit 0
