#!/bin/sh
# Protects the names and the times of wait states, and the matching they rest on: situations whose
# waits are known, in the simulator, where time is exact.
set -u
test -n "$SMPIRUN" || exit 77
status=0
for situation in $(python3 "$srcdir/tests/sim/waits.py" names); do
    rm -rf sim/waits.dir*
    # A send is nothing to the simulator unless it is told: 1 us.
    export SMPI_OPTIONS=
    case $situation in small_messages | there_and_back) SMPI_OPTIONS="--cfg=smpi/os:0:1e-6:0" ;; esac
    COLLPROF_OUTPUT=sim/waits.dir COLLPROF_TRACE=calls COLLPROF_REPORT=no \
        timeout 60 "$srcdir/tests/sim/run.sh" cluster 4 sim/waits $situation >sim/waits.out 2>&1 ||
        { echo "FAIL: $situation: status $?"; cat sim/waits.out; status=1; continue; }
    ./collprof report --format=json sim/waits.dir >sim/waits.json || status=1
    python3 "$srcdir/tests/sim/waits.py" $situation sim/waits.json || status=1
done
# 256 ranks take seconds, and nothing is lost between them.
rm -rf sim/waits.dir*
COLLPROF_OUTPUT=sim/waits.dir COLLPROF_TRACE=calls COLLPROF_REPORT=no \
    timeout 120 "$srcdir/tests/sim/run.sh" cluster 256 sim/waits healthy >sim/waits.out 2>&1 ||
    { echo "FAIL: 256 ranks: status $?"; status=1; }
grep -q '"sends":10240,"receives":10240,"matched":10240,"contradictions":0,' sim/waits.dir/profile.json ||
    { echo "FAIL: of 256 ranks not all messages are matched"; status=1; }
rm -rf sim/waits.dir* sim/waits.json
exit $status
