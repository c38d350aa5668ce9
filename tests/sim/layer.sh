#!/bin/sh
# Protects what --ack and --bcast say of a broadcast inside an application: against the simulator's
# exact clock, per destination, for broadcasts of different shapes, the simulator's and ours. Where
# the ack method's own condition fails (flat: the root is still busy when acknowledgements come), the
# samples have to be recognized as early, and the direct figure still holds. A destination that comes
# late is told apart; a clock that takes 20 us to read shows whether holds are taken off.
set -u
test -n "$SMPIRUN" || exit 77
out=sim/layer.out dir=sim/layer.dir
for algorithm in binomial_tree NTSL scatter_LR_allgather linear flat chain late slow_clock; do
    COLLPROF_BCAST='' SMPI_OPTIONS=--cfg=smpi/bcast:binomial_tree late=''
    case $algorithm in
    linear | flat | chain) COLLPROF_BCAST=$algorithm SMPI_OPTIONS='' ;;
    late) late=late ;;
    slow_clock) SMPI_OPTIONS="$SMPI_OPTIONS --cfg=smpi/wtime:2e-5" ;;
    *) SMPI_OPTIONS="--cfg=smpi/bcast:$algorithm" ;;
    esac
    rm -rf $dir
    export COLLPROF_BCAST SMPI_OPTIONS
    # shellcheck disable=SC2086 # one argument or none
    COLLPROF_OUTPUT=$dir COLLPROF_ACK=one COLLPROF_REPORT=no \
        "$srcdir/tests/sim/run.sh" cluster 8 sim/layer $late 256 65536 >$out 2>&1 ||
        { echo "FAIL: $algorithm: status $?"; cat $out; exit 1; }
    python3 - $algorithm $out $dir/profile.json <<'PY' || exit 1
import json, sys
algorithm, out, profile = sys.argv[1:]
truth = {}
for line in open(out):
    word = line.split()
    if word[:1] == ["destination"]:
        truth[int(word[1]), int(word[2])] = float(word[3])
findings = json.load(open(profile))["findings"]
found = findings["ack"]
bad = len(truth) != 14 or len(found) != 14
for f in found:
    exact = truth[f["bytes"], f["destination"]]
    ol, direct, early = f["ol_us"], f["direct_us"], f["early_percent"]
    print("%-20s %6d B to %d: true %8.2f us, acknowledged %s, direct %8.2f us, early %3.0f %%" % (
        algorithm, f["bytes"], f["destination"], exact,
        "%8.2f us" % ol if ol is not None else "     none", direct, early))
    bad |= f["acknowledged"] != 43
    if algorithm == "slow_clock":
        # E_i begins and ends in a reading, of which half goes with the round trip.
        bad |= abs(ol - direct) > 12
        continue
    bad |= abs(direct - exact) > 0.01 * exact
    bad |= ol is not None and early < 50 and abs(ol - exact) > 0.01 * exact
    bad |= ol is None and early < 100
    bad |= ol is not None and not f["ol_low_us"] <= ol <= f["ol_high_us"]
    # Of its 43 samples those of every second broadcast: by 1 ms and the 60.6 us that the program's
    # own broadcast of 8 bytes takes to get there.
    if algorithm == "late" and f["destination"] == 7:
        bad |= not 45 < f["late_percent"] < 55 or abs(f["late_by_us"] - 1060.6) > 1
    else:
        bad |= f["late_percent"] != 0 or f["late_by_us"] is not None
if algorithm == "flat" and not any(f["early_percent"] > 99 for f in found):
    print("no early acknowledgement on a flat tree"); bad = True
if algorithm in ("linear", "flat", "chain"):
    last = {size: max(t for (s, _), t in truth.items() if s == size) for size, _ in truth}
    for f in findings["broadcast"]:
        print("seen %8.2f us, the last destination %8.2f us" % (f["seen_us"], last[f["bytes"]]))
        bad |= f["calls"] != 301 or abs(f["seen_us"] - last[f["bytes"]]) > 0.01 * last[f["bytes"]]
        bad |= f["algorithm"] != algorithm or not f["seen_low_us"] <= f["seen_us"] <= f["seen_high_us"]
    bad |= len(findings["broadcast"]) != 2
if bad:
    print("FAIL:", algorithm)
sys.exit(bad)
PY
done
