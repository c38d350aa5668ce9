#!/bin/sh
# Protects what the layer itself writes of a run, at its beginning and its end: who, where, when and by which MPI; no
# call that the application did not make; what a call costs; and which files are left.
. "${srcdir:-.}/tests/mpi/lib.sh"
test -n "$mpis" || skip "no MPI with a layer and a compiler"
cat >small.c <<'END'
#include <mpi.h>
#include <collprof.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int level, rank, one = 1;
    const char *way = argc > 1 ? argv[1] : "";
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Bcast(&one, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!strcmp(way, "blocks") && rank == 0)
        mkdir("blocked/profile.json", 0777);
    if (!strcmp(way, "daemon") && fork() == 0) {
        for (int fd = 0; fd < 200; fd++) /* the launcher's, too */
            close(fd);
        sleep(5);
        _exit(0);
    }
    MPI_Pcontrol(0);
    for (int i = 0; i < 5; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(1);
    for (int i = 0; i < 3; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    pid_t child = fork();
    if (child == 0) /* no part of the run, and its end is not the rank's */
        _exit(7);
    waitpid(child, NULL, 0);
    usleep(100000);
    MPI_Finalize();
    return 0;
}
END

# small DIRECTORY ARGUMENT...: of two ranks; what is there of the run is compared with what the test knows of it.
small()
{
    at=$1
    shift
    # shellcheck disable=SC2086 # a command and its arguments
    timeout 60 taskset -c 0 $MPIEXEC -n 2 "$collprof" run --yield --report=no -o $at $options ./small "$@" 2>err ||
        { cat err; fail "$at: status $?"; }
    MPI=$mpi python3 - $at <<'END' || fail "$at"
import glob, json, os, platform, sys, time
at = sys.argv[1]
p, now = json.load(open(at + "/profile.json")), time.time()
run, ranks = p["run"], p["ranks"]
calls = {o["name"]: sum(e["calls"] for e in p["entries"] if p["operations"][e["operation"]] is o) for o in p["operations"]}
assert calls == {**({} if at == "plain-late" else {"MPI_Init_thread": 2, "MPI_Bcast": 2}), "MPI_Barrier": 6}, calls
assert len(ranks) == run["size"] == 2 and sorted(r["rank"] for r in ranks) == [0, 1]
assert now - 60 < run["started_unix"] < now - 0.1, run["started_unix"]
assert run["programs"] == [os.path.realpath("small")] and not run["threads_at_once"]
assert run["launcher"] == "mpiexec." + os.environ["MPI"] and run["stack_depth"] == 4
assert run["mpi"][0].startswith({"mpich": "MPICH 4", "openmpi": "Open MPI v"}[os.environ["MPI"]]), run["mpi"]
assert not any(c in run["mpi"][0] for c in "\t\n")
host, = p["hosts"]
assert (host["name"], host["ranks"]) == (platform.node(), 2), host
for r in ranks:
    assert r["state"] == "finalized" and not r["in_call"] and r["started_late"] == 0
    assert r["calls"] == sum(calls.values()) / 2, r["calls"]
    assert 0.1 < r["wall_seconds"] < now - run["started_unix"] + 0.01, r["wall_seconds"]
    assert r["call_ns"] == 0, "of so few calls it is unknown"
    assert 0 < r["cpu_ns"] < 1e9 * r["wall_seconds"] + 2e7, r["cpu_ns"]
    assert r["lifecycle_ns"] < 60e9 and 0 < r["init_ns"] < 60e9 and (r["merge_ns"] > 0) == (r["rank"] == 0) and r["merge_ns"] < 60e9
assert len({r["pid"] for r in ranks}) == 2 and "verdict" not in p["findings"]
assert {c["name"] for c in p["communicators"]} == {"MPI_COMM_WORLD"}
assert run["synchronized"] and not run["incomplete"] and p["trace"]["recorded"] == (at == "traced")
assert len(glob.glob(at + "/*.ledger")) == (0 if at.startswith("plain") else 2), "records that stay"
END
}
for mpi in $quick_mpis; do
    with_mpi $mpi
    $MPICC -I"$source/src" -o small small.c || fail "does not compile"
    rm -rf plain* kept traced blocked
    options=
    small plain
    options=--start=no
    small plain-late
    options=
    # What a rank leaves behind does not have the directory, nor a run that has ended.
    small plain-left daemon
    small plain-left
    options=--keep
    small kept
    options=--trace
    small traced
    # Records stay where what they say could not be written.
    timeout 60 $MPIEXEC -n 2 "$collprof" run --yield --report=no -o blocked ./small blocks 2>err || { cat err; fail "blocked: status $?"; }
    grep -q "cannot write blocked/profile.json: .*; the records stay" err || { cat err; fail "blocked: not said"; }
    test "$(ls blocked/*.ledger | wc -l)" = 2 || fail "blocked: no records"
done

# Sessions, none of whose ranks may talk to the others about it: the first of two ends long before, and rank 1 after
# rank 0. What they have recorded can be reported, and one rank says how.
cat >session.c <<'END'
#include <mpi.h>
#include <unistd.h>
int main(void)
{
    MPI_Session before, session;
    MPI_Group group;
    MPI_Comm comm;
    int rank;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &before);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Session_finalize(&before);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Barrier(comm);
    usleep(rank ? 500000 : 0);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return 0;
}
END
for mpi in $quick_mpis; do
    with_mpi $mpi
    $MPICC session.c -o session 2>log && plain 2 ./session >out 2>&1 || continue
    rm -rf session.out
    timeout 60 $MPIEXEC -n 2 "$collprof" run --yield -o session.out ./session 2>err || { cat err; fail "sessions: status $?"; }
    test "$(grep -c 'collprof report session.out. shows what was recorded' err)" = 1 || { cat err; fail "sessions: not said"; }
    "$collprof" repeat -n 1 -o again $MPIEXEC -n 2 "$collprof" run --yield ./session >log 2>&1 || { cat log; fail "repeat of sessions"; }
    reported session.out
    profile session.out calls MPI_Barrier=2 MPI_Comm_free=2
    holds session.out <<'END' || fail "sessions"
assert [(r["rank"], r["state"], r["started_late"]) for r in p["ranks"]] == [(0, "finalized", 1), (1, "finalized", 1)], p["ranks"]
assert p["ranks"][1]["wall_seconds"] > 0.5 and p["ranks"][0]["wall_seconds"] < 60
assert not p["run"]["incomplete"]
END
done
exit 0
