#!/bin/sh
# collbench-collective's own: what is said where a figure may not be what it is meant to be, and
# that a short budget finds the slowest pair.
set -u
test -n "$SMPIRUN" || exit 77
run=$srcdir/tests/sim/run.sh bench=sim/collbench-collective status=0
fail() { echo "FAILED: $*"; cat sim/out*; status=1; }
# The first is the second, within 1 %.
is() # WHAT FIRST SECOND
{
    echo "$1: $2, expected $3"
    awk -v x="$2" -v y="$3" 'BEGIN { exit !(x / y < 1.01 && x / y > 0.99) }' || fail "$1"
}
rm -f sim/out*
# Pair by pair, and another way there than back. Clocks that rest on messages cannot tell, and the interval contains it.
for drift in -uSIM_DRIFT SIM_DRIFT=20; do
    env $drift "$run" askew 2 $bench --method=held --operation=reduce --sizes=8 --stop=fixed -i 6 --format=csv
done | awk -F, '/^reduce/ { if (n++) exit !(truth >= $6 && truth <= $7 && $6 < $5 - 1000 && $7 < 21000); truth = $5 }' || fail "the ways"
rm -f sim/out.*
# Little time: one pair of many is a bound, and said to be.
"$run" workstations 6 $bench --method=held --operation=allreduce --sizes=1K:2K --budget=0.1 --pairs --format=csv >sim/out
grep -q '^allreduce,6,1024,.*pairs_left_out' sim/out || fail "one pair of many"
# 1,024 pairs, of which the budget has time for some: three operations of each source tell which.
for budget in 10 1000; do
    "$run" workstations 32 $bench --method=held --operation=allreduce --sizes=1K --budget=$budget --format=csv >sim/out.$budget
done
held() { awk -F, '/^(allreduce|scatter)/ { print $5 }' "$1"; }
is "the slowest of 1,024" "$(held sim/out.10)" "$(held sim/out.1000)"
! grep -q pairs_left_out sim/out.10 || fail "the slowest of 1,024: a remark"
# Of a scatter only the root is a source; a row of one, which is through before anything has arrived, is not its gap.
for budget in 2.5 1000; do
    "$run" workstations 32 $bench --method=held --operation=scatter --sizes=4K:4K --budget=$budget --format=csv >sim/out.$budget
done
is "scatter in little time" "$(held sim/out.2.5)" "$(held sim/out.1000)"
# Operations that a rank was late for do not count, and are reported; so long is waited from then on.
SIM_NOISE=2 SIM_NOISE_US=5000 "$run" cluster 8 $bench --operation=allreduce --method=direct --sizes=1K --stop=fixed -i 200 >sim/out
awk '/allreduce +8/ { same = $5 == $6 && $5 == $7 } match($0, /[0-9]+ operations excluded/) { late = substr($0, RSTART) + 0 }
    END { print "late for", late, "of 200"; exit !(same && late > 1 && late < 20) }' sim/out || fail "a rank that is late"
exit $status
