#!/usr/bin/env python3
"""usage: study.py DIRECTORY NETWORKS

The measurements of doc/study.md, in simulation, from a built tree; prints its tables. What DIRECTORY has already is kept,
so that a study that was ended goes on. Four parts: timing loops of benchmark suites on networks drawn at random
(platforms/make.py); the same with two barriers, and which of three algorithms they prefer on each of every third of
these networks; collectives whose ranks arrive in patterns against the same with all there; and what --ack costs."""
import collections
import json
import os
import subprocess
import sys
import tempfile

import figures
import sweep

LOOPS = ["osu", "osu-max", "imb", "imb-max", "repro-barrier", "repro-window", "send-latency", "rounds", "barrier", "acknowledge"]
RIVALS = ["binomial", "chain", "flat"]
BARRIERS = {"linear": "ompi_basic_linear", "dissemination": "ompi_bruck"}
FIRST, RANKS, SECONDS = 2000, 16, 300
PATTERNS = {"root late": "participants 0\\n start\\n delay\\n issue operation\\n sync\\n stop\\n",
            "last late": "participants last\\n start\\n delay\\n issue operation\\n sync\\n stop\\n",
            "half late": "participants 8-15\\n start\\n delay\\n issue operation\\n sync\\n stop\\n",
            "staircase": "".join("participants %d\\n start\\n delay %d\\n issue operation\\n sync\\n stop\\n" % (i, 40 * i) for i in range(1, 16)),
            }
OTHERS = "participants others\\n start\\n issue operation\\n sync\\n stop\\n"


def kept(directory, name, measure):
    """What MEASURE gives, a value of JSON; from a file if it was measured before."""
    path = os.path.join(directory, name + ".json")
    if not os.path.exists(path):
        try:
            found = measure()
        except subprocess.TimeoutExpired:
            found = None
        with open(path + ".part", "w") as out:
            json.dump(found, out)
        os.rename(path + ".part", path)
    return json.load(open(path))


