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

has() {
    grep -q "$1" out/profile.json || fail "no $1 in the profile"
}

run 4 COLLPROF_ACK=one
has '"ol_us"'
run 4 COLLPROF_ACK=all
has '"ol_us"'
for algorithm in binomial linear backward flat chain grid; do
    run 4 COLLPROF_BCAST=$algorithm
    has '"seen_us"'
done
has '"schedule_cost_us"'
run 3 COLLPROF_BCAST=chain COLLPROF_ACK=all
run 2 COLLPROF_BENCHMARK=all COLLPROF_BENCHMARK_BUDGET=3
has '"method":"held"'
has '"method":"direct"'
run 3 COLLPROF_BENCHMARK=direct,send-latency COLLPROF_BENCHMARK_BUDGET=2 COLLPROF_BENCHMARK_EVERY=3
# Late in the run, with most of the budget gone, there is still some for a new signature.
run 2 COLLPROF_BENCHMARK=send-latency COLLPROF_BENCHMARK_BUDGET=5
has '"operation":"MPI_Allreduce"'

# A name that is none is said, and the application runs.
run 2 COLLPROF_BENCHMARK=nonsense
grep -q "COLLPROF_BENCHMARK is 'nonsense'" stderr || fail "an unknown method is not named"
run 2 COLLPROF_BCAST=nonsense
grep -q "COLLPROF_BCAST is 'nonsense'" stderr || fail "an unknown algorithm is not named"
