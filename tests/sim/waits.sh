#!/bin/sh
# Protects the names and the times of wait states, and the matching they rest on: situations whose
# waits are known, in the simulator, where time is exact.
set -u
test -n "$SMPIRUN" || exit 77
status=0

# The finding that it is: its key and rank; of a healthy program there is none.
found()
{
    ./collprof report --format=json sim/waits.dir | python3 -c '
import json, sys
want = {"late_sender": ("late_sender", [0]), "late_receiver": ("late_receiver", [1]), "big_message": ("big_message", [1]),
        "late_root": ("late_root", [2]), "early_root": ("early_root", [3]), "n_to_n": ("n_to_n", [1]),
        "diffuse_procedure": ("diffuse_procedure", []), "random_barrier": ("random_barrier", []),
        "intensive_server": ("intensive_server", [0]), "small_messages": ("small_messages", [0])}
situation = sys.argv[1]
findings = [(f["key"], f.get("ranks", [])) for f in json.load(sys.stdin)["diagnosis"] if f["severity"] == "finding"]
keys = [key for key, _ in findings]
bad = []
if situation in want and want[situation] not in findings:
    bad.append("no finding %s %s" % want[situation])
if situation != "small_messages" and "small_messages" in keys:
    bad.append("the messages are not small")
if situation == "healthy" and findings:
    bad.append("a finding")
sys.exit(bad and "FAIL: %s: %s in %s" % (situation, bad, findings) or 0)' $1
}

for situation in $(python3 "$srcdir/tests/sim/waits.py" names); do
    rm -rf sim/waits.dir*
    # A send is nothing to the simulator unless it is told: 1 us.
    export SMPI_OPTIONS=
    case $situation in small_messages | there_and_back) SMPI_OPTIONS="--cfg=smpi/os:0:1e-6:0" ;; esac
    COLLPROF_OUTPUT=sim/waits.dir COLLPROF_TRACE=calls COLLPROF_REPORT=no \
        timeout 60 "$srcdir/tests/sim/run.sh" cluster 4 sim/waits $situation >sim/waits.out 2>&1 ||
        { echo "FAIL: $situation: status $?"; cat sim/waits.out; status=1; continue; }
    python3 "$srcdir/tests/sim/waits.py" $situation sim/waits.dir/profile.json || status=1
    found $situation || status=1
done
# 256 ranks take seconds, and nothing is lost between them.
rm -rf sim/waits.dir*
COLLPROF_OUTPUT=sim/waits.dir COLLPROF_TRACE=calls COLLPROF_REPORT=no \
    timeout 120 "$srcdir/tests/sim/run.sh" cluster 256 sim/waits healthy >sim/waits.out 2>&1 ||
    { echo "FAIL: 256 ranks: status $?"; status=1; }
grep -q '"sends":10240,"receives":10240,"matched":10240,"contradictions":0,' sim/waits.dir/profile.json ||
    { echo "FAIL: of 256 ranks not all messages are matched"; status=1; }
rm -rf sim/waits.dir*
exit $status
