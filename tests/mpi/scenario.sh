#!/bin/sh
# collbench-scenario on the real machine: every operation in every scenario, a file, the formats;
# and what it refuses: one clear line, status 2, nothing written. Timings are left to tests/sim.
set -u
program=collbench-scenario options='--budget=0.05 --stop=fixed -i 5'
. "$srcdir/tests/mpi/bench.sh"

run 2 --operation=all --scenario=1,2,3 --delay=4:8 --comp=4:8 --format=csv || fail "all: status $?"
# 24 operations: 1 row, 2 delays, 3 computations (0 is one); a barrier as all others
test "$(grep -c '^[0-9]' out)" = $((24 * (1 + 2 + 3))) || fail "all: $(grep -c '^[0-9]' out) rows"
# Figures are rounded to the nanosecond.
awk -F, '/^[0-9]/ && $6 * $6 > ($5 - $3) * ($3 - $4) + 0.01 + 0.002 * ($5 - $4) { print; bad = 1 } END { exit bad }' out ||
    fail "an impossible standard deviation"

# Every form of our own, its data checked; what does not exist is left out, and refused alone.
run 4 --operation=broadcast,scan --algorithm=all --sizes=0:0 --format=json || fail "own forms: status $?"
test "$(grep -o '"operation": "[a-z]* by [a-z]*' out | sort -u | wc -l)" = 5 || fail "own forms: others"
# One's own, from a shared object, beside the library's; and one that does not do its work.
cat >own.c <<END
#include <mpi.h>
int collective(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
#ifdef IDLE
    return MPI_SUCCESS;
#endif
    MPI_Reduce(send, recv, count, type, op, 1, comm);
    return MPI_Bcast(recv, count, type, 1, comm);
}
END
$MPICC -shared -fPIC own.c -o own.so && $MPICC -DIDLE -shared -fPIC own.c -o idle.so || fail "own.c"
run 2 --operation=allreduce,iallreduce --algorithm=native,./own.so --format=json || fail "own: status $?"
[ "$(grep -o '"operation": "[^"]*"' out | sort | tr '\n' ' ')" = '"operation": "allreduce by own.so" "operation": "allreduce" "operation": "iallreduce" ' ] ||
    fail "own: other rows"
run 2 --operation=allreduce --algorithm=./idle.so --format=csv
[ $? = 1 ] && grep -q 'wrong_data' out || fail "wrong data of one's own is not reported"
refuses 2 "no-such.so" --algorithm=./no-such.so
# The library's other algorithms, where it lets them be chosen.
if [ "$CHECK_MPI" = mpich ]; then
    run 2 --cvar=MPIR_CVAR_BCAST_INTRA_ALGORITHM=1 --cvar=MPIR_CVAR_BCAST_MIN_PROCS=2 || fail "cvar: status $?"
    sed ':a;N;$!ba;s/\n#  */ /g' out | grep -q 'control variable: MPIR_CVAR_BCAST_INTRA_ALGORITHM=1, MPIR_CVAR_BCAST_MIN_PROCS=2 ' || fail "cvar: unsaid"
fi
cat >two <<END
scenario two-at-once two operations pending, the last rank late
participants others
    start
    issue ibroadcast bytes 4K
    issue iallreduce
    comp 20
    sync
    stop
participants last
    start
    delay
    issue ibroadcast bytes 4K
    issue iallreduce
    sync
    stop
END
run 2 --scenario=two --sizes=64:256 --delay=50:100 --format=json || fail "file: status $?"
cp out json
python3 -c 'import json
d = json.load(open("json"))
rows = d["tables"]["scenarios"]["rows"]
# Two pictures, of columns that there are, those of the median with their intervals.
drawn = [(p["y"], p["low"], p["high"]) for p in d["pictures"] if "low" in p]
assert len(d["pictures"]) == 2 and drawn, d["pictures"]
assert all(r[low] is None or r[low] <= r[y] <= r[high] for r in rows for y, low, high in drawn), rows
assert all(p["x"] in r and p["y"] in r for r in rows for p in d["pictures"])
for r in rows:
    print(",".join("" if x is None else "%.3f" % x if isinstance(x, float) else str(x) for x in r.values()))' >out || fail "the pictures"
grep '^[0-9]' out | cut -d, -f1,8 | tr '\n' ' ' >rows
test "$(cat rows)" = "64,50.000 64,100.000 128,50.000 128,100.000 256,50.000 256,100.000 " ||
    fail "file: other rows: $(cat rows)"
awk -F, '/^[0-9]/ && $4 < $8 { print; bad = 1 } END { exit bad }' out ||
    fail "file: shorter than its delay"

for procs in 4294967298 -2147483649; do # an int's
    [ "$CHECK_MPI" = mpich ] && refuses 2 "the MPI library refuses this value" --cvar=MPIR_CVAR_BCAST_MIN_PROCS=$procs
done
exit 0
