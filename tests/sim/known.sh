#!/bin/sh
# Every figure of a profile against what it must be: known.c under the simulator's exact clock.
set -u
test -n "$SMPIRUN" || exit 77
rm -rf sim/known.1
COLLPROF_OUTPUT=sim/known.1 COLLPROF_REPORT=no "$srcdir/tests/sim/run.sh" cluster 4 sim/known 1 >sim/known.out 2>&1 ||
    { echo "FAIL: status $?"; cat sim/known.out; exit 1; }
python3 "$srcdir/tests/sim/known.py" "$srcdir/tests/sim/known.table" sim/known.1
