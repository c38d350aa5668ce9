#!/bin/sh
# Protects the times of regions that nest and that stay open: time in MPI is never more than
# the region's, and what is spent in an inner one is not the outer one's, too.
. "${srcdir:-.}/tests/mpi/lib.sh"
test -n "$mpis" || skip "no MPI with a layer and a compiler"
# shellcheck disable=SC2046,SC2086 # the first of a list
with_mpi $(echo $mpis | cut -d" " -f1)
write_program nested <<'END'
    int one = 1;
    COLLPROF_REGION_BEGIN(NULL); /* a name like another: "" */
    COLLPROF_REGION_END();
    COLLPROF_REGION_BEGIN("before");
    MPI_Barrier(MPI_COMM_WORLD);
    usleep(100000);
    COLLPROF_REGION_END();
    COLLPROF_REGION_BEGIN("outer");
    for (int i = 0; i < 5; i++) {
        COLLPROF_REGION_BEGIN("inner");
        usleep(rank ? 1000 : 20000);
        MPI_Barrier(MPI_COMM_WORLD);
        COLLPROF_REGION_END();
        MPI_Bcast(&one, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    COLLPROF_REGION_END();
    COLLPROF_REGION_BEGIN("open");
    usleep(rank ? 0 : 50000);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1 && rank)
        _exit(7);
    MPI_Barrier(MPI_COMM_WORLD);
END
$MPICC -I"$source/src" -include collprof.h -o nested nested.c || fail "does not compile"

timeout 60 $MPIEXEC -n 2 "$collprof" run --yield --report=no -o out ./nested 2>err || { cat err; fail "status $?"; }
holds out <<'END' || fail "times of regions"
regions = {r["name"]: r for r in p["regions"]}
mpi = {name: sum(e["time_ns"] for e in p["entries"] if e["region"] is not None and p["regions"][e["region"]]["name"] == name)
       for name in regions}
print(regions, mpi)
assert {n: r["entered"] for n, r in regions.items()} == {"": 2, "before": 2, "outer": 2, "inner": 10, "open": 2}
assert regions["inner"]["time_ns"] >= 4 * 2 * 20e6 and regions["open"]["time_ns"] >= 80e6 # a rank may leave the call before late
assert all(mpi[n] <= regions[n]["time_ns"] for n in regions), "more in MPI than in all"
assert mpi["outer"] > 0, "who has left an inner region is in the outer one again"
assert sum(e["calls"] for e in p["entries"]) < 100
assert regions["before"]["time_ns"] >= 200e6
assert sum(r["time_ns"] for r in regions.values()) <= 1e9 * sum(r["wall_seconds"] for r in p["ranks"]), "twice the same time"
END

timeout 60 $MPIEXEC -n 2 "$collprof" run --yield --report=no -o killed ./nested leave >err 2>&1
"$collprof" report killed >/dev/null || fail "report of a run that was cut off"
"$collprof" report --format=csv --table=regions killed >regions.csv || fail "export"
awk -F, '$1 == "open" && $3 == "" { found = 1 } END { exit !found }' regions.csv || { cat regions.csv; fail "the time of what was open is not known"; }
exit 0
