#!/bin/sh
# One clock from clocks that drift, held against the simulator's: see drift.c.
set -u
test -n "$SMPIRUN" || exit 77
for platform in cluster grid; do
    "$srcdir/tests/sim/run.sh" $platform 8 sim/drift || { echo "FAIL: $platform"; exit 1; }
done