def network(seed):
    """The error of each loop, relative to one broadcast alone on the exact clock."""
    with tempfile.TemporaryDirectory() as directory:
        case = sweep.make.write(seed, RANKS, directory)
        what = [case["algorithm"], str(case["bytes"]), str(case["root"])]
        alone = sorted(map(float, sweep.simulate(case, SECONDS, ["sim/isolated", *what]).split()))
        out = sweep.simulate(case, SECONDS, ["sim/collbench-bcast", "--method=send-latency,rounds,barrier,acknowledge", "--as=all",
                                             "--algorithm=" + what[0], "--sizes=" + what[1], "--root=" + what[2], "--format=json",
                                             "--stop=fixed", "-i20", "-x2", "--budget=0"])
    rows = json.loads(out[out.index("{"):])["tables"]["methods"]["rows"]
    truth = alone[len(alone) // 2]
    return {"kind": case["kind"], "algorithm": case["algorithm"], "bytes": case["bytes"], "ranks": case["ranks"],
            "errors": {r["method"]: r["value"] / truth - 1 for r in rows if r["value"] is not None}}


def percent(errors):
    """Median and the middle 90 % of errors."""
    low, middle, high = (sweep.quantile(errors, q) for q in (0.05, 0.5, 0.95))
    return "%+.0f (%+.0f to %+.0f)" % (100 * middle, 100 * low, 100 * high) if errors else "-"


def loops(directory, networks):
    cases = []
    for i in range(networks):
        cases.append(kept(directory, "network-%d" % (FIRST + i), lambda: network(FIRST + i)))
        print("%d of %d networks" % (i + 1, networks), file=sys.stderr, flush=True)
    cases = [c for c in cases if c]
    print("\n%d networks of %d that were drawn; error in %%: median (5th to 95th percentile).\n" % (len(cases), networks))
    for c in cases:
        c["size"] = "up to 4 KiB" if c["bytes"] <= 4096 else "larger"
    for key in ("all", "kind", "algorithm", "size"):
        groups = collections.defaultdict(list)
        for c in cases:
            groups[c.get(key, "all")].append(c["errors"])
        print("| %s | networks | %s |\n|---|---:|%s" % (key if key != "all" else "", " | ".join(LOOPS), "---:|" * len(LOOPS)))
        for name, errors in sorted(groups.items()):
            print("| %s | %d | %s |" % (name, len(errors), " | ".join(percent([e[m] for e in errors if m in e]) for m in LOOPS)))
        print()
    print("Beyond 10 % of the truth: " + ", ".join(
        "%s %.0f %%" % (m, 100 * sum(abs(c["errors"].get(m, 1)) > 0.1 for c in cases) / max(1, len(cases))) for m in LOOPS))


def rivals(seed):
    """By algorithm the truth, and by barrier, algorithm and loop the figure, on one network."""
    with tempfile.TemporaryDirectory() as directory:
        case = sweep.make.write(seed, RANKS, directory)
        size, root = str(case["bytes"]), str(case["root"])
        found = {"bytes": case["bytes"], "truth": {}}
        for a in RIVALS:
            found["truth"][a] = sweep.quantile(map(float, sweep.simulate(case, SECONDS, ["sim/isolated", a, size, root]).split()), 0.5)
        for name, barrier in BARRIERS.items():
            with_it = dict(case, options=case["options"] + " --cfg=smpi/barrier:" + barrier)
            out = sweep.simulate(with_it, SECONDS, ["sim/collbench-bcast", "--method=barrier", "--algorithm=" + ",".join(RIVALS),
                                                    "--as=" + ("osu,imb,repro" if name == "linear" else "osu,repro"), "--sizes=" + size,
                                                    "--root=" + root, "--format=json", "--stop=fixed", "-i8", "-x2", "--budget=0"])
            found[name] = {a: {} for a in RIVALS}
            for r in json.loads(out[out.index("{"):])["tables"]["methods"]["rows"]:
                found[name][r["algorithm"]][r["method"]] = r["value"]
    return found


def choices(directory, networks):
    """Tables of two barriers, and of the algorithm that each loop finds fastest: a wrong choice takes more than 5 % longer
    than the fastest, and what it takes longer is a 95th percentile; in %."""
    seeds = range(FIRST, FIRST + networks, 3)
    cases = [c for c in (kept(directory, "rivals-%d" % s, lambda: rivals(s)) for s in seeds) if c]
    sizes = {"up to 4 KiB": [c for c in cases if c["bytes"] <= 4096], "larger": [c for c in cases if c["bytes"] > 4096]}
    print("\n%d networks of %d, each with %s.\n" % (len(cases), len(seeds), ", ".join(RIVALS)))
    loops_ = ["osu", "osu-max", "repro-barrier", "repro-window", "barrier"]
    print("| barrier, size | broadcasts | %s |\n|---|---:|%s" % (" | ".join(loops_), "---:|" * len(loops_)))
    for size, of in sizes.items():
        for name in BARRIERS:
            print("| %s, %s | %d | %s |" % (name, size, len(RIVALS) * len(of), " | ".join(
                percent([c[name][a][m] / c["truth"][a] - 1 for c in of for a in RIVALS]) for m in loops_)))
    print("\n| loop | up to 4 KiB: wrong choices | takes longer by | larger: wrong choices | takes longer by |\n|---|---:|---:|---:|---:|")
    for name, m in [("linear", m) for m in LOOPS[:6] + ["barrier"]] + [("dissemination", m) for m in loops_]:
        cells = []
        for of in sizes.values():
            lost = [c["truth"][min(RIVALS, key=lambda a: c[name][a][m])] / min(c["truth"].values()) - 1 for c in of]
            cells.append("%.0f | %.0f" % (100 * sum(x > 0.05 for x in lost) / len(lost), 100 * sweep.quantile(lost, 0.95)) if of else "- | -")
        print("| %s%s | %s |" % (m, "" if "imb" in m else ", %s barrier" % name, " | ".join(cells)))


def arrivals(directory):
    def measure():
        out = {}
        with tempfile.TemporaryDirectory() as work:
            files = ["1"]
            for name, text in PATTERNS.items():
                files.append(os.path.join(work, name.replace(" ", "-")))
                with open(files[-1], "w") as f:
                    f.write(("scenario %s\\n" % name + text + OTHERS).replace("\\n", "\n"))
            command = figures.sim("cluster", 16, "collbench-scenario", "--scenario=%s --operation=broadcast,reduce,allreduce,barrier,"
                                  "alltoall --delay=600 --sizes=1K:64K %s --format=json -o %s/out" % (",".join(files), figures.FIXED, work),
                                  figures.OVERHEADS)
            subprocess.run(["sh", "-c", command], check=True, stdout=subprocess.DEVNULL)
            for r in json.load(open(work + "/out"))["tables"]["scenarios"]["rows"]:
                if r["data"] in (None, 0, 1024, 65536):
                    out.setdefault("%s %s" % (r["operation"], r["data"] or ""), {})[r["scenario"]] = r["after_last"]
        return out
    found = kept(directory, "arrivals", measure)
    names = [n.replace(" ", "-") for n in PATTERNS]
    print("\n| operation, B | all there (us) | %s |\n|---|---:|%s" % (" | ".join(PATTERNS), "---:|" * len(names)))
    for operation, of in found.items():
        print("| %s | %.1f | %s |" % (operation, of["1"], " | ".join("%.3f" % (of.get(n, of.get(n.split("-")[0], float("nan"))) / of["1"])
                                                                   for n in names)))


def perturbation(directory):
    def measure(share):
        with tempfile.TemporaryDirectory() as work:
            command = figures.sim("cluster", 8, "layer", "steps 4096", COLLPROF_OUTPUT=work + "/run", COLLPROF_REPORT="no",
                                  COLLPROF_ACK=str(share))
            subprocess.run(["sh", "-c", command], check=True, stdout=subprocess.DEVNULL)
            profile = json.load(open(work + "/run/profile.json"))
        return [max(r["wall_seconds"] for r in profile["ranks"])]
    shares = [0, 1, 10, 50, 100]
    found = {s: kept(directory, "ack-%d" % s, lambda: measure(s)) for s in shares}
    print("\n| --ack, % of the broadcasts | run (ms) | longer by (%) |\n|---:|---:|---:|")
    for s in shares:
        print("| %d | %.2f | %.2f |" % (s, 1e3 * found[s][0], 100 * (found[s][0] / found[0][0] - 1)))


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    os.environ["CHECK_LIMIT"] = "0"
    loops(sys.argv[1], int(sys.argv[2]))
    choices(sys.argv[1], int(sys.argv[2]))
    arrivals(sys.argv[1])
    perturbation(sys.argv[1])
