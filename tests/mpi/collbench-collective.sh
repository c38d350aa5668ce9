#!/bin/sh
# collbench-collective on real MPI: what it writes is whole in every format, and bad input is
# one clear line with status 2. That its figures are right is tested in simulation.
set -u
program=collbench-collective options=
. "$srcdir/tests/mpi/bench.sh"

# Three ranks (no power of two), more than processors here: they give way.
run 3 --yield --operation=all --sizes=8 --budget=0.3 --pairs --root=2 --format=csv || fail "all operations: status $?"
for operation in barrier broadcast gather allgather allreduce reduce scatter alltoall reduce-scatter \
    neighbor-allgather neighbor-alltoall
do
    grep -q "^$operation,3,[08],[a-z]*,[0-9]" out || fail "no figure for $operation"
done
grep -q WRONG out && fail "wrong data"

run 2 --yield --operation=allreduce --sizes=8:64 --budget=0.3 --format=json || fail "json: status $?"
python3 - <<'END' || fail "what was written as JSON is wrong"
import json
d = json.load(open("out"))
assert d["schema"] == "collbench-collective/4"
rows = d["tables"]["methods"]["rows"]
assert [(r["size"], r["method"]) for r in rows] == [(s, m) for s in (8, 16, 32, 64) for m in ("direct", "held")]
# On a busy machine dependent samples have no interval, and with pairs left out there is no upper end.
assert all(r["low"] is r["high"] is None or r["low"] <= r["value"] <= (r["high"] or r["value"]) for r in rows), rows
assert d["pictures"]
END

# Persistent forms, where the library has them.
of=persistent-allreduce,persistent-neighbor-alltoall
[ "$CHECK_MPI" = mpich ] || refuses 2 "persistent-allreduce: this MPI library has none" --operation=$of
[ "$CHECK_MPI" != mpich ] || run 2 --yield --operation=$of --sizes=8 --budget=0.3 --format=csv || fail "persistent: status $?"
[ "$CHECK_MPI" != mpich ] || [ "$(grep -cE '^persistent-(allreduce,2,8,(held|direct)|neighbor-alltoall,2,8,direct),[0-9]' out)" = 3 ] ||
    fail "persistent: no figure"
options="--method=direct --operation=allreduce --sizes=8K:8K -x1 --stop=fixed"
if [ "$CHECK_MPI" = mpich ]; then # the library's other algorithms: turns.c makes one of them slow
    cvar=MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM
    for value in 1 2; do
        (export TURNS_VARIABLE=$cvar TURNS_SLOW=2 LD_PRELOAD="$turns"; run 2 --cvar=$cvar=$value -i5 --format=csv) ||
            fail "cvar: status $?"
        awk -F, -v slow=$((value == 2)) '/^allreduce,/ { n++; bad += ($5 >= 50000) != slow } END { exit bad || n != 1 }' out ||
            fail "a control variable is not in force"
    done
fi
spoiled -i3
exit 0
