#!/bin/sh
# collbench-collective on real MPI: what it writes is whole in every format, and bad input is
# one clear line with status 2. That its figures are right is tested in simulation.
set -u
bench=$top_builddir/bench/collbench-collective turns=$PWD/tests/mpi/.libs/libturns.so
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
fail() { echo "FAIL: $*"; cat "$scratch/err"; exit 1; }

# Three ranks (no power of two), more than processors here: they give way.
"$MPIEXEC" -n 3 "$bench" --yield --operation=all --sizes=8 --budget=0.3 --pairs \
    --root=2 --format=csv >"$scratch/csv" 2>"$scratch/err" || fail "all operations: status $?"
for operation in barrier broadcast gather allgather allreduce reduce scatter alltoall reduce-scatter
do
    grep -q "^$operation,3,[08],[0-9]" "$scratch/csv" || fail "no figure for $operation"
done
grep -q WRONG "$scratch/csv" && fail "wrong data"
# Fan-in: every pair of the second table ends at the root; fan-out: begins there.
awk -F, 'NF == 9 && $1 == "gather" && $5 != 2 || NF == 9 && $1 == "scatter" && $4 != 2 { bad = 1 }
    END { exit bad }' "$scratch/csv" || fail "pairs that a rooted operation does not couple"

printf '#!/bin/sh\ncat >"%s/script"\necho "IEND</svg>"\n' "$scratch" >"$scratch/keeper"
chmod +x "$scratch/keeper"
GNUPLOT=$scratch/keeper "$MPIEXEC" -n 2 "$bench" --yield --operation=allreduce --sizes=8:64 --budget=0.3 --plot="$scratch/p.png" \
    --format=json -o "$scratch/json" 2>"$scratch/err" || fail "json: status $?"
python3 - "$scratch/json" "$scratch/script" <<'END' || fail "what was written as JSON is wrong"
import json, sys
d = json.load(open(sys.argv[1]))
assert d["schema"] == "collbench-collective/1"
rows = d["tables"]["times"]["rows"]
assert [r["size"] for r in rows] == [8, 16, 32, 64]
assert all(r["direct"] <= r["span"] for r in rows), rows
# Samples that depend on each other, on a busy machine, have no interval.
assert all(r["low"] is r["high"] is None or r["low"] <= r["direct"] <= r["high"] for r in rows), rows
assert len(d["tables"]["statistics"]["rows"]) == 4
assert d["tables"]["pairs"]["rows"]
# Of the picture: each row's interval, of either method.
drawn = [tuple(map(float, w)) for w in map(str.split, open(sys.argv[2])) if len(w) == 4 and w[0].isdigit()]
told = [tuple(r[k] for k in ("size", *keys)) for keys in (("direct", "low", "high"), ("mirrored", "pair_low", "pair_high")) for r in rows
        if r[keys[0]] is not None]  # on a busy machine not every pair has its time
assert len(drawn) == len(told) >= 4, drawn
for d, t in zip(drawn, told):
    assert all(abs(x - y) <= 1e-6 * y for x, y in zip(d, t) if y is not None), (d, t)
END

