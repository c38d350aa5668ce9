#!/bin/sh
# Protects benchmark mode's reductions: the application's own operation is run, on its own type, so
# that what the operation costs is in the figure; and its results are as without.
set -u
test -n "$SMPIRUN" || exit 77
dir=sim/reduction.dir
rm -rf $dir
COLLPROF_OUTPUT=$dir COLLPROF_REPORT=no COLLPROF_BENCHMARK=direct timeout 100 \
    "$srcdir/tests/sim/run.sh" cluster 8 sim/reduction >sim/reduction.out 2>&1 ||
    { echo "FAIL: status $?"; cat sim/reduction.out; exit 1; }
python3 - sim/reduction.out $dir/profile.json <<'PY'
import json, sys
truth = {}
for line in open(sys.argv[1]):
    word = line.split()
    if word[:1] == ["took"]:
        truth[word[1]] = float(word[2])
found = {}
for f in json.load(open(sys.argv[2]))["findings"]["benchmark"]:
    found[f["operation"]] = f["methods"][0]["time_us"]
bad = sorted(truth) != ["MPI_Allreduce", "MPI_Reduce"]
for operation, exact in truth.items():
    print("%s: true %.2f us, found %s us" % (operation, exact, found.get(operation)))
    bad |= exact < 150 or abs(found.get(operation, 0) - exact) > 0.02 * exact
sys.exit(bool(bad))
PY
