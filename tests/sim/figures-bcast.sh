#!/bin/sh
# usage: figures-bcast.sh DIRECTORY
#
# The figures of de Supinski and Karonis, "Accurately Measuring MPI Broadcasts in a Computational
# Grid" (1999), measured again on up to 64 simulated ranks: figures 1, 3, 6, 7, 8, 10 and 11, and two
# that they did not draw: where their assumption fails (a flat broadcast), and a grid.
# A page has the pictures of a measurement and their numbers; these are beside it as JSON, too.
set -eu
out=$1
here=$(dirname "$0")
bench=sim/collbench-bcast
[ -n "${SMPIRUN:-}" ] || { echo "make figures: no simulator: install libsimgrid-dev" >&2; exit 1; }
mkdir -p "$out"

# A processor's part in a message, o of LogP, is nothing to the simulator unless it is told:
# 1 us and 0.2 ns for every byte, sending and receiving.
o="0:1e-6:2e-10"
# Small sends do not wait for their receiver, as with real MPIs.
SMPI_OPTIONS="--cfg=smpi/os:$o --cfg=smpi/ois:$o --cfg=smpi/or:$o"
export SMPI_OPTIONS

# measure NAME PLATFORM RANKS OPTION...: the simulator repeats itself exactly, so few
# repetitions do.
measure() {
    name=$1 platform=$2 ranks=$3
    shift 3
    echo "  $name"
    "$here/run.sh" "$platform" "$ranks" "$bench" "$@" --stop=fixed -i 3 -x 1 --budget=0 \
        --format=json --output="$out/$name.json"
    ./collprof report --format=html -o "$out/$name.html" "$out/$name.json" >/dev/null
}

# Figure 1: a binomial tree of 16 ranks, 5 us of processor for sending and for receiving.
echo "  figure-01"
rm -rf "$out/figure-01"
SMPI_OPTIONS="--cfg=smpi/os:0:5e-6:0 --cfg=smpi/or:0:5e-6:0 --cfg=smpi/async-small-thresh:65536" \
    COLLPROF_OUTPUT="$out/figure-01" COLLPROF_TRACE=calls COLLPROF_REPORT=no \
    "$here/run.sh" cluster 16 sim/waits binomial >"$out/figure-01.txt"
./collprof report --format=perfetto -o "$out/figure-01.json" "$out/figure-01" >/dev/null
# The last repetition, of 15 sends.
excerpt=$(python3 -c 'import json, sys
calls = [e for e in json.load(open(sys.argv[1]))["traceEvents"] if e["ph"] == "X"]
begin = sorted(e["ts"] for e in calls if e["name"] == "MPI_Send")[-15]
print("--from=%.6f --to=%.6f" % ((begin - 5) / 1e6, max(e["ts"] + e["dur"] for e in calls if e["name"] == "MPI_Recv") / 1e6))' \
    "$out/figure-01.json")
./collprof plot --picture=timeline $excerpt -o "$out/figure-01-time-line.html" "$out/figure-01" >/dev/null
rm -rf "$out/figure-01" "$out/figure-01.json" "$out/figure-01.txt"

algorithms=binomial,linear,backward
measure figures-03-to-11-256B cluster 64 --algorithm=$algorithms --sizes=256 --ranks=4:64:4 \
    --method=send-latency,rounds,ring-barrier,acknowledge,ol,held,direct

measure figures-07-and-10-64K cluster 64 --algorithm=$algorithms --sizes=64K --ranks=4:64:4 \
    --method=ring-barrier,held

# Figure 7's other barriers: with messages of 64 KiB, and the hypercube, of the library.
for size in 256 64K; do
    measure figure-07-ring-barrier-of-64K-messages-$size cluster 64 --algorithm=$algorithms --sizes=$size \
        --ranks=4:64:4 --method=ring-barrier --ring-size=64K
    SMPI_OPTIONS="$SMPI_OPTIONS --cfg=smpi/bcast:binomial_tree --cfg=smpi/barrier:ompi_recursivedoubling" \
        measure figure-07-hypercube-barrier-$size cluster 64 --algorithm=native --sizes=$size --ranks=4:64:4 --method=barrier
done

# Four ranks on each host.
export SIM_WAYS=4
measure figure-10-max-ol-256B-4-ranks-a-host cluster 64 --algorithm=$algorithms --sizes=256 --ranks=4:64:4 --method=ol
unset SIM_WAYS

measure flat-where-the-assumption-fails cluster 16 --algorithm=flat --sizes=64K --method=ol,held,direct --destinations

measure two-sites-4K grid 16 --algorithm=binomial,flat,linear --sizes=4K --destinations \
    --method=rounds,barrier,acknowledge,ol,held,direct
ls "$out"
