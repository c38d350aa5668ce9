#!/bin/sh
# Latencies of pairs on the exact clock: protects that pairs which slow each other down are not believed when measured
# together (by the default options on a shared medium they must be what they are alone, and the header must say so, also
# where only messages in a row show it; on a switch nothing is measured twice), and LogGP.
set -u
test -n "$SMPIRUN" || exit 77
run="timeout 100 $srcdir/tests/sim/run.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "FAIL: $*"; cat "$dir/out"; exit 1; }
pairs=sim/collbench-pairs

rows() { grep '^[0-9]*,[0-9]*,[0-9]' "$1"; }
$run hub 8 $pairs -i 5 --sizes=64:64K --format=csv --log-file="$dir/log" >"$dir/out" || fail hub
$run hub 8 $pairs -i 5 --sizes=64:64K --order=alone --format=csv >"$dir/alone" || fail alone
grep -q '^# order: one pair at a time, since pairs share' "$dir/out" || fail "the order is not said"
grep -q 'all were measured again' "$dir/out" || fail "it is not said"
rows "$dir/out" >"$dir/rows"
rows "$dir/alone" | paste -d, "$dir/rows" - | awk -F, '{ n++; d = $4 / $19 - 1
        if (d > 0.01 || d < -0.01) { print; bad = 1 } } END { exit bad || n != 56 * 11 }' ||
    fail "not as alone"
$run cluster 8 $pairs -i 5 --sizes=64:64K --format=csv >"$dir/out" || fail cluster
grep -q '^# order: disjoint pairs at a time' "$dir/out" || fail "one at a time on a switch"
# 4 ms there and back, 131 us for a message on the way that all share.
$run grid 8 $pairs -i 5 --sizes=16K:16K --format=csv >"$dir/out" || fail grid
grep -q '^# order: one pair at a time, since pairs share' "$dir/out" || fail "a wide way is not seen to be shared"

# A host behind a slow link is named, and nothing on networks whose hosts are alike or only far from each other.
$run slowhost 8 $pairs -i 2 --suspect=1.5 --format=csv >"$dir/out"
test $? = 3 || fail "slowhost: status"
test "$(grep -cE '^# slow_(host|rank|pair): ' "$dir/out")" = 1 || fail "not one slow host"
grep -q '^# slow_host: Host s1-0 is slow: .* take at least 50' "$dir/out" || fail "another host than the slow one"
for platform in cluster sites2 sites8 grid; do
    $run $platform 8 $pairs -i 2 --suspect=1.5 --format=csv >"$dir/out" || fail "$platform: status"
    grep -q '^# nothing_slow: ' "$dir/out" || fail "$platform: not said"
done

# Two directions of a pair that differ: broadcasts from either side are predicted right.
for root in 0 1; do
    $run askew 4 sim/collbench-tree --root=$root -i 2 -x 1 --stop=fixed --ranks=2:4:1 --algorithm=grid,flat --format=csv \
        >"$dir/out" || fail "askew trees"
    awk -F, '$3 ~ /grid|flat/ { n++; e = $5 == "" ? 0 : $5 / $8 - 1; k += $5 != ""; if (e > 0.01 || e < -0.01) bad = 1 } END { exit bad || n != 6 || k < 4 }' \
        "$dir/out" || fail "predictions from $root"
done
# Of LogGP what the simulated machine has: a send takes 2 us and a receive 1 us, a byte 1 / (0.94 * 1.25 GB/s); from
# 64 KiB on a send waits for its receiver; L is the way alone, each way its own.
SMPI_OPTIONS="--cfg=smpi/os:0:2e-6:0 --cfg=smpi/ois:0:2e-6:0 --cfg=smpi/or:0:1e-6:0"
export SMPI_OPTIONS
$run cluster 4 $pairs -i 5 --sizes=64:256K --format=csv >"$dir/out" || fail LogGP
$run askew 2 $pairs -i 5 --format=csv >>"$dir/out" || fail "LogGP of an askew pair"
awk -F, 'function off(x, y) { return x / y > 1.01 || x / y < 0.99 }
    /^# table/ { in_it = /pairs/; tables += in_it; next }
    in_it && /^[0-9]/ {
        n++
        waits = $3 >= 65536
        if (off($10, 2) && $3 < 1024 || $13 != (waits ? "rendezvous" : "eager")) bad = 1
        if (!waits && (off($10, 2) || off($11, 1)) || waits && $11 != "") bad = 1
        if (tables == 1 && $3 == 64 && (off($14, 20.216) || off($15, 0.842))) bad = 1
        if (tables == 2 && (off($14, $1 ? 18132.4 : 2014.7) || off($8, $1 ? 18135.4 : 2017.7))) bad = 1
        if (bad) { print; exit }
    }
    END { exit bad || n != 12 * 13 + 2 }' "$dir/out" || fail "not the LogGP of the machine"
# Each call is of the rank that makes it: by clocks of which one is faster by a tenth, a receive is half its sends.
SIM_DRIFT=100000 $run cluster 2 $pairs -i 5 --format=csv >"$dir/out" || fail "calls by two clocks"
awk -F, '/^# table/ { in_it = /pairs/ } in_it && /^[01],/ { send[$1] = $10; receive[$2] = $11 }
    END { for (i = 0; i < 2; i++) bad = bad || receive[i] / send[i] < 0.49 || receive[i] / send[i] > 0.51
          exit bad || send[0] < 1.1 * send[1] }' "$dir/out" || fail "a call is the other rank's"
unset SMPI_OPTIONS
./collprof report "$dir/log" >"$dir/matrices" || fail export
test "$(grep -c '^[0-9]' "$dir/matrices")" = $((11 * 2 * 8)) || fail "$(grep -c '^[0-9]' "$dir/matrices") rows"
exit 0
