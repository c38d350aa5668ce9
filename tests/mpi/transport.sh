#!/bin/sh
# Protects `collprof run --trace=transport`: of messages whose protocol, carrier and time in the
# transport are forced, or measured by the program itself, all three are said; where the transport is
# not to be seen, that is. The rules themselves are in tests/unit/network.c.
. "${srcdir:-.}/tests/mpi/lib.sh"
pkg-config --exists "ucx >= 1.13" || skip "no libucx-dev: nothing of UCX is seen"

# check DIR PRINTED PROTOCOL-IS-SEEN
check()
{
    python3 - "$@" <<'PY' || exit 1
import json, sys
p = json.load(open(sys.argv[1] + "/profile.json"))
lay = {name: int(ns) for name, ns in (line.split() for line in open(sys.argv[2]))}
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
    key = frame, p["operations"][r["operation"]]["name"]
    rows.setdefault(key, []).append(r)
def one(function, operation):
    found = [r for r in rows.get((function, operation), []) if r["sends"] + r["receives"] > 0]
    if len(found) != 1:
        sys.exit("FAIL: %d rows of %s in %s" % (len(found), operation, function))
    return found[0]
t = p["trace"]
moved = sum(r["moved_bytes"] for r in p["transport"])
delayed = sum(r["delayed_ns"] or 0 for r in p["ranks"])  # ready, and without a processor
# Where processes may not read each other nothing is fetched; the protocol is then seen of those
# alone whose receive is posted late.
if moved not in (0, 3 * N * LARGE):
    bad.append("%d bytes moved by system calls: the application's own among them?" % moved)
is_("messages", (t["sends"], t["matched"], t["seen_in_transport"]), (9 * N + 4,) * 3)
is_("contradictions", t["contradictions"], 0)
for name in ("small_at_once", "small_computing", "large_at_once", "large_computing"):
    send, receive = one(name, "MPI_Isend"), one(name, "MPI_Irecv")
    small = name.startswith("small")
    seen = small or moved
    is_(name + " sends", (send["sends"], send["eager"]), (N, N if small else 0))
    if seen:
        is_(name + " rendezvous", send["rendezvous"], 0 if small else N)
        is_(name + " size", (send["eager_max_bytes"], send["rendezvous_min_bytes"]),
            (SMALL, 0) if small else (0, LARGE))
    # A receive that is posted before its message comes ends in the wait, and nowhere else.
    is_(name + " receives", (receive["receives"], receive["ended_in_other_call"],
                             receive["carried"]), (N, N, N))
    is_(name + " carrier", p["operations"][receive["carrier_operation"]]["name"], "MPI_Wait")
    if not seen:
        continue
    is_(name + " lay known", receive["lay_known"], N)
    # The program's clock is read a little before MPI_Wait is entered, and after MPI_Isend is left:
    # what lies between grows where a processor is taken away just there.
    if abs(receive["lay_ns"] - lay[name]) > 0.05 * lay[name] + 5e6 + 0.2 * delayed:
        bad.append("%s lay %d ns instead of %d" % (name, receive["lay_ns"], lay[name]))
late = one("large_late", "MPI_Send")
is_("late receives", (late["sends"], late["rendezvous"], late["ended_in_same_call"]), (N,) * 3)
polls = sum(e["polls"] for e in p["entries"]), sum(e["empty_polls"] for e in p["entries"])
if not polls[0] > polls[1] > 0:
    bad.append("polls: %d, %d empty" % polls)
print(sys.argv[1], rows.keys() and "%d rows" % len(rows), "moved", moved, "polls", polls, lay)
for line in bad:
    print("FAIL:", line)
sys.exit(bool(bad))
PY
}

traced() # MPI DIR ENVIRONMENT...
{
    with_mpi "$1"
    directory=$2
    shift 2
    $MPICC -g -O1 -D_GNU_SOURCE "$source/tests/mpi/transport.c" -o program || fail "not compiled"
    timeout 100 $MPIEXEC -n 2 env "$@" "$collprof" run --trace=transport --yield --report=no \
        -o "$directory" ./program 100 1000 300000 0.001 >printed 2>said ||
        { cat said; fail "$directory: status $?"; }
}

# Open MPI does not take UCX by itself where there is no fast network.
by_ucx="OMPI_MCA_pml=ucx OMPI_MCA_pml_ucx_tls=any OMPI_MCA_pml_ucx_devices=any"
last=
for mpi in $mpis; do
    traced $mpi $mpi.defaults $by_ucx
    check $mpi.defaults printed
    # One transport by name, and a threshold between the sizes: the same must be said.
    traced $mpi $mpi.named $by_ucx UCX_TLS=sm,self UCX_RNDV_THRESH=100000
    check $mpi.named printed
    last=$mpi
done
[ -n "$last" ] || skip "neither MPICH nor Open MPI"
"$collprof" report --full $last.defaults >report 2>&1
tr -s ' \n' ' ' <report | grep -q 'transport: the start of 904 of 904 messages was seen' ||
    { cat report; fail "how much was seen is not said"; }
"$collprof" export --table=transport $last.defaults | grep -q large_late || fail "no table"

# The trace that travels: what was started, and what moved, in the lanes of those who did it.
"$collprof" export --format=perfetto -o below.json $last.defaults >/dev/null || fail "perfetto: status $?"
python3 - <<'PY' || exit 1
import json, sys
below = [e for e in json.load(open("below.json"))["traceEvents"] if e.get("cat") == "transport"]
starts = {"start of a send", "start of a receive"}
started = [e["args"]["transfer"] for e in below if e["name"] in starts]
ended = [e["args"]["transfer"] for e in below if e["name"] == "end of a transfer"]
bad = len(started) < 2 * 904 or not ended or not set(ended) <= set(started) or \
    any(("dur" in e) != (e["ph"] == "X") or e["ph"] not in "Xi" for e in below)
if bad:
    print("FAIL:", len(started), "starts,", len(ended), "ends in the trace")
sys.exit(bad)
PY

# Both pictures: the fields of the matrix, the polls and bullets under the calls.
if command -v gnuplot >/dev/null; then
    "$collprof" plot --picture=timeline --to=1000 -o t.svg $last.defaults || fail "timeline: status $?"
    grep -q 'polling that found something' t.svg || fail "no polls in the timeline's legend"
    pink=$(grep -c 'rgb(255, *20, *147)' t.svg)
    [ "$pink" -gt 900 ] || fail "$pink pink boxes and bullets of 904 messages"
    "$collprof" plot --picture=matrix -o m.svg $last.defaults || fail "matrix: status $?"
fi

# The situations of `make figures`: who moves the data, as the settings force it, and how long the announcement
# lies beside a computation.
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
bad = moved.get((mover, "MPI_Wait"), 0) < 10 * 500000 or posts[0]["rendezvous"] < 10
# The receiver that computes finds its message 2 ms later, but for how long the sender was away.
if situation == "receiver":
    away = sum(r["delayed_ns"] or 0 for r in p["ranks"])
    bad |= posts[1]["lay_known"] < 10 or posts[1]["lay_ns"] < 0.5 * 20 * 2e6 - away
if bad:
    print("FAIL:", scheme, situation, moved, *posts)
sys.exit(bad)
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
COLLPROF_TRACE=transport layered 2 without ./program 10 1000 300000 0.0001 >/dev/null || fail "status $?"
"$collprof" report --full without 2>&1 | tr -s ' \n' ' ' | grep -q 'not in the process' ||
    fail "a missing library is not said"
