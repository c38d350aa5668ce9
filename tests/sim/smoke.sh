#!/bin/sh
# The simulated build works at all: clock, options, statuses. Other simulated tests rest on it.
set -u
test -n "$SMPIRUN" || exit 77
# A hold is as long as it says to 0.1 us: of eager messages the simulator slows those that cross.
SMPI_OPTIONS=--cfg=smpi/async-small-thresh:0
export SMPI_OPTIONS
run=$srcdir/tests/sim/run.sh out=sim/smoke.out err=sim/smoke.err
fail() { echo "FAIL: $*"; cat $out $err; exit 1; }

"$run" cluster 4 sim/smoke >$out 2>$err || fail "status $? on the cluster"
test "$(grep -c '^# program: smoke' $out)" = 1 || fail "not exactly one header"
grep -q '^# clock: simulated' $out || fail "the clock is not the simulated one"
grep -q '^# ranks: 4 on 4 hosts$' $out || fail "ranks are not one to a node"
cluster=$(awk '$1 == "0.00" { print $2 }' $out)

"$run" grid 4 sim/smoke >$out 2>$err || fail "status $? on the grid"
grid=$(awk '$1 == "0.00" { print $2 }' $out)
# Ranks 0 and 3 are on different sites there: 2 ms more, each way, and the simulator's model
# doubles the latencies of small messages.
awk -v c="$cluster" -v g="$grid" 'BEGIN { exit !(c > 20 && c < 60 && g - c > 8000 && g - c < 9000) }' ||
    fail "round trips: cluster $cluster us, grid $grid us"

# (--help is taken by the simulator itself.)
"$run" cluster 4 sim/smoke -h >$out 2>$err || fail "-h: status $?"
test "$(grep -c -- '--sizes' $out)" = 1 || fail "--help is not printed exactly once"
"$run" cluster 4 sim/smoke --sizes=9:8 >$out 2>$err
test $? = 2 || fail "impossible sizes: status is not 2"
test "$(grep -c -- "--sizes is '9:8'" $err)" = 1 || fail "impossible sizes: not said once"
