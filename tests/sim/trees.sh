#!/bin/sh
# Protects what trees from measured latencies are for, on the exact clock: predictions within 5 % of
# whole messages where they share nothing, none in segments or where they do (but for chains); never more than 2 % slower
# than the library's broadcast, at least twice as fast on eight sites.
run="$srcdir/tests/sim/run.sh"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
SMPI_OPTIONS="--cfg=smpi/async-small-thresh:0 --cfg=smpi/os:0:1e-6:0 --cfg=smpi/ois:0:1e-6:0 --cfg=smpi/or:0:1e-6:0"
export SMPI_OPTIONS

# check PLATFORM RANKS PLACING GAIN LARGEST: GAIN is the least for 256 B.
check() {
    SIM_PLACING=$3
    export SIM_PLACING
    sh "$run" "$1" "$2" sim/collbench-tree --format=csv --sizes=256:$5 --step=4 --stop=fixed -i 3 \
        -x 1 --algorithm=grid >"$dir/$1" || { echo "FAILED: $1 does not run"; failed=1; return; }
    awk -F, -v platform="$1" -v ranks="$2" -v gain="$4" '
        $3 == "MPI_Bcast" { library = $8 }
        $3 ~ /^"?grid/ {
            rows++
            error = $5 == "" ? 0 : 100 * ($5 / $8 - 1)
            printf "%-9s %2d %7d B %-22s predicted %8.1f measured %8.1f (%+.1f %%) library %9.1f us\n", \
                platform, ranks, $2, $3, $5, $8, error, library
            if (error > 5 || error < -5 || ($5 != "" && $4 != "")) { print "FAILED: prediction"; bad = 1 }
            if ($13 == "yes" && $8 > 1.02 * library) { print "FAILED: slower than the library"; bad = 1 }
            if ($2 == 256 && library < gain * $8) { print "FAILED: gain"; bad = 1 }
        }
        END { exit bad || rows < 3 }' "$dir/$1" || failed=1
}
check sites2 8 blocks 1 1M
check sites8 32 scattered 2 64K

# On figure 4's network, whose processors, cards and one link between the sites are shared.
SMPI_OPTIONS='--cfg=smpi/async-small-thresh:131072 --cfg=smpi/send-is-detached-thresh:131072' \
    sh "$run" workstations 7 sim/collbench-tree --ranks=6:7:1 --sizes=100000 --algorithm=grid -i 3 -x 1 --stop=fixed \
    --format=csv >"$dir/four" || { echo "FAILED: workstations does not run"; failed=1; }
awk -F, '$3 == "MPI_Bcast" { library = $8 }
    $3 ~ /^"?grid/ { print; n++; if ($8 > 0.65 * library || $5 != "") bad = 1 } END { exit bad || n != 2 }' "$dir/four" ||
    { echo "FAILED: figure 4"; failed=1; }

# cables HOSTS LEFT: LEFT hosts with a cable to each of the others, which pass on messages; 0: one for each pair.
cables() {
    awk -v n="$1" -v m="$2" 'function cable(a, b) { return "<link_ctn id=\"" (a < b ? a "-" b : b "-" a) "\"/>" }
    BEGIN { print "<?xml version=\"1.0\"?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\"><platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">"
    for (i = 0; i < n; i++) print "<host id=\"node-" i "\" speed=\"1Gf\"/>"
    for (j = 0; j < n; j++) for (i = 0; i < (m ? m : j); i++) if (j >= m) print "<link id=\"" i "-" j "\" bandwidth=\"100MBps\" latency=\"10us\"/>"
    for (i = 0; i < n; i++) for (j = 0; j < i; j++) { k = j + 2 * i; if (m) k = i < m ? m + (i + j) % (n - m) : k % m
        print "<route src=\"node-" i "\" dst=\"node-" j "\">" (m && (i < m || j >= m) ? cable(i, k) cable(k, j) : cable(i, j)) "</route>" }
    print "</zone></platform>" }'
}
# Messages of different ports meet further on, so only of a chain is anything predicted.
cables 6 3 >"$dir/sides.xml"
SMPI_OPTIONS='' sh "$run" "$dir/sides.xml" 6 sim/collbench-tree --sizes=4K:4K --segment=0 -i 3 -x 1 --stop=fixed --format=csv >"$dir/sides"
awk -F, '/^6,4096,[^M]/ { n++; if ($3 == "chain" ? !($5 > 0.99 * $8 && $5 < 1.01 * $8) : $5 != "" || !/prediction_unknown/) bad = 1 }
    END { exit bad || n != 5 }' "$dir/sides" || { cat "$dir/sides"; echo "FAILED: predictions where ports share a cable further on"; failed=1; }
# Where each pair has a cable, the root sends to all at once: flat is the fastest, and predicted so.
cables 5 0 >"$dir/cables.xml"
SMPI_OPTIONS='' sh "$run" "$dir/cables.xml" 5 sim/collbench-tree --sizes=1K:1M --step=10 -i 3 -x 1 --stop=fixed --format=csv >"$dir/cables"
awk -F, '$3 == "grid" { grid = $8 } $3 == "flat" { n++; bad = bad || !(grid <= 1.02 * $8) || ($5 != "" && ($5 < 0.99 * $8 || $5 > 1.01 * $8)) } END { exit bad || n != 2 }' \
    "$dir/cables" || { cat "$dir/cables"; echo "FAILED: flat is faster than what is advised"; failed=1; }
# Two pairs that share one cable stand out in the tournament; alone they are as fast as all others.
cables 8 0 | sed 's/<link_ctn id="6-7"/<link_ctn id="2-3"/' >"$dir/hidden.xml"
SMPI_OPTIONS='' sh "$run" "$dir/hidden.xml" 8 sim/collbench-pairs --sizes=64K:64K -i 10 --suspect=1.3 >"$dir/hidden" ||
    { cat "$dir/hidden"; echo "FAILED: pairs that share a cable are called slow"; failed=1; }
exit $failed
