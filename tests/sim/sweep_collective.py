#!/usr/bin/env python3
"""usage: sweep_collective.py [FIRST_SEED CASES MOST_RANKS SECONDS [DONE]]

As sweep.py, of collbench-collective: its two methods with their default options, on the same kinds
of platforms and with ranks that lose their processor between operations, against one operation alone
on the exact clock (isolated.c). Fails where a figure is off by more than 1 % and by more than the
error that its row states, and nothing says so."""
import json
import random
import sys

import sweep

OPERATIONS = ["barrier", "broadcast", "gather", "allgather", "allreduce", "reduce", "scatter",
              "alltoall", "reduce-scatter"]
METHODS = ["direct", "held"]


def run(seed, most_ranks, directory, seconds):
    case = sweep.make.write(seed, most_ranks, directory)
    r = random.Random("collective %d" % seed)
    case["operation"] = r.choice(OPERATIONS)
    case["bytes"] = r.choice([8, 64, 256, 1024, 4096, 65536])
    if case["operation"] == "barrier":
        case["bytes"] = 0
    truth = dict(zip(METHODS, map(float, sweep.simulate(
        case, seconds, ["sim/isolated", case["operation"], str(case["bytes"]),
                        str(case["root"])]).split())))
    hostile = {"SIM_DRIFT": str(case["drift"])} if case["drift"] else {}
    case["noise"] = r.choice([0, 2, 100])
    if case["noise"]:
        hostile.update(SIM_NOISE=str(case["noise"]), SIM_NOISE_US=str(10 * truth["direct"]))
    size = [] if case["operation"] == "barrier" else ["--sizes=%d:%d" % (case["bytes"], case["bytes"])]
    out = sweep.simulate(case, seconds, ["sim/collbench-collective", *size,
                                         "--operation=" + case["operation"], *sweep.root(case["operation"], case), "--format=json"], **hostile)
    rows = json.loads(out[out.index("{"):])["tables"]["methods"]["rows"]
    return case, truth, {row["method"]: row for row in rows}


def show(case, truth, row):
    sweep.show_row(case, case["operation"], truth, METHODS, row)


if __name__ == "__main__":
    sys.exit(sweep.sweep(run, show, lambda results: sweep.summarize_methods(METHODS, results), (0, 4, 10, 60), (0, 30, 16, 60)))
