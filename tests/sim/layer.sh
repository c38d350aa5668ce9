#!/bin/sh
# Protects what --ack says of a broadcast inside an application: against the simulator's exact
# clock, per destination, for broadcasts of different shapes, the simulator's and ours by --bcast.
# Where the ack method's own condition fails (flat: the root is still busy when acknowledgements
# come), the samples have to be recognized as early, and the direct figure still holds.
set -u
test -n "$SMPIRUN" || exit 77
out=sim/layer.out dir=sim/layer.dir
for algorithm in binomial_tree NTSL scatter_LR_allgather linear flat chain; do
    case $algorithm in
    linear | flat | chain) COLLPROF_BCAST=$algorithm SMPI_OPTIONS= ;;
    *) COLLPROF_BCAST= SMPI_OPTIONS="--cfg=smpi/bcast:$algorithm" ;;
    esac
    rm -rf $dir
    export COLLPROF_BCAST SMPI_OPTIONS
    COLLPROF_OUTPUT=$dir COLLPROF_ACK=one COLLPROF_REPORT=no \
        "$srcdir/tests/sim/run.sh" cluster 8 sim/layer 256 65536 >$out 2>&1 ||
        { echo "FAIL: $algorithm: status $?"; cat $out; exit 1; }
    python3 - $algorithm $out $dir/profile.json <<'PY' || exit 1
import json, sys
algorithm, out, profile = sys.argv[1:]
truth = {}
for line in open(out):
    word = line.split()
    if word[:1] == ["destination"]:
        truth[int(word[1]), int(word[2])] = float(word[3])
found = json.load(open(profile))["findings"]["ack"]
bad = len(truth) != 14 or len(found) != 14
for f in found:
    exact = truth[f["bytes"], f["destination"]]
    ol, direct, early = f["ol_us"], f["direct_us"], f["early_percent"]
    print("%-20s %6d B to %d: true %8.2f us, acknowledged %s, direct %8.2f us, early %3.0f %%" % (
        algorithm, f["bytes"], f["destination"], exact,
        "%8.2f us" % ol if ol is not None else "     none", direct, early))
    bad |= abs(direct - exact) > 0.01 * exact
    bad |= ol is not None and early < 50 and abs(ol - exact) > 0.01 * exact
    bad |= ol is None and early < 100
if algorithm == "flat" and not any(f["early_percent"] > 99 for f in found):
    print("no early acknowledgement on a flat tree"); bad = True
if bad:
    print("FAIL:", algorithm)
sys.exit(bad)
PY
done
