#!/usr/bin/env python3
"""usage: regressions.py [FIRST_SEED CASES MOST_RANKS SECONDS [DONE]]

Protects what collprof compare names as a cause. Of an even seed a regression (by an algorithm, the eager limit, the
placement or a slow rank) that lengthens a drawn program (what_if.c) on a drawn cluster by 3 % or more, of an odd one
none: five simulated runs before and five after it, each with other noise. Of 95 % of the regressions the first cause
must be the right one, with the operation, bytes, ranks or pairs that it is about; of equal pairs
5 % and one more may have a finding, by chance."""
import json
import os
import random
import re
import subprocess
import sys
import time

from sweep import simulate, sweep
from tune import ALGORITHMS

RUNS, MATTERS, NAMED = 5, 0.03, 0.95
KINDS = ["algorithm", "eager limit", "placement", "slow rank"]
PLATFORM = """<?xml version='1.0'?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd"><platform version="4.1">
<cluster id="c" prefix="h" suffix="" radical="0-63" speed="1Gf" bw="%gMBps" lat="%gus" loopback_bw="%gMBps" loopback_lat="0.3us"/>
</platform>"""
# Operations of what_if.c by its kind of communication; 1 has blocking sends, and so have 5 and 6 at its first place.
COLLECTIVES = {0: ["allreduce"], 3: ["reduce", "broadcast"], 4: ["alltoall"], 5: ["barrier"]}


