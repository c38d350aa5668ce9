#!/bin/sh
# Protects benchmark mode: each collective of an application (benchmark.c) is measured with its own arguments,
# as with all ranks there and as with the ranks arriving as they do, within 1 % of what the
# application itself sees; arrivals are replayed as they were recorded; started ones are measured.
set -u
test -n "$SMPIRUN" || exit 77
dir=sim/benchmark.dir
rm -rf $dir
COLLPROF_OUTPUT=$dir COLLPROF_REPORT=no COLLPROF_BENCHMARK=${1:-direct,held} COLLPROF_BENCHMARK_BUDGET=1000 timeout 250 \
    "$srcdir/tests/sim/run.sh" cluster 6 sim/benchmark >sim/benchmark.out 2>&1 ||
    { echo "FAIL: status $?"; cat sim/benchmark.out; exit 1; }
python3 - sim/benchmark.out $dir/profile.json <<'PY'
import json, sys
truth, bad = {}, []
for line in open(sys.argv[1]):
    word = line.split()
    if word[:1] and word[0] in ("took", "arrived"):
        truth[word[0], word[1]] = float(word[2])
found, started = {}, set()
for f in json.load(open(sys.argv[2]))["findings"]["benchmark"]:
    if f["before_call"] is None:
        started.add(f["operation"])
    for row in f["methods"]:
        found[f["operation"], f["before_call"], row["method"]] = row
for (how, operation), exact in sorted(truth.items()):
    for method in ("direct",) if how == "took" else ("median arrival", "this arrival"):
        row = found.get((operation, 9, method), {})
        time = row.get("time_us") or 0
        print("%-8s %-26s true %8.2f us, %s %8.2f us" % (how, operation, exact, method, time))
        if abs(time - exact) > 0.01 * exact:
            bad.append((how, operation, method))
        if how == "arrived":
            for key in ("recorded_apart_us", "replayed_apart_us"):
                if abs((row.get(key) or 0) - 500) > 5:
                    bad.append((operation, method, key, row.get(key)))
print("bad:", bad, "started:", started)
sys.exit(bool(bad) or len(truth) != 32 or started != {"MPI_Iallreduce", "MPI_Ibcast"})
PY
