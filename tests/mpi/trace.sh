#!/bin/sh
# Protects `collprof run --trace` on the machine: results unchanged, every message matched, nothing contradictory, the slow
# rank found; and that picture and exports hold what was matched. The exact times of waits are for tests/sim/waits.sh.
. "${srcdir:-.}/tests/mpi/lib.sh"

plain 4 "$built/examples/heat" -s 40 >plain || fail "status $? without the layer"
COLLPROF_TRACE=calls layered 4 traced "$built/examples/heat" -s 40 --slow-rank=2 --slow-us=20000 \
    >layered || fail "status $? with a trace"
grep -v ^time plain >want
grep -v ^time layered | cmp - want || fail "other results"
"$collprof" report --format=perfetto -o trace.json traced || fail "perfetto: status $?"
holds traced <<'PY' || exit 1
t, sent = p["trace"], 40 * 8 + 1
got = t["sends"], t["receives"], t["matched"]
bad = got != (sent,) * 3 or t["contradictions"] or t["unnumbered"] or t["covered"] != 1
matrix = {}
for m in p["matrix"]:
    key = (m["peer"], m["rank"]) if m["received"] else (m["rank"], m["peer"])
    matrix.setdefault(key, [0, 0])[m["received"]] += m["bytes"]
bad |= any(a != b for a, b in matrix.values()) or (0, 3) in matrix
waits = {}
for w in p["waits"]:
    waits[w["for_rank"]] = waits.get(w["for_rank"], 0) + w["wait_ns"]
bad |= max(waits, key=waits.get) != 2
events = json.load(open("trace.json"))["traceEvents"]
phases = [e["ph"] for e in events]
bad |= phases.count("s") != sent or phases.count("f") != sent
bad |= {e["pid"] for e in events} != {1, 2, 3, 4}
# A call that does one thing is one event.
bad |= sum(e["name"] == "MPI_Isend" and "peer" in e["args"] for e in events) != sent - 1
slices = {(e["pid"], e["tid"]): [] for e in events if e["ph"] == "X"}
for e in events:
    if e["ph"] == "X":
        slices[e["pid"], e["tid"]].append((e["ts"], e["ts"] + e["dur"]))
for e in events:  # an arrow begins and ends inside a call
    if e["ph"] in "sf":
        bad |= not any(a - 1e-6 <= e["ts"] <= b + 1e-6 for a, b in slices[e["pid"], e["tid"]])
ends = {ph: {e["id"]: e["ts"] for e in events if e["ph"] == ph} for ph in "sf"}
bad |= any(set(ids) != set(range(1, sent + 1)) for ids in ends.values())
under_way, most = 0, 0  # at an end, what begins at the same time counts first
for _, step in sorted([(at, -1) for at in ends["s"].values()] + [(at, 1) for at in ends["f"].values()]):
    under_way -= step
    most = max(most, under_way)
    bad |= under_way < 0
bad |= most < 2
if bad:
    print("FAIL:", t, matrix, waits, phases.count("s"), phases.count("f"))
sys.exit(bad)
PY
for command in report "report --format=csv --table=waits" "report --format=csv --table=messages"; do
    "$collprof" $command traced >out 2>&1 || fail "$command: status $?"
    grep -q 'heat.c:' out || fail "$command: no call site"
done
# A machine that was busy takes the processors away: then nothing is said of who waits.
"$collprof" report --format=json traced | python3 -c '
import json, sys
found = json.load(sys.stdin)["diagnosis"]
print(found)
sys.exit(not any(2 in f.get("ranks", []) or f["key"] == "cpu_contention" for f in found))' >found ||
    { cat found; fail "the report does not say who is waited for"; }
# messages RANKS NAME ASSERTION: of the messages NAME of messages.c, of the trace t and what was SENT this holds.
messages()
{
    COLLPROF_TRACE=calls layered "$1" "$2" "$built/tests/mpi/messages" "$2" >sent || fail "$2: status $?"
    echo "t, sent = p['trace'], $(cat sent)
counts = [sum(m['messages'] for m in p['matrix'] if m['received'] == r) for r in (0, 1)]
assert not t['contradictions'] and t['covered'] == 1 and ($3), (sent, counts, t)" >asserted
    holds "$2" <asserted || fail "$2"
}

# Every kind of message, by threads too.
all="(t['sends'], t['receives'], t['matched']) == (sent,) * 3"
messages 4 kinds "$all and counts == [sent, sent] and not t['unnumbered']"

# A group waits for the other one alone. A collective that is made once is judged each time it is started.
COLLPROF_TRACE=calls layered 4 late "$built/tests/mpi/messages" late >sent || fail "late: status $?"
python3 - <<'PY' || exit 1
import json, sys
p, sent = json.load(open("late/profile.json")), int(open("sent").read())
waits, t = {}, p["trace"]
made_once = any(o["name"] == "MPI_Bcast_init" for o in p["operations"])
for w in p["waits"]:
    key = p["operations"][w["operation"]]["name"], w["state"], w["for_rank"]
    waits[key] = waits.get(key, 0) + w["wait_ns"] / 1e6
