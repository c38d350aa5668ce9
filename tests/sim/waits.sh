#!/bin/sh
# Protects the names and the times of wait states, and the matching they rest on: situations whose waits are known, in the
# simulator, where time is exact; and the causes of waiting: programs whose guilty rank is two and three links away from
# most that wait.
set -u
test -n "$SMPIRUN" || exit 77
status=0
# play PROGRAM RANKS SITUATION [TRACE]
play() {
    rm -rf sim/$1.dir*
    COLLPROF_OUTPUT=sim/$1.dir COLLPROF_TRACE=${4-calls} COLLPROF_REPORT=no \
        timeout 120 "$srcdir/tests/sim/run.sh" cluster "$2" "sim/$1" "$3" >"sim/$1.out" 2>&1 ||
        { echo "FAIL: $3 of $2 ranks: status $?"; cat "sim/$1.out"; status=1; }
}
# judge PROGRAM RANKS
judge() {
    for situation in $(python3 "$srcdir/tests/sim/$1.py" names); do
        # A send is nothing to the simulator unless it is told: 1 us.
        export SMPI_OPTIONS=
        case $situation in small_messages | there_and_back) SMPI_OPTIONS="--cfg=smpi/os:0:1e-6:0" ;; esac
        play "$1" "$2" "$situation"
        ./collprof report --format=json "sim/$1.dir" >"sim/$1.json" || status=1
        python3 "$srcdir/tests/sim/$1.py" "$situation" "sim/$1.json" || status=1
    done
}
judge waits 4
# 256 ranks take seconds, and nothing is lost between them.
play waits 256 healthy
grep -q '"sends":10240,"receives":10240,"matched":10240,"contradictions":0,' sim/waits.dir/profile.json ||
    { echo "FAIL: of 256 ranks not all messages are matched"; status=1; }

judge causes 8
# Efficiency over time of the last one does not need the trace.
./collprof report --table=slices --format=csv sim/causes.dir >sim/causes.slices; [ "$(wc -l <sim/causes.slices)" -gt 8 ] || status=1
play causes 8 "$situation" ''
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
rm -rf sim/waits.dir* sim/waits.json sim/causes.dir* sim/causes.json sim/causes.slices*
exit $status
