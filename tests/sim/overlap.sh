#!/bin/sh
# The overlap ratio where the truth is known: the simulator moves messages while its ranks
# compute, so every benchmark must read 0, and the serial control 1, within 0.02. Protects the
# definition of T_measured and T_comm of every benchmark. The base round is the stated
# platform's own: 10 us and 1.25 GB/s.
set -u
test -n "$SMPIRUN" || exit 77
out=sim/overlap.csv
SMPI_OPTIONS="--cfg=network/model:CM02 --cfg=network/latency-factor:1
    --cfg=network/bandwidth-factor:1 --cfg=network/weight-S:0 --cfg=network/crosstraffic:0
    --cfg=smpi/send-is-detached-thresh:0 --cfg=smpi/async-small-thresh:0"
export SMPI_OPTIONS

# usage: check RANKS CELLS OPTION...
check() {
    ranks=$1 cells=$2
    shift 2
    "$srcdir/tests/sim/run.sh" cluster "$ranks" sim/collbench-overlap --step=4 -i 5 \
        --sizes=1K:1M --comp=16:4K --format=csv "$@" >$out || exit 1
    grep '^[a-z]*,[0-9]*,[0-9]*,,' $out | awk -F, -v cells="$cells" '
        { want = $1 == "serial" ? 1 : 0; d = $8 - want; n++
          if ($8 == "" || d > 0.02 || d < -0.02) { print "not " want ": " $0; bad = 1 } }
        END { if (n != cells) print n " cells, not " cells; exit bad || n != cells }' || exit 1
}

# 6 sizes x 5 computations
check 2 $((9 * 30))
awk -F, '/^[0-9]+,[0-9.]+,[0-9.]+,[0-9.]+$/ { n++; d = $2 - (10 + $1 / 1250)
        if (d > 0.1 || d < -0.1) { print "base round: " $0; bad = 1 } }
    END { exit bad || n != 6 }' $out || exit 1
check 2 30 --benchmark=sender --comm=base
check 4 90 --benchmark=destinations,iallreduce,ialltoall
