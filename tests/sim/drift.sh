#!/bin/sh
# One clock from clocks that drift, held against the simulator's: see drift.c.
set -u
test -n "$SMPIRUN" || exit 77
for platform in cluster grid; do
    for change in 0 100 -500; do
        "$srcdir/tests/sim/run.sh" $platform 8 sim/drift $change || { echo "FAIL: $platform, $change ppm"; exit 1; }
    done
done
