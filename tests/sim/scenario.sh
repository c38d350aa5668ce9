#!/bin/sh
# Scenario times against closed formulas. The platform is stated: every pair of nodes L = 10 us
# and B = 1.25 GB/s apart, a link of its own on either side, no protocol factors, and a send that
# ends with its transfer. A message alone then takes s = L + m / B. For P ranks:
#
#   binomial   log2(P) s
#   flat       L + (P - 1) m / B        the root's link carries all, shared fairly
#
# Protects T_sc itself, the delay of scenario 2 and the hidden share of scenario 3.
set -u
test -n "$SMPIRUN" || exit 77
run=$srcdir/tests/sim/run.sh out=sim/scenario.csv
plain="--cfg=network/model:CM02 --cfg=network/latency-factor:1 --cfg=network/bandwidth-factor:1
    --cfg=network/weight-S:0 --cfg=network/crosstraffic:0
    --cfg=smpi/send-is-detached-thresh:0 --cfg=smpi/async-small-thresh:0"

# usage: simulate BROADCAST OPTION... ; leaves CSV rows alone in $out
simulate() {
    algorithm=$1
    shift
    SMPI_OPTIONS="$plain --cfg=smpi/bcast:$algorithm" "$run" cluster 8 \
        sim/collbench-scenario --stop=fixed -i 3 --format=csv "$@" >$out.all || exit 1
    grep '^[0-9]' $out.all >$out
}

# usage: check NAME AWK-EXPRESSION-OF-THE-TIME; $1 bytes, $2 ranks, $7 the median, $8 the delay
check() {
    awk -F, -v name="$1" '
        function s(m) { return 10 + m / 1250 }
        function close_to(a, b) { return a - b < 0.3 && b - a < 0.3 }
        { want = '"$2"'
          if (!close_to($7, want)) { print name ": " $0 ": not " want; bad = 1 } }
        END { if (NR < 3) { print name ": too few rows"; bad = 1 } exit bad }' $out || exit 1
}

simulate binomial_tree --ranks=2:8 --sizes=1K:64K
check "binomial" 's($1) * log($2) / log(2)'
simulate flattree --ranks=2:8 --sizes=1K:64K
check "flat" '10 + ($2 - 1) * $1 / 1250'
# Each row states what the clocks leave open of it: here a reading of the clock.
awk -F, '$15 != "0.010" { print "bound: " $0; bad = 1 } END { exit bad }' $out || exit 1

# A late root delays all. Rank 7 receives in the third round only: nothing is lost until it is
# later than 2 s = 124.86 us, and after that what exceeds it.
simulate binomial_tree -s2 --delayed=first --delay=16:256 --sizes=64K:64K
check "late root" '3 * s($1) + $8'
simulate binomial_tree -s2 --delayed=last --delay=16:256 --sizes=64K:64K
check "late leaf" '3 * s($1) + ($8 > 2 * s($1) ? $8 - 2 * s($1) : 0)'
# Last exit minus last arrival: the late root is the last to arrive.
simulate binomial_tree -s2 --delayed=first --delay=16:256 --sizes=64K:64K
awk -F, '{ d = $10 - 3 * (10 + $1 / 1250); if (d > 0.3 || d < -0.3) { print "after_last: " $0; bad = 1 } }
    END { exit bad }' $out || exit 1

# On any platform and by all defaults: what the root is late the others lose, and no more.
SMPI_OPTIONS='' "$run" grid 8 sim/collbench-scenario -s2 --delayed=first --delay=16:256 --sizes=64K:64K \
    --format=csv >$out.all || exit 1
grep '^[0-9]' $out.all | awk -F, '{ n++; off = $7 - $8; if (n == 1) first = off
        if (off - first > 0.01 || first - off > 0.01 || off < 1000) { print "defaults: " $0; bad = 1 } }
    END { exit bad || n != 5 }' || exit 1

# Non-blocking, the simulator hides all of it (ratio 0); blocking, none (ratio 1).
for case in ibroadcast:100 broadcast:0; do
    simulate binomial_tree -s3 --operation=${case%:*} --comp=64:2K --sizes=64K:64K
    awk -F, -v want=${case#*:} '$9 > 0 { d = $11 - want; comp = 64 * 2 ^ n++
        if (d > 2 || d < -2 || $9 > 1.01 * comp || $9 < 0.99 * comp) { print want " % of " comp " us hidden expected: " $0; bad = 1 } }
        END { exit bad || n < 6 }' $out || exit 1
done
