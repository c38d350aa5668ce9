#!/bin/sh
# Protects the application from the layer: whatever is injected, its results, its errors and its
# exit status are the same; and what was injected is in the profile.
set -eu
: "${MPIEXEC:?}" "${top_builddir:?}"
libs=$(cd "$top_builddir/.libs" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
app=$(cd "$top_builddir/tests/mpi" && pwd)/inject
cd "$work"

run() { # ranks, variables..., without and with threads
    ranks=$1
    shift
    for threads in "" threads; do
        rm -rf out
        env -u LD_PRELOAD timeout 120 "$MPIEXEC" -n "$ranks" env "$@" COLLPROF_OUTPUT=out \
            COLLPROF_REPORT=no LD_PRELOAD="$libs/libcollprof.so:$libs/libcollprof-yield.so" \
            "$app" $threads > stdout 2> stderr || { cat stdout stderr; exit 1; }
        if [ "$(cat stdout)" != right ] || [ ! -s out/profile.json ]; then
            echo "with $*: "; cat stdout stderr; exit 1
        fi
    done
}

has() { grep -q "$1" out/profile.json || { echo "no $1 in the profile"; exit 1; }; }

run 4 COLLPROF_ACK=one
has '"ol_us"'
run 4 COLLPROF_ACK=all
has '"ol_us"'
for algorithm in binomial linear backward flat chain; do
    run 4 COLLPROF_BCAST=$algorithm
done
run 3 COLLPROF_BCAST=chain COLLPROF_ACK=all
run 2 COLLPROF_BENCHMARK=all COLLPROF_BENCHMARK_BUDGET=3
has '"held_us"'
has '"direct_us"'
run 4 COLLPROF_BENCHMARK=direct,send-latency COLLPROF_BENCHMARK_BUDGET=3 COLLPROF_BENCHMARK_EVERY=3
has '"operation":"MPI_Allreduce"'
# A name that is none is said, and the application runs.
run 2 COLLPROF_BENCHMARK=nonsense
grep -q "no method 'nonsense'" stderr
run 2 COLLPROF_BCAST=nonsense
grep -q "no broadcast algorithm 'nonsense'" stderr