refused() {
    phrase=$1
    shift
    "$MPIEXEC" -n 2 "$bench" "$@" >"$scratch/out" 2>"$scratch/err"
    status=$?
    grep '^collbench-collective: ' "$scratch/err" >"$scratch/said"
    [ $status -eq 2 ] || fail "$*: status $status, not 2"
    [ "$(wc -l <"$scratch/said")" -eq 1 ] || fail "$*: not said in one line"
    grep -qF -- "$phrase" "$scratch/said" || fail "$*: does not say '$phrase'"
    grep -q '^#' "$scratch/out" && fail "$*: results all the same"
}
refused "unknown operation 'scan': expected: all, barrier, broadcast," --operation=reduce,scan
refused "--datatype=int: --sizes have to be multiples of 4, and 1 is not" --datatype=int --sizes=0:64
refused "unknown operation in 'ireduce'" --operation=ireduce
refused "unknown method 'best': expected: all, direct, mirrored" --method=best
refused "--root is '2': ranks are 0 to 1" --root=2
refused "--pairs lists what the method mirrored finds" --pairs --method=direct
refused "at least 2 ranks" --ranks=1:2
if [ "$CHECK_MPI" = mpich ]; then # the library's other algorithms, in one table
    two=--cvar=MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=recursive_doubling,nb
    "$MPIEXEC" -n 2 "$bench" $two --operation=allreduce,barrier --sizes=64:128 --format=csv >"$scratch/out" || fail "$two"
    [ "$(grep -cE '^(allreduce|barrier):(recursive_doubling|nb),2,' "$scratch/out")" -eq 6 ] || fail "$two: other rows"
    "$MPIEXEC" -n 2 "$top_builddir/bench/collbench-bcast" $two --sizes=8 >"$scratch/out" 2>"$scratch/err"
    grep -q 'one value at a time' "$scratch/err" || fail "several values where one is used"
    refused "--guidelines compares operations" --guidelines $two
    # Each value is in force in its row: turns.c makes one of them slow.
    for name in collective scenario; do
        "$MPIEXEC" -n 2 env TURNS_VARIABLE=MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM TURNS_SLOW=2 LD_PRELOAD="$turns" \
            "$top_builddir/bench/collbench-$name" --cvar=MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=1,2,3 -i5 -x1 --stop=fixed \
            --operation=allreduce --sizes=8K:8K --format=csv >"$scratch/out" 2>"$scratch/err" || fail "$name: turns"
        awk -F'[,:]' '/^# table/ { row = $3 } /^allreduce:/ { row = $2; $3 = $5 } row && $1 ~ /^(8192|allreduce)$/ { seen = seen " " row ($3 >= 50000 ? "slow" : "") }
            END { print seen; exit seen != " 1 2slow 3" }' "$scratch/out" || fail "$name: a value is not in force in its row"
    done
fi
# --rotate takes other buffers in turn.
for n in 1 3; do
    for name in collective scenario; do
        "$MPIEXEC" -n 2 env LD_PRELOAD="$turns" "$top_builddir/bench/collbench-$name" --rotate=$n -i5 -x1 --stop=fixed \
            --operation=allreduce --sizes=8K:8K >"$scratch/out" 2>"$scratch/err" || fail "$name: --rotate=$n: status $?"
        [ "$(sed -n '/^buffer /p' "$scratch/err" | sort -u | tail -1)" = "buffer $n" ] || fail "$name: --rotate=$n: other buffers"
    done
done
# Nobody takes the same buffer in a row, but once after the check of the data.
"$MPIEXEC" -n 2 env LD_PRELOAD="$turns" "$bench" --rotate=3 --method=direct -i9 -x1 --stop=fixed --operation=allreduce --sizes=8K:8K \
    >"$scratch/out" 2>"$scratch/err" || fail "turns: status $?"
[ "$(grep -c 'no turn' "$scratch/err")" -le 4 ] || fail "buffers do not take turns"
# With --fresh data are written between any two, and not without.
for fresh in "" --fresh; do
    # shellcheck disable=SC2086 # no word or one
    "$MPIEXEC" -n 2 env TURNS_FRESH=1 LD_PRELOAD="$turns" "$bench" $fresh --method=direct -i9 -x1 --stop=fixed --operation=allreduce \
        --sizes=32K:32K >"$scratch/out" 2>"$scratch/err" || fail "fresh: status $?"
    old=$(grep -c 'not written' "$scratch/err")
    if [ "$fresh" ]; then [ "$old" = 0 ]; else [ "$old" -gt 12 ]; fi || fail "${fresh:-not fresh}: $old times data from before"
done
# What arrives wrong is said, and the status.
"$MPIEXEC" -n 2 env TURNS_SPOIL=1 LD_PRELOAD="$turns" "$bench" --method=direct -i3 -x1 --stop=fixed --operation=allreduce --sizes=8K:8K \
    >"$scratch/out" 2>"$scratch/err"
[ $? -eq 1 ] && grep -q 'WRONG DATA 2 times' "$scratch/out" || fail "wrong data pass"
timeout 60 "$bench" >"$scratch/out" 2>"$scratch/err"
[ $? -eq 2 ] && grep -q "at least 2 ranks: mpiexec -n 2" "$scratch/err" || fail "one rank"
exit 0
