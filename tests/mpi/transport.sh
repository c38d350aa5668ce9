#!/bin/sh
# Protects `collprof run --trace=transport`: where transfers start and end and who moves their data, in situations that
# force it; where the transport cannot be seen, the report says so. The rules themselves are in tests/unit/network.c.
. "${srcdir:-.}/tests/mpi/lib.sh"
pkg-config --exists "ucx >= 1.13" || skip "no libucx-dev: nothing of UCX is seen"

# check DIR
check()
{
    holds "$1" <<'PY' || exit 1
N, SMALL, LARGE = 100, 1000, 300000
bad = []
def is_(what, got, wanted):
    if got != wanted:
        bad.append("%s: %s instead of %s" % (what, got, wanted))
rows = {}
for r in p["transport"]:
    if r["operation"] is None:
        bad.append("events in no call")
        continue
    frame = p["sites"][r["site"]]["frames"][0].get("function") if r["site"] is not None else None
    rows.setdefault((frame, p["operations"][r["operation"]]["name"]), []).append(r)
def one(function, operation):
    found = [r for r in rows.get((function, operation), []) if r["sends"] + r["receives"] > 0]
    if len(found) != 1:
        sys.exit("FAIL: %d rows of %s in %s" % (len(found), operation, function))
    return found[0]
t = p["trace"]
moved = sum(r["moved_bytes"] for r in p["transport"])
# Where processes may not read each other nothing is fetched.
if moved not in (0, 3 * N * LARGE):
    bad.append("%d bytes moved by system calls: the application's own among them?" % moved)
is_("messages", (t["sends"], t["matched"], t["seen_in_transport"]), (9 * N,) * 3)
is_("contradictions", t["contradictions"], 0)
for name in ("small_at_once", "small_computing", "large_at_once", "large_computing"):
    send, receive = one(name, "MPI_Isend"), one(name, "MPI_Irecv")
    is_(name + " sends", (send["sends"], send["ended_in_same_call"]), (N, N if name.startswith("small") else 0))
    # A receive that is posted before its message comes ends in the wait, and nowhere else.
    is_(name + " receives", (receive["receives"], receive["ended_in_other_call"]), (N, N))
late = one("large_late", "MPI_Send")
is_("late receives", (late["sends"], late["ended_in_same_call"]), (N,) * 2)
sys.exit("\n".join("FAIL: " + line for line in bad) or 0)
PY
}

traced() # MPI DIR ENVIRONMENT...
{
    with_mpi "$1"
    directory=$2
    shift 2
    $MPICC -g -O1 -D_GNU_SOURCE "$source/tests/mpi/transport.c" -o program || fail "not compiled"
    timeout 100 $MPIEXEC -n 2 env "$@" "$collprof" run --trace=transport --yield --report=no \
        -o "$directory" ./program 100 1000 300000 0.001 2>said ||
        { cat said; fail "$directory: status $?"; }
}

# Open MPI does not take UCX by itself where there is no fast network.
by_ucx="OMPI_MCA_pml=ucx OMPI_MCA_pml_ucx_tls=any OMPI_MCA_pml_ucx_devices=any"
[ -n "$mpis" ] || skip "neither MPICH nor Open MPI"
for mpi in $mpis; do
    traced $mpi $mpi.defaults $by_ucx
    check $mpi.defaults
    # One transport by name, and a threshold between the sizes: the same must be said.
    traced $mpi $mpi.named $by_ucx UCX_TLS=sm,self UCX_RNDV_THRESH=100000
    check $mpi.named
done
"$collprof" report --full $mpi.defaults 2>&1 | tr -s ' \n' ' ' |
    grep -q 'transport: the start of 900 of 900 messages was seen' || fail "how much was seen is not said"
"$collprof" report --format=csv --table=transport $mpi.defaults | grep -q large_late || fail "no table"

# The picture: the polls and bullets under the calls.
"$collprof" report --format=html --to=1000 -o t.html $mpi.defaults || fail "timeline: status $?"
found=$(grep -o '"kind":"successful poll"' t.html | wc -l)
[ "$found" -gt 900 ] || fail "$found polls and bullets of 900 messages"

# The situations of `make figures`: who moves the data, as the settings force it, and in which call.
$MPICC -g -O1 "$source/examples/overlap.c" -o overlap || fail "not compiled"
moved()
{
    python3 - "$@" <<'PY'
import json, sys
path, scheme, situation, rank, mover = sys.argv[1:]
p = json.load(open(path))
rows = {}
for r in p["transport"]:
    function = p["sites"][r["site"]]["frames"][0].get("function") if r["site"] is not None else None
    rows[function, p["operations"][r["operation"]]["name"]] = r
moved = {f: r["moved_bytes"] for f, r in rows.items() if r["moved_bytes"] >= 500000}
if not moved:
    print("processes may not read each other's memory here")
    sys.exit(0)
posts = rows["send_over", "MPI_Isend"], rows["receive_over", "MPI_Irecv"]
# Who loses its processor in the call before may find the message there already: half of them do.
bad = moved.get((mover, "MPI_Wait"), 0) < 10 * 500000 or min(post["ended_in_other_call"] for post in posts) < 10
sys.exit("FAIL: %s %s %s %s" % (scheme, situation, moved, posts) if bad else 0)
PY
}
for case in "get_zcopy sender 1 receive_over" "put_zcopy sender 0 send_over" "get_zcopy receiver 1 receive_over"; do
    set -- $case
    for try in 1 2 3 4 5; do
        $MPIEXEC -n 2 env $by_ucx UCX_RNDV_SCHEME=$1 "$collprof" run --trace=transport --yield --report=no \
            -o overlap.$1.$2 ./overlap $2 500000 2000 20 || fail "$case: status $?"
        moved overlap.$1.$2/profile.json "$@" && break
        test $try -lt 5 || exit 1
    done
done

# Nothing preloaded: one line says so, and the trace is there.
MPIEXEC="timeout 60 $MPIEXEC"
yielding= COLLPROF_TRACE=transport layered 2 without ./program 10 1000 300000 0.0001 >/dev/null || fail "status $?"
"$collprof" report --full without 2>&1 | tr -s ' \n' ' ' | grep -q 'not in the process' ||
    fail "a missing library is not said"

# Along another tree, though no rank waits for the root of the first broadcasts.
write_program tree <<'END'
    for (int i = 0; i < 52; i++) {
        usleep((i < 2) == (rank > 0) ? 2000 : 0);
        MPI_Bcast((char[800]){0}, i < 2 ? 4 : 800, MPI_CHAR, 0, MPI_COMM_WORLD);
    }
END
case $mpis in *mpich*)
    with_mpi mpich
    $MPICC tree.c -o tree && timeout 60 $MPIEXEC -n 4 "$collprof" run --trace=transport --yield --report=no -o bcast ./tree
    "$collprof" report --what-if=bcast:flat bcast | grep -q 'the run would take' || fail "no tree" ;;
esac
