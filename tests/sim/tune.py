#!/usr/bin/env python3
"""usage: tune.py [FIRST_SEED CASES MOST_RANKS SECONDS [DONE]]

What collbench-collective --tune chooses of the simulator's own algorithms, on the platforms of
sweep.py, where ranks lose their processor now and then. The truth is found without it: the simulator
itself is started with each algorithm (--cfg=smpi/OPERATION:ALGORITHM), for one operation alone on the
exact clock (isolated.c). The choice must be within 5 % of the best in 98 % of the cases, and in none
slower than the default by more than 2 %. Without noise the budget is 400 operations of each candidate, 100 of large ones,
and is kept.

Every 23rd case is a table instead: all algorithms, powers of two of bytes, 24 numbers of ranks. From the cells that
--tune measures, at most 20 %, it writes rules. In all cells of all tables their mean regret must be at most 3 %, and at
most 1 % of the cells may be slower than the default by more than 2 %."""
import json
import os
import random
import re
import sys

import sweep

# As in algorithms.c.
ALGORITHMS = {
    "allgather": ["bruck", "ring", "spreading_simple", "rdb"],
    "allreduce": ["rdb", "rab_rdb", "redbcast", "lr", "ompi_ring_segmented"],
    "alltoall": ["basic_linear", "bruck", "ring", "mvapich2_scatter_dest"],
    "barrier": ["ompi_basic_linear", "ompi_bruck", "ompi_recursivedoubling", "ompi_tree", "ompi_doublering"],
    "broadcast": ["binomial_tree", "flattree", "scatter_LR_allgather", "scatter_rdb_allgather", "ompi_pipeline"],
    "gather": ["ompi_binomial", "ompi_basic_linear"],
    "reduce": ["binomial", "flat_tree", "ompi_chain", "ompi_pipeline", "ompi_binary"],
    "scatter": ["ompi_binomial", "ompi_basic_linear", "ompi_linear_nb"],
}
BEST, DEFAULT, SHARE, MOST_USED = 1.05, 1.02, 0.98, 1.1
RANKS = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 18, 20, 24, 28, 32, 36, 40, 48, 56, 63, 64]
MEASURED = [2, 3, 4, 6, 12, 16, 24, 63, 64]
MOST_REGRET, MOST_SLOWER, MOST_MEASURED = 0.03, 0.01, 0.2


def stem_of(operation):
    return "bcast" if operation == "broadcast" else operation


def times_of(case, operation, sizes, seconds):
    """{bytes: {algorithm: us}}"""
    plain, times = case["options"], {size: {} for size in sizes}
    for algorithm in ["default", *ALGORITHMS[operation]]:
        case["options"] = plain + (algorithm != "default") * (" --cfg=smpi/%s:%s" % (stem_of(operation), algorithm))
        # The last comma: no pairs of ranks.
        out = sweep.simulate(case, seconds, ["sim/isolated", operation, "".join("%d," % x for x in sizes), str(case["root"])])
        for size, us in zip(sizes, out.split()[::2]):
            times[size][algorithm] = float(us)
    case["options"] = plain
    return times


def rules_from(table, measured, case, operation, directory, seconds):
    """What the program writes when these signatures are known: [(ranks, from, algorithm)]"""
    tuned = [{"operation": "MPI_" + stem_of(operation).capitalize(), "ranks": n, "bytes": size, "arrival": "punctual",
              "candidates": [{"algorithm": a, "number": k - 1, "segment": 0, "time_us": us,
                              **dict.fromkeys(("ratio", "low", "high"), us / table[n, size]["default"])}
                             for k, (a, us) in enumerate(table[n, size].items())]} for n, size in measured]
    path, ranks, rules = directory + "/tuned.json", 0, [(0, 0, "default")]
    with open(path, "w") as file:
        json.dump({"library": "Open MPI simulated", "complete": False, "tuned": tuned}, file)
    sweep.simulate(case, seconds, ["sim/collbench-collective", "--tune=" + directory, "--operation=" + operation,
                                   "--ranks=2:64", "--sizes=1:%d" % max(measured)[1]])
    if sum("between" not in t for t in json.load(open(path))["tuned"]) > len(tuned):
        raise RuntimeError("it measures other ranks than MEASURED, or other sizes")
    for line in open(directory + "/openmpi.rules"):
        numbers, name = line.strip().split(" # ")
        if name == "ranks":
            ranks = int(numbers)
        elif " " in numbers:
            rules.append((ranks, int(numbers.split()[0]), name))
    return rules


