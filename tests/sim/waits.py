"""What the layer says of a situation of waits.c: usage: waits.py NAME REPORT, or waits.py names.

For the one operation in question every wait state, the rank waited for and the time must be as
worked out by hand, within 1 %; all messages matched, nothing contradictory; and the finding is the situation."""
import json
import sys

N, T = 20, 10_000_000  # repetitions; ns

LATE, ORDER = "late sender", "late sender, wrong order"
RECEIVER = "late receiver"


def drawn():
    """How often each of four ranks is late in random_barrier."""
    times, x = dict.fromkeys(range(4), 0), 1
    for _ in range(N):
        x = (x * 1103515245 + 12345) % 2**32
        times[x >> 16 & 3] += 1
    return times


EXPECTED = {  # operation, {(state, rank waited for): ns}, messages
    "late_sender": ("MPI_Recv", {(LATE, 0): N * T}, N),
    "late_receiver": ("MPI_Ssend", {(RECEIVER, 1): N * T}, N),
    "late_post": ("MPI_Wait", {(RECEIVER, 1): N * T}, N),
    "big_message": ("MPI_Send", {(RECEIVER, 1): N * T}, N),
    "late_root": ("MPI_Bcast", {("late root", 2): 3 * N * T}, 0),
    "early_root": ("MPI_Reduce", {("early root", 3): N * T}, 0),
    "n_to_n": ("MPI_Allreduce", {("wait at n-to-n", 1): 3 * N * T}, 0),
    "diffuse_procedure": ("MPI_Barrier", {("wait at n-to-n", r): 3 * N * T / 4 for r in range(4)}, 0),
    "prefix": ("MPI_Scan", {("late rank before, in a prefix", 1): 2 * N * T}, 0),
    "non_blocking_collective": ("MPI_Wait", {("wait at n-to-n", 1): 3 * N * T}, 0),
    "collective_begun_late": ("MPI_Wait", {("wait at n-to-n", 1): 3 * N * T}, 0),
    "waitall": ("MPI_Waitall", {(LATE, 2): 3 * N * T}, 3 * N),
    "wildcards": ("MPI_Recv", {(LATE, r): N * T for r in (1, 2, 3)}, 3 * N),
    "behind_a_wildcard": ("MPI_Wait", {(LATE, 1): N * T}, 4 * N),
    "wrong_order": ("MPI_Recv", {(ORDER, 1): N * T}, 2 * N),
    "both_ways": ("MPI_Sendrecv", {(LATE, 1): N * T}, 2 * N),
    "persistent": ("MPI_Wait", {(LATE, 0): N * T}, N),
    "probe": ("MPI_Probe", {(LATE, 0): N * T}, N),
    # The clients wait for one, two and three turns of the server.
    "intensive_server": ("MPI_Recv", {(LATE, 0): (1 + 2 + 3) * N * T}, 6 * N),
    "binomial": ("MPI_Recv", {(LATE, 0): 2 * N * T, (LATE, 2): N * T}, 3 * N),
    "random_barrier": ("MPI_Barrier", {("wait at n-to-n", r): 3 * k * T
                                       for r, k in drawn().items() if k}, 0),
    "small_messages": ("MPI_Ssend", {}, 100 * N),
    "there_and_back": ("MPI_Ssend", {}, 200 * N),
    "healthy": (None, {}, 8 * N),
}

FINDINGS = {"late_sender": [0], "late_receiver": [1], "big_message": [1], "late_root": [2], "early_root": [3], "n_to_n": [1],
            "diffuse_procedure": [], "random_barrier": [], "intensive_server": [0], "small_messages": [0]}  # ranks of that key

if sys.argv[1] == "names":
    print(*EXPECTED)
    sys.exit()
name, path = sys.argv[1:]
operation, expected, messages = EXPECTED[name]
p = json.load(open(path))
bad = []
found = {}
for w in p["waits"]:
    called = p["operations"][w["operation"]]["name"]
    if operation is None or called == operation:
        # Waits of the length of a message are not what the situation is about.
        if w["wait_ns"] > 0.01 * N * T or operation is None:
            key = w["state"], w["for_rank"]
            found[key] = found.get(key, 0) + w["wait_ns"]
if operation is None:
    if sum(found.values()) > 0.01 * 4 * N * T:
        bad.append("a healthy program waits")
elif set(found) != set(expected):
    bad.append("other wait states")
for key in set(found) & set(expected):
    if abs(found[key] - expected[key]) > 0.01 * expected[key]:
        bad.append("%s: %.0f ns instead of %.0f" % (key, found[key], expected[key]))
t = p["trace"]
if (t["sends"], t["receives"], t["matched"]) != (messages,) * 3 or t["contradictions"] or \
        t["unnumbered"]:
    bad.append("messages: %s" % t)
sent = sum(m["messages"] for m in p["matrix"] if not m["received"])
got = sum(m["messages"] for m in p["matrix"] if m["received"])
if sent != messages or got != messages:
    bad.append("matrix: %d sent, %d received of %d" % (sent, got, messages))
findings = [(f["key"], f.get("ranks", [])) for f in p["diagnosis"] if f["severity"] == "finding"]
if name in FINDINGS and (name, FINDINGS[name]) not in findings or name == "healthy" and findings or \
        name != "small_messages" and "small_messages" in dict(findings):
    bad.append("findings: %s" % findings)
print("%-24s %s" % (name, {"%s: %d" % k: v for k, v in found.items()}))
for line in bad:
    print("FAIL: %s: %s" % (name, line))
sys.exit(bool(bad))
