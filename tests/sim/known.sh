#!/bin/sh
# Every figure of a profile against what it must be: known.c under the simulator's exact clock; and
# the same in everything that people read of it.
set -u
test -n "$SMPIRUN" || exit 77
for factor in 1 2; do
    rm -rf sim/known.$factor
    COLLPROF_OUTPUT=sim/known.$factor COLLPROF_REPORT=no \
        "$srcdir/tests/sim/run.sh" cluster 4 sim/known $factor >sim/known.out 2>&1 ||
        { echo "FAIL: status $?"; cat sim/known.out; exit 1; }
done
python3 "$srcdir/tests/sim/known.py" "$srcdir/tests/sim/known.table" sim/known.1 || exit 1
python3 "$srcdir/tests/sim/pages.py" ./collprof sim/known.1 sim/known.2