def run_table(seed, directory, seconds):
    case = sweep.make.write(seed, 64, directory, least=64)
    operation = random.Random("grid %d" % seed).choice(sorted(set(ALGORITHMS) - {"alltoall", "barrier"}))
    of_all = operation in ("allgather", "gather", "scatter")
    sizes, table = [1 << k for k in range(17 if of_all else 23)], {}
    for n in RANKS:
        case.update(operation=operation, ranks=n, root=0)
        table.update({(n, size): times for size, times in times_of(case, operation, sizes, seconds).items()})
    measured = [(n, size) for n in MEASURED for size in sizes[::2]]
    rules, lost, slower = rules_from(table, measured, case, operation, directory, seconds), 0, 0
    for (n, size), times in table.items():
        at = max(ranks for ranks, _, _ in rules if ranks <= n)
        took = times.get([a for ranks, begin, a in rules if ranks == at and begin <= size * (n if of_all else 1)][-1],
                         times["default"])
        lost += (took / min(times.values()) - 1) / len(table)
        slower += (took > DEFAULT * times["default"]) / len(table)
    return case, None, (len(measured) / len(table), lost, slower)


def run(seed, most_ranks, directory, seconds):
    if seed % 23 == 15:
        return run_table(seed, directory, seconds)
    case = sweep.make.write(seed, most_ranks, directory)
    r = random.Random("tune %d" % seed)
    operation = case["operation"] = r.choice(sorted(ALGORITHMS))
    size = case["bytes"] = 0 if operation == "barrier" else r.choice([8, 256, 4096, 32768, 262144])
    truth = times_of(case, operation, [size], seconds)[size]
    hostile = {"SIM_DRIFT": str(case["drift"])} if case["drift"] else {}
    case["noise"] = r.choice([0, 0, 50])
    if case["noise"]:
        hostile.update(SIM_NOISE=str(case["noise"]), SIM_NOISE_US=str(10 * truth["default"]))
    sizes = [] if operation == "barrier" else ["--sizes=%d" % size]
    candidates = len(truth) + 3 * (operation == "broadcast")  # three are collprof's
    budget = 300 if case["noise"] else (100e-6 if size > 4096 else 400e-6) * candidates * truth["default"]
    log = os.path.join(directory, "time.%d" % seed)
    case["options"] += " --cfg=smpi/display-timing:1 --log=smpi_utils.thresh:info --log=smpi_utils.app:file:" + log
    took = {}
    # A scan, which has no algorithms to choose from, costs what the start does.
    for tuned, at in ("scan", sizes or ["--sizes=8"]), (operation, sizes):
        out = sweep.simulate(case, seconds, ["sim/collbench-collective", "--tune=" + directory, *at,
                                             "--operation=" + tuned, *sweep.root(tuned, case), "--budget=%g" % budget, "--format=json"], **hostile)
        took[tuned] = float(re.search(r"imulated time: (\S+)", open(log).read())[1])
    row, = json.loads(out[out.index("{"):])["tables"]["tuned"]["rows"]
    case["used"] = (took[operation] - took["scan"]) / budget
    return case, truth, row["best"] or "default"


def show(case, truth, chosen):
    if not truth:
        print("%4d %-11s %-10s table, measured: %.1f %%; mean regret of rules %.2f %%; slower than the default %.2f %%"
              % (case["seed"], case["kind"], case["operation"], *(100 * x for x in chosen)), flush=True)
        return
    best = min(truth, key=truth.get)
    print("%4d %-11s %4d ranks %d a host %8d B %-10s root %3d%s  %-22s %12.2f us  best %-22s %.3f  default %.3f"
          "  budget used %.2f"
          % (case["seed"], case["kind"], case["ranks"], case["ranks_a_host"], case["bytes"],
             case["operation"], case["root"], " noise" * (case["noise"] > 0), chosen, truth[chosen],
             best, truth[chosen] / truth[best], truth[chosen] / truth["default"],
             case.get("used", 0)), flush=True)


def summarize(results):
    tables = [of_table for _, truth, of_table in results if not truth]
    share, lost, slow = (sum(x) / len(tables) for x in zip(*tables)) if tables else (0, 0, 0)
    print("%d tables: mean regret %.2f %%, slower than the default %.2f %%" % (len(tables), 100 * lost, 100 * slow))
    results = [r for r in results if r[1]]
    far = sum(truth[chosen] > BEST * min(truth.values()) for _, truth, chosen in results)
    slower = sum(truth[chosen] > DEFAULT * truth["default"] for _, truth, chosen in results)
    better = sum(truth["default"] > BEST * min(truth.values()) for _, truth, _ in results)
    over = sum(case.get("used", 0) > MOST_USED and not case["noise"] for case, _, _ in results)
    print("%d cases: the default is more than 5 %% from the best in %d, the choice in %d, and slower "
          "than the default in %d; over the budget: %d" % (len(results), better, far, slower, over))
    return slower + over + (far > (1 - SHARE) * len(results)) + (
        share > MOST_MEASURED or lost > MOST_REGRET or slow > MOST_SLOWER)


if __name__ == "__main__":
    sys.exit(sweep.sweep(run, show, summarize, (1, 4, 8, 60), (1, 20, 8, 60)))
