#!/bin/sh
# A prediction comes true on real ranks: of two ranks one takes longer; balanced, the program takes as long as the trace of the
# other run predicts, within 5 %. Ranks sleep instead of working. Where a rank is outside of MPI for over 3 % longer
# than it sleeps the machine is busy, and the runs show nothing.
. "${srcdir:-.}/tests/mpi/lib.sh"
test "${CHECK_THOROUGH:-0}" != 0 || skip "only in a thorough check"
test -n "$mpis" || skip "no MPI with a layer and a compiler"
# shellcheck disable=SC2046,SC2086 # the first of a list
with_mpi $(echo $mpis | cut -d" " -f1)
write_program steps <<'END'
    int out = 1, in;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int step = 0; step < 40; step++) {
        usleep((unsigned)atoi(argv[1 + rank]));
        MPI_Sendrecv(&out, 1, MPI_INT, 1 - rank, 1, &in, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
END
$MPICC -o steps steps.c || fail "does not compile"
for attempt in 1 2 3 4 5; do
    timeout 60 $MPIEXEC -n 2 "$collprof" run --yield --trace --report=no -o recorded$attempt ./steps 10000 30000 2>err ||
        { cat err; fail "status $?"; }
    timeout 60 $MPIEXEC -n 2 "$collprof" run --yield --report=no -o changed$attempt ./steps 20000 20000 2>err ||
        { cat err; fail "status $?"; }
    python3 - recorded$attempt changed$attempt <<'END'
import json, sys
recorded, changed = (json.load(open(run + "/profile.json")) for run in sys.argv[1:])
wall = lambda p: 1e3 * max(r["wall_seconds"] for r in p["ranks"])
predicted = 1e-6 * recorded["predictions"][0]["wall_ns"] if recorded["predictions"] else float("inf")
outside = lambda p: [1e3 * r["wall_seconds"] - 1e-6 * r["mpi_ns"] for r in p["ranks"]]
expected = 40 * 10, 40 * 30, 40 * 20, 40 * 20
busy = any(was > 1.03 * ms for was, ms in zip(outside(recorded) + outside(changed), expected))
print("%.0f ms: predicted %.0f ms, measured %.0f ms%s" % (wall(recorded), predicted, wall(changed), ", busy" if busy else ""))
sys.exit(77 if busy else abs(predicted - wall(changed)) > 0.05 * wall(changed))
END
    status=$?
    test $status = 77 || exit $status
done
skip "the machine is busy"
