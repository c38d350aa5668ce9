#!/bin/sh
# The overlap ratio where the truth is known: the simulator moves messages while its ranks compute, so every benchmark
# must read 0, and the serial control 1, within 0.02, or say why there is no ratio: with eager sends, as real libraries
# have them, and with none; on platforms that were not made for it; with the simulator's own network model. Protects the
# definition of T_measured and T_comm of every benchmark, the paper's to the letter beside the corrected one.
set -u
test -n "$SMPIRUN" || exit 77
out=sim/overlap.csv
plain="--cfg=network/model:CM02 --cfg=network/latency-factor:1 --cfg=network/bandwidth-factor:1
    --cfg=network/weight-S:0 --cfg=network/crosstraffic:0"
rendezvous="--cfg=smpi/send-is-detached-thresh:0 --cfg=smpi/async-small-thresh:0"
two=sender,receiver,both,vector,serial,pending

"$srcdir/tests/sim/run.sh" cluster 2 sim/collbench-overlap --benchmark=load >$out 2>&1
test $? = 2 && grep -q "load needs threads" $out || { cat $out; echo "load is not refused"; exit 1; }

# The default grid, but where another is asked for: 3 or 15 sizes x 9 computations, each as long as it is to be.
for how in "27 --sizes=64K:256K" "135"; do
    # shellcheck disable=SC2086 # several words
    set -- $how
    cells=$1
    shift
    rm -f sim/overlap*
    "$srcdir/tests/sim/run.sh" cluster 2 sim/collbench-overlap --benchmark=sender --format=csv -o $out "$@" || exit 1
    cat $out sim/overlap-*.csv | awk -F, -v cells="$cells" '/^[a-z]+,[0-9]+,[0-9]+,,[0-9]/ { n++; bad += $6 < 0.99 * $3 || $6 > 1.01 * $3 || $10 != 10 }
        END { if (bad || n != cells) print n " cells, " bad + 0 " bad"; exit bad || n != cells }' || exit 1
    test ! -e $out.part || { echo "a part is left over"; exit 1; }
done

# usage: check PLATFORM SIMULATOR_OPTIONS RANKS CELLS OPTION...: CELLS must have a ratio; a cell
# without one must say that the computation ends before the message starts. What the paper has defined
# is a latency less at most, and its ratio follows from it and from the base round.
check() {
    platform=$1 SMPI_OPTIONS=$2 ranks=$3 cells=$4
    export SMPI_OPTIONS
    shift 4
    timeout 120 "$srcdir/tests/sim/run.sh" "$platform" "$ranks" sim/collbench-overlap --step=4 -i 5 \
        --sizes=1K:1M --comp=16:4K --format=csv "$@" >$out || exit 1
    awk -F, -v cells="$cells" '
        /^# latency: / { latency = $1; sub(/.*: /, "", latency); latency += 0; next }
        /^[0-9]+,/ { base[$1, "vector"] = $3; base[$1, "cpu"] = $4; base[$1, ""] = $2; next }
        !/^[a-z-]*,[0-9]*,[0-9]*,,[0-9]/ { next }
        { line[++lines] = $0 }
        END {
            for (i = 1; i <= lines; i++) {
                split(line[i], f)
                want = f[1] == "serial" ? 1 : 0; d = f[8] - want; n += f[8] != ""
                longer = f[5] > f[6] ? f[5] : f[6]
                if (f[1] ~ /^(sender|serial)$/ && f[8] != "") { # as long as the longer, or as one after the other
                    both = want ? f[5] + f[6] : longer
                    if (f[7] - both > 0.02 * both || both - f[7] > 0.02 * both) { print "T_measured is not " both ": " line[i]; bad = 1 }
                }
                if (f[12] != "") {
                    comm = base[f[2], f[1] ~ /^(vector|cpu)$/ ? f[1] : ""]
                    paper = (f[11] - (comm > f[6] ? comm : f[6])) / (comm < f[6] ? comm : f[6])
                    if (f[11] > f[7] + 0.01 || f[11] < f[7] - latency - 0.01 || paper - f[12] > 0.01 || f[12] - paper > 0.01) {
                        print "the paper has " paper ": " line[i]; bad = 1 }
                    published++
                }
                if (f[8] == "" && f[15] == "comp_too_short") continue
                if (f[8] == "" || d > 0.02 || d < -0.02 || f[15] != "") { print "not " want ": " line[i]; bad = 1 }
            }
            if (n < cells) print n " cells, not " cells
            exit bad || n < cells || ('$ranks' == 2 && !published)
        }' $out || { echo "on $platform, $SMPI_OPTIONS, $ranks ranks"; exit 1; }
}

