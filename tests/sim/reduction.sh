#!/bin/sh
# Protects benchmark mode's reductions: the application's own operation is run, on its own type, so
# that what the operation costs is in the figure; and its results are as without.
set -u
test -n "$SMPIRUN" || exit 77
dir=sim/reduction.dir
for case in 8:50:1 5:230:0 13:700:1 6:90:0; do
    ranks=${case%%:*} rest=${case#*:}
    rm -rf $dir
    COLLPROF_OUTPUT=$dir COLLPROF_REPORT=no COLLPROF_BENCHMARK=direct timeout 100 \
        "$srcdir/tests/sim/run.sh" cluster "$ranks" sim/reduction "${rest%:*}" "${rest#*:}" >sim/reduction.out 2>&1 ||
        { echo "FAIL: $case: status $?"; cat sim/reduction.out; exit 1; }
    python3 - sim/reduction.out $dir/profile.json "$case" <<'PY' || exit 1
import json, sys
truth = {}
for line in open(sys.argv[1]):
    word = line.split()
    if word[:1] == ["took"]:
        truth[word[1]] = float(word[2])
found = {}
for f in json.load(open(sys.argv[2]))["findings"]["benchmark"]:
    found[f["operation"]] = f["methods"][0]["time_us"]
cost = float(sys.argv[3].split(":")[1])
bad = sorted(truth) != ["MPI_Allreduce", "MPI_Reduce"]
for operation, exact in truth.items():
    print("%s, %s: true %.2f us, found %s us" % (sys.argv[3], operation, exact, found.get(operation)))
    # At least three of them follow each other.
    bad |= exact < 3 * cost or abs(found.get(operation, 0) - exact) > 0.02 * exact
sys.exit(bool(bad))
PY
done
