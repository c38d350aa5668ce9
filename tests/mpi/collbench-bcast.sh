#!/bin/sh
# collbench-bcast on real MPI, two ranks: what it writes is whole and believable in every
# format, and the held method tells the truth, which is what the program is for.
set -u
bench=$top_builddir/bench/collbench-bcast
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
fail() { echo "FAIL: $*"; cat "$scratch/err"; exit 1; }

run() {
    "$MPIEXEC" -n 2 "$bench" "$@" 2>"$scratch/err"
}

# Every method, as a program reads it. On a busy machine a round trip can lose a whole slice of
# the scheduler, and half of it taken off gives a latency below zero: tried again.
try=1
while :; do
    run --method=all --sizes=8:64K --format=json --budget=0.4 -o "$scratch/all.json" ||
        fail "--method=all: status $?"
    "$top_builddir/tests/mpi/collbench_bcast_check" "$scratch/all.json" 14 2>"$scratch/err" && break
    try=$((try + 1))
    [ $try -le 8 ] || fail "what --method=all wrote is wrong"
done

# What the root sends has been written: the page of zeros that stands for memory until then is in every cache.
(export LD_PRELOAD="$PWD/tests/mpi/.libs/libturns.so"; run --method=direct --sizes=64K:64K --budget=0.2 >"$scratch/text") ||
    fail "buffers: status $?"
grep 'of zeros' "$scratch/err" && fail "the root sends memory that nobody has written"

(export TURNS_SPOIL=1 LD_PRELOAD="$PWD/tests/mpi/.libs/libturns.so"; run --method=direct --sizes=4K:4K --budget=0.2 >"$scratch/text")
[ $? -eq 1 ] && grep -q 'WRONG DATA in 1 of 1 cases' "$scratch/text" || { cat "$scratch/text"; fail "wrong data is not told"; }

# As a person and a spreadsheet read it: one row per size, zero bytes among them.
run --method=held --sizes=0:4 --budget=0.2 >"$scratch/text" || fail "text: status $?"
[ "$(grep -c '^  native ' "$scratch/text")" -eq 4 ] || fail "text: not 4 rows"
for fact in 'ranks: 2 on 1 host$' 'repetitions: .* at most 0.2 s each$'; do
    grep -q "^# $fact" "$scratch/text" || { cat "$scratch/text"; fail "the header does not say $fact"; }
done
run --method=barrier --algorithm=all --sizes=1K --budget=0.2 --format=csv >"$scratch/csv" ||
    fail "csv: status $?"
for algorithm in native binomial linear backward flat chain; do
    grep -q "^$algorithm,2,1024,barrier,[0-9]*\.[0-9]*" "$scratch/csv" || fail "csv: no row of $algorithm"
done

# The paper's rule has the paper's statistic, the mean of the loops' means, without an interval.
run --method=barrier,ol --sizes=8 --stop=paper --budget=0.2 --format=csv >"$scratch/csv" || fail "paper: status $?"
awk -F, '/^native,/ { n++; if ($5 != $13 || $6 != "" || $5 == "") bad = 1 } END { exit bad || n != 2 }' "$scratch/csv" &&
    grep -q '^# value: mean of the batches' "$scratch/csv" || { cat "$scratch/csv"; fail "paper: another statistic"; }

# The page has pictures of what was measured.
run --method=held,barrier --sizes=8:64 --budget=0.2 --format=json >"$scratch/json" || fail "json: status $?"
"$top_builddir/collprof" report --format=html -o "$scratch/page.html" "$scratch/json" >"$scratch/text" || fail "page: status $?"
grep -q '"kind":"lines"' "$scratch/page.html" || fail "no picture"
