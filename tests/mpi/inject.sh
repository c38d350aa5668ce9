#!/bin/sh
# Protects the application from the layer: whatever is injected, its results, its errors and its
# exit status are the same; and what was injected is in the profile.
set -u
. "$srcdir/tests/mpi/lib.sh"

# run RANKS VARIABLE=VALUE...: the application without and with threads.
run() {
    ranks=$1
    shift
    for threads in "" threads; do
        rm -rf out
        $MPIEXEC -n "$ranks" env "$@" COLLPROF_OUTPUT=out COLLPROF_REPORT=no \
            LD_PRELOAD="$layer:$yielding" "$built/tests/mpi/inject" $threads >stdout 2>stderr ||
            fail "$*: status $?: $(cat stdout stderr)"
        [ "$(cat stdout)" = right ] || fail "$*: $(cat stdout stderr)"
    done
}

# See profile.py: the application (inject.c) is known, so are its broadcasts: of 4 bytes on
# MPI_COMM_WORLD 6 for each root, of 80000 on its duplicate 1 for each, of 200 there 4.
findings() {
    profile out findings "$@"
}

run 4 COLLPROF_ACK=one
# All broadcasts of the application (400 by its threads; not three that fail) match on all ranks,
# among them the one on an intercommunicator.
profile out instances MPI_Bcast=441
findings ack communicator=MPI_COMM_WORLD bytes=4 , acknowledged=24
findings ack bytes=80000 , acknowledged=4
findings ack bytes=200 root=0 , acknowledged=4
run 4 COLLPROF_ACK=all
findings ack communicator=MPI_COMM_WORLD bytes=4 root=2 , rows=3 acknowledged=18
findings ack bytes=80000 , rows=12 acknowledged=12
findings ack bytes=200 destination=3 , rows=1 acknowledged=4
for algorithm in binomial linear backward flat chain grid; do
    run 4 COLLPROF_BCAST=$algorithm
    findings broadcast communicator=MPI_COMM_WORLD bytes=4 , rows=4 calls=24
    findings broadcast bytes=80000 , rows=4 calls=4
    [ $algorithm = grid ] || findings broadcast algorithm=$algorithm bytes=200 , rows=1 calls=4
done
grep -q '"schedule_cost_us"' out/profile.json || fail "no cost of a schedule"
run 3 COLLPROF_BCAST=chain COLLPROF_ACK=all
findings broadcast algorithm=chain bytes=80000 , rows=3
findings ack bytes=80000 , rows=6 acknowledged=6
run 2 COLLPROF_BENCHMARK=all COLLPROF_BENCHMARK_BUDGET=3
findings benchmark operation=MPI_Bcast bytes=4 root=0 , rows=1
grep -q '"method":"held"' out/profile.json && grep -q '"method":"direct"' out/profile.json ||
    fail "not all methods"
# At the first and the fourth of six calls.
run 3 COLLPROF_BENCHMARK=direct,send-latency COLLPROF_BENCHMARK_BUDGET=4 COLLPROF_BENCHMARK_EVERY=3
findings benchmark operation=MPI_Bcast communicator=MPI_COMM_WORLD bytes=4 , rows=6
# Late in the run, with most of the budget gone, there is still some for a new signature.
run 2 COLLPROF_BENCHMARK=send-latency COLLPROF_BENCHMARK_BUDGET=5
findings benchmark operation=MPI_Allreduce bytes=4 , rows=1
findings benchmark operation=MPI_Bcast communicator=MPI_COMM_WORLD bytes=4 , rows=2

# A name that is none is said, and the application runs.
run 2 COLLPROF_BENCHMARK=nonsense
grep -q "COLLPROF_BENCHMARK is 'nonsense'" stderr || fail "an unknown method is not named"
run 2 COLLPROF_BCAST=nonsense
grep -q "COLLPROF_BCAST is 'nonsense'" stderr || fail "an unknown algorithm is not named"