# 10 ms each, of which a busy machine may take three quarters: two wait in each of 10 broadcasts, one in 10 reductions.
wanted = {("MPI_Bcast", "late root", 3): 50, ("MPI_Reduce", "early root", 3): 25}
if made_once:
    wanted["MPI_Waitall", "late root", 2] = 75
bad = [k for k in wanted if not waits.get(k, 0) > wanted[k]]
bad += [k for k in waits if k[0] == "MPI_Bcast" and k not in wanted]
started = sum(a["instances"] for a in p["arrivals"] if p["operations"][a["operation"]]["name"] == "MPI_Bcast_init")
if started != (20 if made_once else 0):
    bad.append("%d instances of what is made once" % started)
if bad or (t["sends"], t["receives"], t["matched"]) != (sent,) * 3 or t["contradictions"]:
    print("FAIL: late:", bad, waits, t)
    sys.exit(1)
PY

messages 2 unordered "not sent or t['unnumbered'] >= sent and not t['matched']"
# What was taken by a receive that failed, or perhaps by one that was dropped, shifts nothing that comes behind.
messages 2 cut "t['matched'] == 30 and not t['unnumbered']"
messages 2 dropped "not t['matched'] and t['unnumbered'] == 10"

# Of who is killed everything is there, and the call that he was in.
COLLPROF_TRACE=calls layered 2 killed "$built/tests/mpi/messages" killed >/dev/null 2>&1 && fail "nobody was killed"
"$collprof" report --format=perfetto -o killed.json killed >/dev/null || fail "killed: status $?"
calls=$(grep -c '"name":"MPI_Recv".*"pid":2,' killed.json)
[ "$calls" = 11 ] || fail "killed: $calls receives in the trace, of 10 and one in progress"

# What was not seen in between takes the order from later messages, not from those before.
messages 2 switched "$all and t['unnumbered'] == 2 * sent"

# A run without a trace has the matrix.
layered 2 untraced "$built/examples/heat" -s 5 >/dev/null || fail "status $? untraced"
"$collprof" report --format=csv --table=messages untraced | grep -q Isend || fail "no matrix without a trace"

if "$collprof" report --format=otf2 -o o traced >out 2>&1; then
    grep -q 'no records of collectives and requests, and no call paths' out || fail "otf2: does not say what is missing"
    if command -v otf2-print >/dev/null; then
        otf2-print o/traces.otf2 >printed 2>&1 || fail "otf2-print: status $?"
        for kind in MPI_SEND MPI_RECV; do
            n=$(grep -c "^$kind " printed)
            test "$n" = 321 || fail "otf2: $n records $kind"
        done
    fi
    "$collprof" report --format=otf2 -o o traced 2>/dev/null && fail "an archive was written over"
    # Where there is no room: one line, and no part of an archive.
    (trap '' XFSZ; ulimit -f 4; exec "$collprof" report --format=otf2 -o full traced) 2>err && fail "a part passes"
    test "$(wc -l <err)" = 1 && grep -q 'full: File too large' err || fail "no room: $(cat err)"
    test ! -e full || fail "a part of an archive is left"
else
    grep -q 'built without OTF2' out || fail "otf2: $(cat out)"
fi
"$collprof" report --format=html -o t.html traced || fail "plot: status $?"
grep -q 'late sender' t.html || fail "no wait state is named in the picture"
"$collprof" report --format=html --from=1e6 -o u.html traced 2>err && fail "a picture of nothing"
grep -q "no MPI call is in that time" err && test ! -e u.html || fail "a timeline of nothing: $(cat err)"
# Who has left no record is missing, and that is said.
cp -rL traced part && rm part/rank-000001-*
"$collprof" report --format=html -o part.html part 2>err || fail "plot of a part: status $?"
grep -q 'part: the trace has 3 of 4 ranks' err && grep -q 'on 3 of 4 ranks' part.html || fail "a part: $(cat err)"
"$collprof" report --format=html --from=0 -o w.html traced || fail "plot from the start: status $?"
grep -q 'from 0.000000 s' w.html || fail "--from=0 is not the start"
"$collprof" report --format=html --from=0 --to=0 -o x.html traced 2>err && fail "no time at all is drawn"
grep -q 'from is not before' err || fail "not said: $(cat err)"
grep -q '"kind":"not recorded"' t.html && fail "a trace of the whole run has gaps"
# What is not in a trace that was thinned out is not computation.
COLLPROF_MEMORY=1 COLLPROF_TRACE=calls layered 2 many "$built/tests/mpi/messages" many >/dev/null || fail "many: status $?"
"$collprof" report --format=html --to=1000 -o v.html many || fail "plot of windows: status $?"
grep -q '"kind":"not recorded"' v.html || fail "no gaps between windows"
exit 0
