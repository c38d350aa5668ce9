#!/bin/sh
# More ranks than processors: MPI libraries busy-wait, and a rank that waits holds the processor that the awaited one
# needs. --yield has to find its library; results are marked with it and without. That waiting ranks sleep: unit/record.
set -u
program=collbench-bcast
. "$srcdir/tests/mpi/bench.sh"
bound=
[ "$(nproc)" -lt 4 ] || bound="taskset -c 0,1"

measure() {
    "$MPIEXEC" -n 4 $bound "$@" --method=barrier --sizes=64K --budget=0.5 \
        --format=csv >out 2>err || fail "status $?"
}

# By the letter; with all that was preloaded: what is not there every process says.
LD_PRELOAD=none.so "$MPIEXEC" -n 2 "${bench%bcast}scenario" -i 3 >out 2>err || fail "status $?"
plain=$(grep -c none.so err)
LD_PRELOAD=none.so "$MPIEXEC" -n 2 "${bench%bcast}scenario" -i 3 -y >out 2>err || fail "-y: status $?"
tr -s '#\n ' ' ' <out | grep -q 'ranks that yield are runnable while they wait' || fail "-y does not yield"
[ "$(grep -c none.so err)" -ge "$plain" ] || fail "-y: without what was preloaded"

measure env OMPI_MCA_mpi_yield_when_idle=0 "$bench" # Open MPI would yield by itself
grep -q '^# load: more ranks than processors.*not meaningful' out || fail "busy-waiting is not marked"
grep -q -- 'timings are not meaningful: use: --yield' err || fail "--yield is not offered"
measure "$bench" --yield
grep -q '^# load: more ranks than processors.*yield' out || fail "not marked"
[ ! -s err ] || fail "complaints"
exit 0
