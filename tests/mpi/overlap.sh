#!/bin/sh
# Protects collbench-overlap on real MPI: the benchmarks of two ranks run and have their rows, one of them with threads that
# compute. Its figures: tests/sim/overlap.sh.
set -u
program=collbench-overlap options='--sizes=64:64K --step=1024 --comp=16:16 -i 3 --budget=0.1 --format=csv'
. "$srcdir/tests/mpi/bench.sh"

run 2 --benchmark=serial,receiver,cpu || fail "status $?"
for benchmark in serial receiver cpu; do
    test "$(grep -c "^$benchmark,[0-9]*,16,,[0-9]" out)" = 2 || fail "$benchmark: not two cells"
done
grep -q '^# computation: fixed work, calibrated within' out || fail "the work was not calibrated"
# From no computing thread to as many as there are processing units.
run 2 --benchmark=load || fail "threads: status $?"
test "$(grep -c '^load,64,,[0-9]*,[0-9]' out)" -ge 2 || fail "load: no cells"
exit 0
