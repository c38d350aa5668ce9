#!/bin/sh
# usage: figure-01.sh NAME
#
# Figure 1 of de Supinski and Karonis as NAME.html: the time line of a broadcast along a binomial tree of 16 ranks,
# 5 us of processor for sending and for receiving.
set -eu
SMPI_OPTIONS="--cfg=smpi/os:0:5e-6:0 --cfg=smpi/or:0:5e-6:0 --cfg=smpi/async-small-thresh:65536" \
    COLLPROF_OUTPUT="$1" COLLPROF_TRACE=calls COLLPROF_REPORT=no \
    "$(dirname "$0")/run.sh" cluster 16 sim/waits binomial >/dev/null
./collprof report --format=perfetto -o "$1.json" "$1" >/dev/null
# The last repetition, of 15 sends.
excerpt=$(python3 -c 'import json, sys
calls = [e for e in json.load(open(sys.argv[1]))["traceEvents"] if e["ph"] == "X"]
begin = sorted(e["ts"] for e in calls if e["name"] == "MPI_Send")[-15]
print("--from=%.6f --to=%.6f" % ((begin - 5) / 1e6, max(e["ts"] + e["dur"] for e in calls if e["name"] == "MPI_Recv") / 1e6))' \
    "$1.json")
./collprof report --format=html $excerpt -o "$1.html" "$1" >/dev/null
rm -rf "$1" "$1.json"
