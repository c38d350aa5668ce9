#!/bin/sh
# More ranks than processors: MPI libraries busy-wait, and a rank that waits holds the processor
# that the awaited one needs. --yield has to find its library; results are marked with it and without. That waiting ranks
# sleep: unit/record.
set -u
bench=$top_builddir/bench/collbench-bcast
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
fail() { echo "FAIL: $*"; cat "$scratch/out" "$scratch/err"; exit 1; }
bound=
[ "$(nproc)" -lt 4 ] || bound="taskset -c 0,1"

measure() {
    "$MPIEXEC" -n 4 $bound "$@" --method=barrier --sizes=64K --budget=0.5 \
        --format=csv >"$scratch/out" 2>"$scratch/err" || fail "status $?"
}

# By the letter; with all that was preloaded: what is not there every process says.
LD_PRELOAD=none.so "${bench%bcast}scenario" -i 3 >"$scratch/out" 2>"$scratch/err" || fail "status $?"
plain=$(grep -c none.so "$scratch/err")
LD_PRELOAD=none.so "${bench%bcast}scenario" -i 3 -y >"$scratch/out" 2>"$scratch/err" || fail "-y: status $?"
tr -s '#\n ' ' ' <"$scratch/out" | grep -q 'waiting ranks yield them' || fail "-y does not yield"
[ "$(grep -c none.so "$scratch/err")" -ge "$plain" ] || fail "-y: without what was preloaded"

measure env OMPI_MCA_mpi_yield_when_idle=0 "$bench" # Open MPI would yield by itself
grep -q '^# load: more ranks than processors.*not meaningful' "$scratch/out" || fail "busy-waiting is not marked"
grep -q -- '--yield makes them usable' "$scratch/err" || fail "--yield is not offered"
measure "$bench" --yield
grep -q '^# load: more ranks than processors.*yield' "$scratch/out" || fail "not marked"
[ ! -s "$scratch/err" ] || fail "complaints"
exit 0
