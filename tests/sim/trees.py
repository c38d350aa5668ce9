#!/usr/bin/env python3
"""usage: trees.py FIRST_SEED CASES MOST_RANKS SECONDS

Trees from measured latencies on platforms that nobody chose (platforms/make.py): what
collbench-tree predicts and advises, against what it then measures. Fails where what it advises is
more than 5 % slower than the library's broadcast; where more than a tenth (of few cases: one) is
more than 8 % slower than the best of all builders, more than a twentieth is not in its interval within
1 %, or, where the model says of itself that it holds within a twentieth, was not predicted within 10 %."""
import json
import subprocess
import sys
import tempfile

import sweep


def run(seed, most_ranks, directory, seconds):
    case = sweep.make.write(seed, most_ranks, directory)
    case["bytes"] = min(case["bytes"], 65536)
    out = sweep.simulate(case, seconds, ["sim/collbench-tree", "--format=json", "--stop=fixed", "-i", "3",
                                         "-x", "1", "--sizes=%d" % case["bytes"],
                                         "--root=%d" % case["root"]])
    return case, json.loads(out[out.index("{"):])["tables"]["schedules"]["rows"]


def judge(case, rows):
    library = rows[0]
    grid = next(r for r in rows if r["algorithm"].startswith("grid ("))
    advised = library if library["advised"] else grid
    found = {"library": advised["measured"] / library["measured"],
             "best": advised["measured"] / min(r["measured"] for r in rows),
             "error": grid["predicted"] / grid["measured"] - 1,
             "inside": 0.99 * grid["at_least"] <= grid["measured"] <= 1.01 * grid["at_most"],
             "sure": max(grid["at_most"] / grid["predicted"], grid["predicted"] / grid["at_least"]) < 1.05}
    print("%4d %-11s %3d ranks %d a host %6d B %-24s predicted %9.1f (%.1f to %.1f) measured %9.1f us: "
          "%+6.1f %%%s, advised %s, %.2f of the library, %.2f of the best"
          % (case["seed"], case["kind"], case["ranks"], case["ranks_a_host"], case["bytes"],
             grid["algorithm"], grid["predicted"], grid["at_least"], grid["at_most"], grid["measured"],
             100 * found["error"], "" if found["inside"] else " !", advised["algorithm"],
             found["library"], found["best"]), flush=True)
    return found


def main():
    first, cases, most_ranks, seconds = (int(x) for x in sys.argv[1:5])
    found, failed = [], 0
    with tempfile.TemporaryDirectory() as directory:
        for seed in range(first, first + cases):
            try:
                found.append(judge(*run(seed, most_ranks, directory, seconds)))
            except subprocess.TimeoutExpired:
                print("%4d not simulated within %d s" % (seed, seconds), flush=True)
    count = {"slower than the library by more than 5 %": sum(f["library"] > 1.05 for f in found),
             "slower than the best by more than 8 %": sum(f["best"] > 1.08 for f in found),
             "outside of their interval": sum(not f["inside"] for f in found),
             "sure, and off by more than 10 %": sum(f["sure"] and abs(f["error"]) > 0.1 for f in found),
             "off by more than 10 %": sum(abs(f["error"]) > 0.1 for f in found)}
    for what, n in count.items():
        print("%s: %d of %d" % (what, n, len(found)))
    limit = [0] + [max(1, len(found) // n) for n in (10, 20, 20)]
    return 2 * len(found) < cases or any(n > most for n, most in zip(count.values(), limit))


if __name__ == "__main__":
    sys.exit(main())
