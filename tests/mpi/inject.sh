#!/bin/sh
# Protects the application from the layer: whatever is injected, its results, its errors and its
# exit status are the same; and what was injected is in the profile.
set -u
. "$srcdir/tests/mpi/lib.sh"
export CHECK_LIMIT=300 # patience of the layer, and budgets, on a busy machine

# run RANKS VARIABLE=VALUE...: the application with threads, and in the longer tests without them before.
longer=${CHECK_THOROUGH:-${CHECK_AGAIN:-}}
run() {
    ranks=$1
    shift
    for how in ${longer:+alone} threads; do
        rm -rf out
        [ $how = threads ] && threads=threads || threads=
        $MPIEXEC -n "$ranks" env "$@" COLLPROF_OUTPUT=out COLLPROF_REPORT=no \
            LD_PRELOAD="$layer:$yielding" "$built/tests/mpi/inject" $threads >stdout 2>stderr ||
            fail "$*: status $?: $(cat stdout stderr)"
        [ "$(cat stdout)" = right ] || fail "$*: $(cat stdout stderr)"
    done
}

# See profile.py: the application (inject.c) is known, so are its broadcasts: of 4 bytes on
# MPI_COMM_WORLD 6 for each root, of 80000 on its duplicate 1 for each, of 200 there 10.
findings() {
    profile out findings "$@"
}

# 13 streams of 447 broadcasts (400 by threads; not three that fail), of which the first three are never acknowledged.
run 4 COLLPROF_ACK=0.001
profile out instances MPI_Bcast=447
grep -q '"ack": *\[\|"ack":\[' out/profile.json && fail "acknowledged in spite of the share"
grep -q 'ack: 0 of [0-9]* broadcasts were acknowledged' out/profile.json || fail "no warning that none was"
run 4 COLLPROF_ACK=100
findings ack communicator=MPI_COMM_WORLD bytes=4 , rows=4 broadcasts=24 asked=12
# Of the first four on a communicator none counts: it has to show that it is worth one of the layer.
findings ack bytes=20 , rows=8 broadcasts=392 asked=368
"$collprof" report --full out | grep -q '^  operation  *calls  *excluded' || fail "no column of excluded calls"

# A root that goes on before the others come must not wait for them: not for an acknowledgement, and only so
# long for what is done together.
part() {
    part=$1
    shift
    rm -rf out
    $MPIEXEC -n 4 env "$@" COLLPROF_OUTPUT=out COLLPROF_REPORT=no \
        LD_PRELOAD="$layer:$yielding" "$built/tests/mpi/inject" $part >stdout 2>stderr ||
        fail "$part, $1: status $?: $(cat stdout stderr)"
    [ "$(cat stdout)" = right ] || fail "$part, $1: $(cat stdout stderr)"
}
part ahead COLLPROF_ACK=100
grep -q '"given_up": *[1-9]' out/profile.json || fail "none was given up"
for mode in ${longer:+COLLPROF_BENCHMARK=direct COLLPROF_BCAST=flat}; do
    part ahead $mode
    grep -q 'ranks waited .* for others before .* MPI_Bcast on MPI_COMM_WORLD' out/profile.json || fail "$mode: nobody says who waited"
done
for mode in ACK=100 ${longer:+BENCHMARK=direct} BCAST=grid; do
    [ "${CHECK_MPI:-}" = openmpi ] || part unequal COLLPROF_$mode COLLPROF_BENCHMARK_BUDGET=1
done
# Ranks that call one operation by different names meet, and it is one.
part forms COLLPROF_BENCHMARK=direct COLLPROF_BENCHMARK_BUDGET=1
findings benchmark operation=MPI_Allreduce , rows=1
# Nor where ranks free communicators, each in an order of its own.
part freed COLLPROF_BCAST=binomial
grep -q 'did not free the communicator together' out/profile.json || fail "freed: what is not known is shown"
part freed COLLPROF_ACK=100
grep -q 'are unknown: its members did not free it together' out/profile.json || fail "freed: judged by some members"
[ -z "$longer" ] || part freed COLLPROF_BENCHMARK=direct COLLPROF_BENCHMARK_BUDGET=2
for algorithm in binomial ${longer:+linear backward flat chain} grid; do
    run 4 COLLPROF_BCAST=$algorithm
    findings broadcast communicator=MPI_COMM_WORLD bytes=4 , rows=4 calls=24
    # The duplicate has to show by four collectives that it is worth a communicator of the layer.
    findings broadcast bytes=80000 , rows=0
    [ $algorithm = grid ] || findings broadcast algorithm=$algorithm bytes=200 , rows=1 calls=10
    COLUMNS=300 "$collprof" report --table=broadcast out | grep -q '4 ranks from 0, made at inject.c:' ||
        fail "a communicator without a name is called otherwise where it was measured on"