def draw(r, kind, most_ranks):
    """A program, what it runs on, and two sides: options, hosts of the ranks, and the slow rank."""
    n, ways = 2 * r.randint(2, most_ranks // 2), r.choice([2, 4] if kind == "placement" else [1, 2, 4])
    program = r.randrange(1, 10**6)
    first, second = program % 7, program // 7 % 6
    case = {"kind": kind, "program": program, "ranks": n, "network": (100 * 100 ** r.random(), 50 ** r.random())}
    hosts = [i // ways for i in range(n)]
    a, b = sides = [{"options": "", "placed": hosts, "slow": []} for _ in range(2)]
    if kind == "algorithm":
        operations = COLLECTIVES.get(first if first < 5 else None, []) + COLLECTIVES.get(second, [])
        if not operations:
            return draw(r, kind, most_ranks)
        case["operation"] = r.choice(operations)
        for side, name in zip(sides, r.sample(ALGORITHMS[case["operation"]], 2)):
            side["options"] = "--cfg=smpi/%s:%s" % (case["operation"].replace("broadcast", "bcast"), name)
    elif kind == "eager limit":
        if first not in (1, 5, 6) and second != 1:
            return draw(r, kind, most_ranks)
        case["limits"] = sorted(r.sample([0, 256, 1024, 4096, 16384, 65536, 262144], 2))
        for side, limit in zip((b, a), case["limits"]):
            side["options"] = "--cfg=smpi/async-small-thresh:%d --cfg=smpi/send-is-detached-thresh:%d" % (limit, limit)
    elif kind == "placement":
        b["placed"] = r.sample(hosts, n) if r.random() < 0.5 else [i % (hosts[-1] + 1) for i in range(n)]
    elif kind == "slow rank":
        case["rank"] = r.randrange(n)
        b["slow"] = [str(case["rank"]), str(r.randint(10, 100))]
    return case, sides


def run_once(case, side, number, directory, seconds):
    """The directory of the run, and how long it took."""
    out, (bandwidth, latency) = "%s/%d" % (directory, number), case["network"]
    at = {**case, **side, "platform": out + ".xml", "hosts": out + ".hosts"}
    with open(at["platform"], "w") as f:
        f.write(PLATFORM % (bandwidth * random.Random(number).uniform(0.99, 1), latency, max(8000, bandwidth)))
    with open(at["hosts"], "w") as f:
        f.writelines("h%d\n" % host for host in side["placed"])
    simulate(at, seconds, ["sim/what_if", str(case["program"]), "plain", str(number), *side["slow"]],
             COLLPROF_OUTPUT=out, COLLPROF_REPORT="no")
    with open(out + "/profile.json") as f:  # each run has copies of the program, of names of their own
        text = re.sub(r"what_if_\d+_\d+\.so", "what_if", f.read())
    with open(out + "/profile.json", "w") as f:
        f.write(text)
    return out, max(rank["wall_seconds"] for rank in json.loads(text)["ranks"])


def run(seed, most_ranks, directory, seconds):
    r = random.Random("regression %d" % seed)
    kind, number = "equal" if seed % 2 else KINDS[seed // 2 % 4], 1000 * seed
    case, sides = draw(r, kind, most_ranks)
    while kind != "equal" and case.get("slower", 0) < 1 + MATTERS:
        case, sides = draw(r, kind, most_ranks)
        try:
            walls = [run_once(case, side, number := number + 1, directory, seconds)[1] for side in sides]
        except (RuntimeError, subprocess.TimeoutExpired):  # some algorithms cannot send that little
            continue
        if kind in ("algorithm", "placement") and walls[0] > walls[1]:
            walls.reverse()
            sides.reverse()
        case["slower"] = walls[1] / walls[0]
    a, b = [[run_once(case, side, number := number + 1, directory, seconds)[0] for _ in range(RUNS)] for side in sides]
    out = subprocess.check_output(["./collprof", "compare", "--format=json", *a, "--", *b], timeout=100)
    return {**case, "seed": seed, "sides": sides}, [f for f in json.loads(out)["findings"] if f["key"] != "setup"]


def is_right(case, found):
    """Whether the first cause is the right one, with what it is about; between equal sets, whether there is none."""
    kind, first = case["kind"], (found + [{"key": "", "text": ""}])[1]
    if kind == "equal":
        return len(found) == 1 and not found[0]["text"].endswith(("slower.", "faster."))
    if kind == "algorithm":
        name = "MPI_" + case["operation"].replace("broadcast", "bcast").capitalize()
        size = "" if name == "MPI_Barrier" else r" of \S+ (Ki)?B"
        return re.match(r"%s%s on %d ranks.* at .* takes longer by \S+ [num]?s a call, without" % (name, size, case["ranks"]),
                        first["text"])
    if kind == "eager limit":
        low, high = case["limits"]
        return first["key"] == "eager_limit" and low <= first["numbers"]["from_bytes"] <= high
    if kind == "placement":
        a, b = ({(i, k) for i, x in enumerate(side["placed"]) for k, y in enumerate(side["placed"]) if i < k and x == y}
                for side in case["sides"])
        pairs = {tuple(map(int, pair)) for pair in re.findall(r"(\d+)-(\d+)", first["text"])}
        return first["key"] == "placement" and len(a ^ b) == first["numbers"]["pairs"] and pairs <= a ^ b
    return first["text"].startswith("Rank %d spends more time outside of MPI" % case["rank"])


def show(case, found):
    right = is_right(case, found)
    print("%4d %-11s %2d ranks, x%.2f: %s" % (case["seed"], case["kind"], case["ranks"], case.get("slower", 1),
                                             "right" if right else "WRONG, %s" % case), flush=True)
    for f in [] if right else found:
        print("     %s: %s" % (f["key"], f["text"]))


def summarize(results):
    equal, named = ([bool(is_right(*r)) for r in results if (r[0]["kind"] == "equal") == own] for own in (True, False))
    print("of %d regressions the cause of %d is named; of %d equal pairs %d have no finding"
          % (len(named), sum(named), len(equal), sum(equal)))
    return (sum(named) < NAMED * len(named)) + (sum(equal) < NAMED * len(equal) - 1)


if __name__ == "__main__":
    now = int(time.time()) // 4 * 4
    sys.exit(sweep(run, show, summarize, (now, 4, 16, 60), (now, 4, 16, 60)))
