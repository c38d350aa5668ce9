#!/bin/sh
# One clock from clocks that drift, held against the simulator's: see drift.c.
set -u
test -n "$SMPIRUN" || exit 77
# Between sites of the grid a message takes 2 ms, and a rate is known after as many seconds.
while read -r platform change within; do
    "$srcdir/tests/sim/run.sh" "$platform" 8 sim/drift "$change" "$within" ||
        { echo "FAIL: $platform, $change ppm"; exit 1; }
done <<END
cluster 0 3
cluster 100 300
cluster -500 1000
grid 0 10000
grid 100 100000
grid -500 100000
END
