#!/usr/bin/env python3
"""usage: tune.py [FIRST_SEED CASES MOST_RANKS SECONDS [DONE]]

What collbench-collective --tune chooses of the simulator's own algorithms, on the platforms of
sweep.py, where ranks lose their processor now and then. The truth is found without it: the simulator
itself is started with each algorithm (--cfg=smpi/OPERATION:ALGORITHM), for one operation alone on the
exact clock (isolated.c). The choice must be within 5 % of the best in 98 % of the cases, and in none
slower than the default by more than 2 %. Without noise the budget is 400 operations of each candidate, and is kept."""
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


def run(seed, most_ranks, directory, seconds):
    case = sweep.make.write(seed, most_ranks, directory)
    r = random.Random("tune %d" % seed)
    operation = case["operation"] = r.choice(sorted(ALGORITHMS))
    size = case["bytes"] = 0 if operation == "barrier" else r.choice([8, 256, 4096, 32768, 262144])
    stem = "bcast" if operation == "broadcast" else operation
    plain = case["options"]
    truth = {}
    for algorithm in ["default", *ALGORITHMS[operation]]:
        case["options"] = plain + (algorithm != "default") * (" --cfg=smpi/%s:%s" % (stem, algorithm))
        truth[algorithm] = float(sweep.simulate(
            case, seconds, ["sim/isolated", operation, str(size), str(case["root"])]).split()[0])
    case["options"] = plain
    hostile = {"SIM_DRIFT": str(case["drift"])} if case["drift"] else {}
    case["noise"] = r.choice([0, 0, 50])
    if case["noise"]:
        hostile.update(SIM_NOISE=str(case["noise"]), SIM_NOISE_US=str(10 * truth["default"]))
    sizes = [] if operation == "barrier" else ["--sizes=%d" % size]
    candidates = len(truth) + 3 * (operation == "broadcast")  # three are collprof's
    budget = 300 if case["noise"] else 400e-6 * candidates * truth["default"]
    log = os.path.join(directory, "time.%d" % seed)
    case["options"] += " --cfg=smpi/display-timing:1 --log=smpi_utils.thresh:info --log=smpi_utils.app:file:" + log
    took = {}
    # A scan, which has no algorithms to choose from, costs what the start does.
    for tuned, at in ("scan", sizes or ["--sizes=8"]), (operation, sizes):
        out = sweep.simulate(case, seconds, ["sim/collbench-collective", "--tune=" + directory, *at,
                                             "--operation=" + tuned, "--root=%d" % case["root"],
                                             "--budget=%g" % budget, "--format=json"], **hostile)
        took[tuned] = float(re.search(r"imulated time: (\S+)", open(log).read())[1])
    row, = json.loads(out[out.index("{"):])["tables"]["tuned"]["rows"]
    case["used"] = (took[operation] - took["scan"]) / budget
    return case, truth, row["best"] or "default"


def show(case, truth, chosen):
    best = min(truth, key=truth.get)
    print("%4d %-11s %4d ranks %d a host %8d B %-10s root %3d%s  %-22s %12.2f us  best %-22s %.3f  default %.3f"
          "  budget used %.2f"
          % (case["seed"], case["kind"], case["ranks"], case["ranks_a_host"], case["bytes"],
             case["operation"], case["root"], " noise" * (case["noise"] > 0), chosen, truth[chosen],
             best, truth[chosen] / truth[best], truth[chosen] / truth["default"],
             case.get("used", 0)), flush=True)


def summarize(results):
    far = sum(truth[chosen] > BEST * min(truth.values()) for _, truth, chosen in results)
    slower = sum(truth[chosen] > DEFAULT * truth["default"] for _, truth, chosen in results)
    better = sum(truth["default"] > BEST * min(truth.values()) for _, truth, _ in results)
    over = sum(case.get("used", 0) > MOST_USED and not case["noise"] for case, _, _ in results)
    print("%d cases: the default is more than 5 %% from the best in %d, the choice in %d, and slower "
          "than the default in %d; over the budget: %d" % (len(results), better, far, slower, over))
    return slower + over + (far > (1 - SHARE) * len(results))


if __name__ == "__main__":
    sys.exit(sweep.sweep(run, show, summarize, (1, 4, 8, 60), (1, 20, 8, 60)))
