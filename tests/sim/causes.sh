#!/bin/sh
# Protects the causes of waiting: programs whose guilty rank is two and three links away from most that wait, in the
# simulator, where time is exact.
set -u
test -n "$SMPIRUN" || exit 77
status=0
for situation in $(python3 "$srcdir/tests/sim/causes.py" names); do
    rm -rf sim/causes.dir*
    COLLPROF_OUTPUT=sim/causes.dir COLLPROF_TRACE=calls COLLPROF_REPORT=no \
        timeout 60 "$srcdir/tests/sim/run.sh" cluster 8 sim/causes $situation >sim/causes.out 2>&1 ||
        { echo "FAIL: $situation: status $?"; cat sim/causes.out; status=1; continue; }
    ./collprof report --format=json sim/causes.dir >sim/causes.json || status=1
    python3 "$srcdir/tests/sim/causes.py" $situation sim/causes.json || status=1
done

# Efficiency over time of the last one does not need the trace.
./collprof report --table=slices --format=csv sim/causes.dir >sim/causes.slices; [ "$(wc -l <sim/causes.slices)" -gt 8 ] || status=1
rm -rf sim/causes.dir*
COLLPROF_OUTPUT=sim/causes.dir COLLPROF_REPORT=no \
    timeout 60 "$srcdir/tests/sim/run.sh" cluster 8 sim/causes $situation >sim/causes.out 2>&1 || status=1
./collprof report --table=slices --format=csv sim/causes.dir | cmp - sim/causes.slices || status=1

# Each rank in turn takes twice as long: of P ranks the mean of computation is (1 + 1/P) of the shortest, the run takes
# twice that. Weak scaling: with the computation the efficiency of 4 is that of 2.
rm -rf sim/causes.dir*
for ranks in 2 4; do
    COLLPROF_OUTPUT=sim/causes.dir$ranks COLLPROF_TRACE=calls COLLPROF_REPORT=no \
        timeout 60 "$srcdir/tests/sim/run.sh" cluster $ranks sim/causes in_turn >sim/causes.out 2>&1 || status=1
done
for case in "0 74" "3 76"; do
    # shellcheck disable=SC2086 # status and limit
    set -- $case
    ./collprof scale --weak --fail-below=$2 --format=json sim/causes.dir[24] >sim/causes.json
    [ $? = "$1" ] || { echo "FAIL: scale --fail-below=$2: not status $1"; status=1; }
done
python3 - <<'PY' || status=1
import json
two, four = json.load(open("sim/causes.json"))["tables"]["scale"]["rows"]
expected = {"ranks": (2, 4), "parallel": (75, 62.5), "load_balance": (100, 100), "serialisation": (75, 62.5),
            "transfer": (100, 100), "computation": (100, 120), "global": (75, 75)}
bad = {k: (two[k], four[k]) for k, (a, b) in expected.items() if abs(two[k] - a) > 0.5 or abs(four[k] - b) > 0.5}
print("scale:", bad or "right")
raise SystemExit(bool(bad))
PY
# Several threads of a rank call MPI: the efficiency is unknown.
sed -i 's/"threads_at_once": *false/"threads_at_once": true/' sim/causes.dir4/profile.json
./collprof scale --weak --fail-below=10 sim/causes.dir[24] >sim/causes.out
[ $? = 4 ] || { echo "FAIL: an unknown efficiency: not status 4"; status=1; }
rm -rf sim/causes.dir* sim/causes.json sim/causes.slices*
exit $status
