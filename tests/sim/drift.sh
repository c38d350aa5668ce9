#!/bin/sh
# What needs no common clock is as without drift, what does within 0.5 %: by frequent points, and the rates known
# from those, though each is sure to tens of microseconds only. Other suites' loops are at a loss no more than without.
set -u
test -n "$SMPIRUN" || exit 77
for drift in 0 20; do
    [ $drift = 0 ] || export SIM_DRIFT=$drift
    for size in 64 1M; do
        "$srcdir/tests/sim/run.sh" cluster 8 sim/collbench-bcast --sizes=$size:$size --method=barrier,held,direct --as=all \
            --root=3 --format=json >sim/drift.$drift.$size || { echo "FAIL: collbench-bcast, $drift ppm"; exit 1; }
    done
done
unset SIM_DRIFT
python3 - <<'END' || exit 1
import json
import re
def text_of(drift, size):
    text = open("sim/drift.%s.%s" % (drift, size)).read()
    return text[text.index("{"):]
def read(drift, size):
    return {r["method"]: r for r in json.loads(text_of(drift, size))["tables"]["methods"]["rows"]}
for size in "64", "1M":
    still, moved = read(0, size), read(20, size)
    for method in still:
        a, b = still[method]["value"], moved[method]["value"]
        if abs(b / a - 1) > 0.005:
            raise SystemExit("FAIL: %s, %s B: %s us, without drift %s us" % (method, size, b, a))
    if moved["direct"]["ended_by"] != "rule":
        raise SystemExit("FAIL: direct was ended by %s" % moved["direct"]["ended_by"])
# Half a round trip is what no bound can be below; another root, or the drift, adds next to nothing.
floor = float(re.search("half of the round trips: ([0-9.]+)", text_of(20, 64))[1])
bound = [r["numbers"]["error_us"] for r in read(20, 64)["direct"]["remarks"] if r["key"] == "clock_bound"][0]
if bound > 1.02 * floor:
    raise SystemExit("FAIL: direct +-%s us by the clocks, half of the round trips %s" % (bound, floor))
END

# Where one broadcast takes longer than the budget, held finds the slowest destination, too: it gave a third of direct.
sed 's/lat="5us"/lat="125ms"/' "$srcdir/tests/sim/platforms/cluster.xml" >sim/drift.satellite.xml
SIM_DRIFT=20 "$srcdir/tests/sim/run.sh" cluster 2 sim/collbench-pairs -i 3 | grep -q 'one_way *bound' || { echo "FAIL: no bound"; exit 1; }
# Of trees a least time is uncertain by the clocks, too.
[ "$(SIM_DRIFT=200 "$srcdir/tests/sim/run.sh" sim/drift.satellite.xml 4 sim/collbench-tree --sizes=1:1 --algorithm=flat --segment=0 \
    --format=csv | grep -c 'at_least clock_bound')" = 2 ] || { echo "FAIL: least times without an error"; exit 1; }
SIM_DRIFT=200 "$srcdir/tests/sim/run.sh" sim/drift.satellite.xml 8 sim/collbench-bcast --sizes=1:1 --method=held,direct --as=all \
    --format=json | python3 -c '
import json, sys
text = sys.stdin.read()
held, direct = (r["value"] for r in json.loads(text[text.index("{"):])["tables"]["methods"]["rows"][:2])
sys.exit("FAIL: over 250 ms held %s us, direct %s" % (held, direct) if abs(held / direct - 1) > 0.005 else 0)'
