#!/bin/sh
# Protects benchmark mode: each collective of an application (benchmark.c) is measured with its own arguments,
# as with all ranks there and as with the ranks arriving as they do, within 1 % of what the
# application itself sees; arrivals are replayed as they were recorded; started ones are measured.
set -u
test -n "$SMPIRUN" || exit 77
dir=sim/benchmark.dir
for how in steady alternating random; do
    rm -rf $dir
    COLLPROF_OUTPUT=$dir COLLPROF_REPORT=no COLLPROF_BENCHMARK=${1:-direct,held} COLLPROF_BENCHMARK_BUDGET=1000 timeout 250 \
        "$srcdir/tests/sim/run.sh" cluster 6 sim/benchmark $how >sim/benchmark.out 2>&1 ||
        { echo "FAIL: $how: status $?"; cat sim/benchmark.out; exit 1; }
    python3 - sim/benchmark.out $dir/profile.json $how <<'PY' || exit 1
import json, sys
truth, bad = {}, []
for line in open(sys.argv[1]):
    word = line.split()
    if word[:1] and word[0] in ("took", "this", "median"):
        truth[word[0], word[1]] = float(word[2]), float(word[3])
found, started = {}, set()
for f in json.load(open(sys.argv[2]))["findings"]["benchmark"]:
    if f["before_call"] is None:
        started.add(f["operation"])
    for row in f["methods"]:
        found[f["operation"], f["before_call"], row["method"]] = row
for (arrival, operation), (exact, apart) in sorted(truth.items()):
    method = "direct" if arrival == "took" else arrival + " arrival"
    row = found.get((operation, 9, method), {})
    time = row.get("time_us") or 0
    print("%-11s %-26s true %8.2f us, %-14s %8.2f us" % (sys.argv[3], operation, exact, method, time))
    # Who comes last may find all there: its call then takes a few readings of the clock.
    if abs(time - exact) > 0.01 * exact + 0.05:
        bad.append((arrival, operation))
    if arrival != "took":
        for key in ("recorded_apart_us", "replayed_apart_us"):
            if abs((row.get(key) or 0) - apart) > 0.01 * apart:
                bad.append((operation, method, key, row.get(key), apart))
print("bad:", bad, "started:", started)
sys.exit(bool(bad) or len(truth) != 48 or started != {"MPI_Iallreduce", "MPI_Ibcast"})
PY
done

# A budget that is used up by looking at the destinations is no reason to go on without one.
rm -rf $dir
COLLPROF_OUTPUT=$dir COLLPROF_REPORT=no COLLPROF_BENCHMARK=all COLLPROF_BENCHMARK_BUDGET=0.04 timeout 100 \
    "$srcdir/tests/sim/run.sh" grid 6 sim/benchmark steady >sim/benchmark.out 2>&1 ||
    { echo "FAIL: small budget: status $?"; cat sim/benchmark.out; exit 1; }
python3 - $dir/profile.json <<'PY'
import json, sys
first = json.load(open(sys.argv[1]))["findings"]["benchmark"][0]
print("small budget:", first["operation"], first["measured_in_seconds"], first.get("cut_short_by_budget"))
sys.exit(not first.get("cut_short_by_budget"))
PY
