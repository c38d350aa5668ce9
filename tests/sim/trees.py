#!/usr/bin/env python3
"""usage: trees.py FIRST_SEED CASES MOST_RANKS SECONDS

Trees from measured latencies on platforms that nobody chose (platforms/make.py): what
collbench-tree predicts and advises, against what it then measures. Fails where what it advises is
more than 5 % slower than the library's broadcast; where more than a tenth (of few cases: one) is
more than 8 % slower than the best of all builders; where, of all predictions of the table that are
stated, more than a twentieth is not in its interval within 1 %, or, of those whose interval is narrower
than a twentieth, off by more than 10 %."""
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
    advised = grid if grid["advised"] == "yes" else library
    stated = [r for r in rows if r["predicted"] and r["at_most"]]
    found = {"library": advised["measured"] / library["measured"],
             "best": advised["measured"] / min(r["measured"] for r in rows),
             "inside": [0.99 * r["at_least"] <= r["measured"] <= 1.01 * r["at_most"] for r in stated],
             "sure": [abs(r["predicted"] / r["measured"] - 1) <= 0.1 for r in stated
                      if r["at_most"] < 1.05 * r["at_least"]]}
    print("%4d %-11s %3d ranks %d a host %6d B %-24s measured %9.1f us, advised %s, %.2f of the library, %.2f of "
          "the best; %d of %d predictions stated, %d in their intervals"
          % (case["seed"], case["kind"], case["ranks"], case["ranks_a_host"], case["bytes"], grid["algorithm"],
             grid["measured"], advised["algorithm"], found["library"], found["best"], len(stated), len(rows) - 1,
             sum(found["inside"])), flush=True)
    for r in stated:
        if not 0.99 * r["at_least"] <= r["measured"] <= 1.01 * r["at_most"]:
            print("     %s: %.1f to %.1f, measured %.1f" % (r["algorithm"], r["at_least"], r["at_most"], r["measured"]))
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
    inside, sure = (sum((f[key] for f in found), []) for key in ("inside", "sure"))
    count = [("slower than the library by more than 5 %", sum(f["library"] > 1.05 for f in found), 0, len(found)),
             ("slower than the best by more than 8 %", sum(f["best"] > 1.08 for f in found),
              max(1, len(found) // 10), len(found)),
             ("outside of their interval", inside.count(False), max(1, len(inside) // 20), len(inside)),
             ("sure, and off by more than 10 %", sure.count(False), max(1, len(sure) // 20), len(sure))]
    for what, n, most, of in count:
        print("%s: %d of %d" % (what, n, of))
    return 2 * len(found) < cases or any(n > most for _, n, most, _ in count)


if __name__ == "__main__":
    sys.exit(main())
