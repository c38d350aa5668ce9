"""Whether the causes of a situation of causes.c are the known ones: usage: causes.py NAME REPORT, or causes.py names.

Eight ranks. Of each: all waiting, by the ranks that cause it in one segment, in units of T, within 1 %; the finding; that
causes add up to the waits and the critical path to the run."""
import json
import sys

N, T, P = 20, 10_000_000, 8  # repetitions; ns; ranks

EXPECTED = {  # call left, call entered, {rank: waiting that it causes}, rank in the finding (None: not one alone)
    "passed_on": ("MPI_Barrier", "MPI_Send", {0: 7 * N}, 0),
    "reduce_and_broadcast": ("MPI_Bcast", "MPI_Reduce", {2: 7 * N}, 2),
    # Every other rank waits while one has the token.
    "token": ("MPI_Recv", "MPI_Send", {r: 7 * N * (5 if r == 3 else 1) for r in range(P)}, 3),
    "nap": ("MPI_Sendrecv", "MPI_Sendrecv", {2: 7 * 5}, 2),
    # The first block passes all ranks before; then each behind rank 3 waits for it once a block.
    "sweep": ("MPI_Recv", "MPI_Send", {**{r: 7 - r for r in range(P - 1)}, 3: 4 * (N + 1)}, 3),
    # The master waits for the first, and then, with all other workers, for worker 5.
    "workers": ("MPI_Recv", "MPI_Send", {1: N, 5: 3 * N + 6 * 3 * (N - 1)}, 5),
    # The delay of a step reaches rank r r steps later.
    "far_halo": ("MPI_Sendrecv", "MPI_Sendrecv", {0: sum(N - r + 1 for r in range(1, P))}, 0),
    # Exchanges over each dimension: all wait in the first step, and so in each.
    "halo_3d": ("MPI_Sendrecv", "MPI_Sendrecv", {7: 7 * N}, 7),
    # The excess grows from 0 to 2 T.
    "drifting": ("MPI_Allreduce", "MPI_Allreduce", {6: 7 * N}, 6),
    "in_turn": ("MPI_Barrier", "MPI_Barrier", {r: 7 * len(range(r, N, P)) for r in range(P)}, None),
    "phase": ("MPI_Barrier", "MPI_Barrier", {5: 7 * N // 2}, 5),
}

if sys.argv[1] == "names":
    print(*EXPECTED)
    sys.exit()
name, path = sys.argv[1:]
left, entered, expected, guilty = EXPECTED[name]
p = json.load(open(path))
bad = []
found = {}
operation = lambda i: None if i is None else p["operations"][i]["name"]
for c in p["causes"]:
    if c["kind"] == "computation":
        # The first execution begins at MPI_Init.
        if operation(c["from_operation"]) in (left, None) or c["from_site"] is None:
            if operation(c["operation"]) == entered or name == "passed_on":
                found[c["rank"]] = found.get(c["rank"], 0) + (c["direct_ns"] + c["passed_on_ns"]) / T
if name == "workers":  # which worker is the first is arbitrary
    found[1] = sum(found.pop(r) for r in list(found) if r != 5)
cost = sum(c["direct_ns"] + c["passed_on_ns"] for c in p["causes"])
total = sum(expected.values())
for r in range(P):
    if abs(found.get(r, 0) - expected.get(r, 0)) > 0.01 * total:
        bad.append("rank %d causes %.2f T instead of %d" % (r, found.get(r, 0), expected.get(r, 0)))
if abs(cost - p["trace"]["wait_ns"]) > 1e-5 * cost:
    bad.append("causes add up to %d, waits to %d" % (cost, p["trace"]["wait_ns"]))
wall = max(r["wall_seconds"] for r in p["ranks"]) * 1e9
along = sum(c["path_ns"] for c in p["causes"])
if abs(along - wall) > 1e-3 * wall:
    bad.append("the critical path is %d, the run %d" % (along, wall))
bad += [w for w in p["warnings"] if "add up" in w]
over_time = sum(s["efficiency"] * (s["end_ns"] - s["begin_ns"]) for s in p["slices"])
outside = sum(1e9 * r["wall_seconds"] - r["mpi_ns"] for r in p["ranks"]) / P
if p["slices"] and abs(over_time - outside) > 0.01 * outside:
    bad.append("%d ns outside of MPI over time, %d in all" % (over_time, outside))
top = [f for f in p["diagnosis"] if f["severity"] == "finding"][:1]
if not top or top[0].get("ranks", []) != ([] if guilty is None else [guilty]):
    bad.append("the first finding is %s" % top)
WAVES = {"nap": (4, 3, 6), "far_halo": (7, 6, 7)}  # ranks; T from the end of the first wait to that of the last; last rank
if name in WAVES:
    ranks, time, end = WAVES[name]
    c = p["causes"][0]
    if c["wave_ranks"] != ranks or abs(c["wave_ns"] / T - time) > 0.05 * time or c["wave_end"] != end:
        bad.append("the idle wave is %s" % {k: v for k, v in c.items() if k.startswith("wave")})
    if "idle wave through %d ranks" % ranks not in "".join(f["text"] for f in p["diagnosis"]):
        bad.append("no finding has the idle wave")
if name == "phase":  # (7 T + 2 T) / 8 of 2 T
    found_phase = [f for f in p["diagnosis"] if f["key"] == "phase"]
    region, = p["regions"]
    inside = region["outside"]
    numbers = found_phase[0]["numbers"] if found_phase else {}
    expected_numbers = {"efficiency_percent": (56.25, 1), "other_efficiency_percent": (100, 4),
                        "begin_us": (N / 2 * T / 1e3, 1.5 * T / 1e3)}
    if any(abs(numbers.get(k, 1e99) - v) > off for k, (v, off) in expected_numbers.items()):
        bad.append("the phase is %s" % found_phase)
    if abs(inside["sum_ns"] / P / region["longest_ns"] - 0.5625) > 0.005 or inside["max_rank"] != 5:
        bad.append("the region is %s" % region)
print("%-20s %s" % (name, {r: round(x, 2) for r, x in sorted(found.items()) if x > 0.01}), *[f["text"] for f in top])
for line in bad:
    print("FAIL: %s: %s" % (name, line))
sys.exit(bool(bad))
