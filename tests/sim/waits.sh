#!/bin/sh
# Protects the names and the times of wait states, and the matching they rest on: situations whose
# waits are known, in the simulator, where time is exact.
set -u
test -n "$SMPIRUN" || exit 77
status=0
for situation in $(python3 "$srcdir/tests/sim/waits.py" names); do
    rm -rf sim/waits.dir
    COLLPROF_OUTPUT=sim/waits.dir COLLPROF_TRACE=calls COLLPROF_REPORT=no \
        timeout 60 "$srcdir/tests/sim/run.sh" cluster 4 sim/waits $situation >sim/waits.out 2>&1 ||
        { echo "FAIL: $situation: status $?"; cat sim/waits.out; status=1; continue; }
    python3 "$srcdir/tests/sim/waits.py" $situation sim/waits.dir/profile.json || status=1
done
exit $status