done
"$collprof" report out | grep -q 'Experiments took' || fail "no cost of a schedule"
# Among threads that call MPI, too, nothing is measured: that took minutes.
grep -q 'while several threads call MPI' out/profile.json || fail "latencies measured among threads"
# What is measured with the replacement is no call of the application's.
run 3 COLLPROF_BCAST=chain COLLPROF_BENCHMARK=direct COLLPROF_BENCHMARK_BUDGET=1
findings broadcast algorithm=chain bytes=200 , rows=1 calls=9
run 3 COLLPROF_BCAST=chain COLLPROF_ACK=100
findings broadcast algorithm=chain bytes=4 communicator=MPI_COMM_WORLD , rows=3 calls=18
findings broadcast algorithm=chain bytes=200 , rows=1 calls=9
findings ack bytes=20 , rows=6
run 2 COLLPROF_BENCHMARK=all COLLPROF_BENCHMARK_BUDGET=3
findings benchmark operation=MPI_Bcast bytes=4 root=0 , rows=1
part places COLLPROF_BCAST=chain
# A broadcast from MPI_BOTTOM, that some MPI refuse to pack, and a hole that is no memory of anybody.
rm -rf out
$MPIEXEC -n 2 env COLLPROF_BENCHMARK=all COLLPROF_BENCHMARK_BUDGET=3 COLLPROF_OUTPUT=out \
    COLLPROF_REPORT=no LD_PRELOAD="$layer:$yielding" "$built/tests/mpi/inject" places >stdout 2>stderr ||
    fail "broadcasts of unusual places: status $?: $(cat stdout stderr)"
grep -q "could not allocate its receive buffer" out/profile.json && fail "a gather from an unusual place is not measured"
findings benchmark operation=MPI_Bcast bytes=32 root=0 , rows=1
for method in held direct; do # the machine may be too busy for one
    grep -qE "\"method\":\"$method\"|no time was left for[^\"]* $method" out/profile.json || fail "not all methods"
done
for mode in COLLPROF_BENCHMARK=direct ${longer:+COLLPROF_BCAST=chain COLLPROF_BCAST=grid} COLLPROF_ACK=100; do
    rm -rf out
    $MPIEXEC -n 3 env $mode COLLPROF_START=no COLLPROF_BENCHMARK_BUDGET=2 COLLPROF_OUTPUT=out COLLPROF_REPORT=no \
        LD_PRELOAD="$layer:$yielding" "$built/tests/mpi/inject" switched >stdout 2>stderr ||
        fail "$mode, a rank switched off: status $?: $(cat stdout stderr)"
    [ "$(cat stdout)" = right ] || fail "$mode, a rank switched off: $(cat stdout stderr)"
done
# Late in the run, with most of the budget gone, there is still some for a new signature.
test -z "$longer" || {
    run 2 COLLPROF_BENCHMARK=send-latency COLLPROF_BENCHMARK_BUDGET=5
    findings benchmark operation=MPI_Allreduce bytes=4 , rows=1
    findings benchmark operation=MPI_Bcast communicator=MPI_COMM_WORLD bytes=4 , rows=2
}

# A name that is none is said, and the application runs.
run 2 COLLPROF_BENCHMARK=nonsense
grep -q "COLLPROF_BENCHMARK: --benchmark is 'nonsense'" stderr || fail "an unknown method is not named"
run 2 COLLPROF_BCAST=nonsense
grep -q "COLLPROF_BCAST: --bcast is 'nonsense'" stderr || fail "an unknown algorithm is not named"