# usage: takes MESSAGES: T_comm is so many messages' through one link.
takes() {
    grep '^[a-z-]*,[0-9]*,[0-9]*,,[0-9]' $out | awk -F, -v messages="$1" '
        $2 >= 65536 { n++; d = $5 - (10 + messages * $2 / 1250); if (d > 0.15 || d < -0.15) { print "T_comm: " $0; bad = 1 } }
        END { exit bad || !n }' || exit 1
}

# 6 sizes x 5 computations; the base round is the stated platform's own: 10 us and 1.25 GB/s
check cluster "$plain $rendezvous" 2 $((7 * 30)) --benchmark=$two,cpu
awk -F, '/^[0-9]+,[0-9.]+,[0-9.]+,[0-9.]+$/ { n++; d = $2 - (10 + $1 / 1250)
        if (d > 0.1 || d < -0.1) { print "base round: " $0; bad = 1 } }
    END { exit bad || n != 6 }' $out || exit 1
takes 1
check cluster "$plain" 4 30 --benchmark=destinations
takes 3
# A derived type takes what its blocks do, whatever is left over: here 1 us a byte, and 16 of a header.
check cluster "$plain $rendezvous --cfg=network/bandwidth-factor:0.0008" 2 5 --benchmark=vector --sizes=95:95
awk -F, '/^vector,95,[0-9]+,,/ { n++; bad += $5 < 89.9 || $5 > 90.1; line = $0 } END { if (bad) print "T_comm: " line; exit bad || n != 5 }' $out || exit 1
# What is shorter than the way to the sender can hide nothing of what comes from there.
check cluster "" 2 $((6 * 30 - 6)) --benchmark=$two
awk -F, '/^[a-z]+,[0-9]+,[0-9]+,,[0-9]/ { n[$1] += $8 != ""; next } /^[a-z]+,30,[0-9]+,/ { certain[$1] = $3 }
    END { for (b in n) if (n[b] != certain[b]) { print b ": " n[b] " ratios, " certain[b] " certain"; exit 1 } }' $out || exit 1
# The library that overlaps everything is of the class that the paper knows; the page has maps.
"$srcdir/tests/sim/run.sh" cluster 2 sim/collbench-overlap -i 5 --step=4 --sizes=1K:1M --comp=16:4K --benchmark=sender,receiver --format=json >sim/overlap.said &&
    sed -n '/^{/,$p' sim/overlap.said >sim/overlap.json && ./collprof report --format=html sim/overlap.json >/dev/null || exit 1
tr -d '\n' <sim/overlap.json | grep -q '"key": "overlap_behaviour",[^}]*"Small messages overlap on both sides, large messages on both sides: typical of' || { echo "another class"; exit 1; }
grep -q '"kind":"heat"' sim/overlap.html || { echo "no maps"; exit 1; }
if [ -n "${CHECK_THOROUGH:-}" ]; then
    check cluster "$plain" 2 $((6 * 30)) --benchmark=$two
    check grid "" 2 $((3 * 30)) --benchmark=$two
    check cluster "$plain $rendezvous" 4 30 --benchmark=destinations
fi

# cpu: T_comm is a blocking send's time, here 1 us, of which nothing can be hidden; MPI_Isend
# costs more.
for cost in 1 2 10; do
    SMPI_OPTIONS="$plain --cfg=smpi/os:0:1e-6:0 --cfg=smpi/ois:0:${cost}e-6:0"
    export SMPI_OPTIONS
    timeout 120 "$srcdir/tests/sim/run.sh" cluster 2 sim/collbench-overlap --benchmark=cpu -i 5 \
        --sizes=1K:1K --comp=64:64 --format=csv >$out || exit 1
    grep '^cpu,[0-9]*,[0-9]*,,[0-9]' $out | awk -F, -v cost=$cost '{ n++; d = $8 / cost; if (d < 0.97 || d > 1.03) { print "not " cost ": " $0; bad = 1 } }
        END { exit bad || n != 1 }' || exit 1
done
