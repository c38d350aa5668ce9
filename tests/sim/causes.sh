#!/bin/sh
# Protects the causes of waiting: programs whose guilty rank is two and three links away from most that wait, in the
# simulator, where time is exact.
set -u
test -n "$SMPIRUN" || exit 77
status=0
for situation in $(python3 "$srcdir/tests/sim/causes.py" names); do
    rm -rf sim/causes.dir
    COLLPROF_OUTPUT=sim/causes.dir COLLPROF_TRACE=calls COLLPROF_REPORT=no \
        timeout 60 "$srcdir/tests/sim/run.sh" cluster 8 sim/causes $situation >sim/causes.out 2>&1 ||
        { echo "FAIL: $situation: status $?"; cat sim/causes.out; status=1; continue; }
    ./collprof report --format=json sim/causes.dir >sim/causes.json || status=1
    python3 "$srcdir/tests/sim/causes.py" $situation sim/causes.json || status=1
done
rm -rf sim/causes.dir sim/causes.json
exit $status
