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
    grep -q "^$operation,3,[08],[a-z]*,[0-9]" "$scratch/csv" || fail "no figure for $operation"
done
grep -q WRONG "$scratch/csv" && fail "wrong data"
# Fan-in: every pair of the second table ends at the root; fan-out: begins there.
awk -F, '/^# table: pairs/ { pairs = 1 } pairs && ($1 == "gather" && $6 != 2 || $1 == "scatter" && $5 != 2) { bad = 1 }
    END { exit bad || !pairs }' "$scratch/csv" || fail "pairs that a rooted operation does not couple"

"$MPIEXEC" -n 2 "$bench" --yield --operation=allreduce --sizes=8:64 --budget=0.3 --format=json -o "$scratch/json" 2>"$scratch/err" ||
    fail "json: status $?"
python3 - "$scratch/json" <<'END' || fail "what was written as JSON is wrong"
import json, sys
d = json.load(open(sys.argv[1]))
assert d["schema"] == "collbench-collective/4"
rows = d["tables"]["methods"]["rows"]
assert [(r["size"], r["method"]) for r in rows] == [(s, m) for s in (8, 16, 32, 64) for m in ("held", "direct")]
# Samples that depend on each other, on a busy machine, have no interval.
assert all(r["low"] is r["high"] is None or r["low"] <= r["value"] <= r["high"] for r in rows), rows
assert d["pictures"]
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
refused "unknown operation 'ireduce'" --operation=ireduce
refused "unknown method 'best': expected: all, send-latency" --method=best
refused "--root is '2': expected a rank from 0 to 1" --root=2
refused "at least 2 ranks" --ranks=1:2
if [ "$CHECK_MPI" = mpich ]; then # the library's other algorithms: turns.c makes one of them slow
    for value in 1 2; do
        "$MPIEXEC" -n 2 env TURNS_VARIABLE=MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM TURNS_SLOW=2 LD_PRELOAD="$turns" \
            "$bench" --cvar=MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=$value -i5 -x1 --stop=fixed --method=direct \
            --operation=allreduce --sizes=8K:8K --format=csv >"$scratch/out" 2>"$scratch/err" || fail "cvar: status $?"
        awk -F, -v slow=$((value == 2)) '/^allreduce,/ { n++; bad += ($5 >= 50000) != slow } END { exit bad || n != 1 }' "$scratch/out" ||
            fail "a control variable is not in force: $(cat "$scratch/out")"
    done
fi
# What arrives wrong is said, and the status.
"$MPIEXEC" -n 2 env TURNS_SPOIL=1 LD_PRELOAD="$turns" "$bench" --method=direct -i3 -x1 --stop=fixed --operation=allreduce --sizes=8K:8K \
    >"$scratch/out" 2>"$scratch/err"
[ $? -eq 1 ] && grep -q 'WRONG DATA in 1 of 1 cases' "$scratch/out" || fail "wrong data pass"
timeout 60 "$bench" >"$scratch/out" 2>"$scratch/err"
[ $? -eq 2 ] && grep -q "at least 2 ranks: use: mpiexec -n 2" "$scratch/err" || fail "one rank"
exit 0
