#!/usr/bin/env python3
"""usage: sweep_collective.py [FIRST_SEED CASES MOST_RANKS SECONDS [DONE]]

As sweep.py, of collbench-collective: its two methods with their default options, on the same kinds
of platforms and with ranks that lose their processor between operations, against one operation alone
on the exact clock (isolated.c). Fails where a figure is off by more than 1 % and by more than the
error that its row states, and nothing says so."""
import json
import os
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
                                         "--operation=" + case["operation"],
                                         "--root=%d" % case["root"], "--format=json"], **hostile)
    rows = json.loads(out[out.index("{"):])["tables"]["methods"]["rows"]
    return case, truth, {row["method"]: row for row in rows}


def show(case, truth, row):
    text = []
    for m in METHODS:
        value = float("nan") if row[m]["value"] is None else row[m]["value"]
        text.append("%s %10.2f us %+8.2f %%%s" % (m, truth[m], 100 * (value / truth[m] - 1),
                                                 " !" if sweep.is_marked(row[m]) else "  "))
    print("%4d %-11s %4d ranks %d a host %8d B %-14s root %3d  %s%s"
          % (case["seed"], case["kind"], case["ranks"], case["ranks_a_host"], case["bytes"],
             case["operation"], case["root"], "  ".join(text),
             (" (%d ppm)" % case["drift"]) * (case["drift"] > 0)
             + (" noise %d" % case["noise"]) * (case["noise"] > 0)), flush=True)
    if os.environ.get("SWEEP_REMARKS"):
        for m in METHODS:
            for remark in row[m].get("remarks") or []:
                print("       %s: %s" % (m, remark["text"]))


def summarize(results):
    silent = 0
    print("\n%-12s %6s %9s %9s %9s %9s %10s %8s" % ("method", "cases", "median", "90 %", "largest",
                                                  "over 1 %", "unmarked", "marked"))
    for m in METHODS:
        offs = [sweep.off(row[m], truth[m]) for _, truth, row in results]
        wrong = [row[m] for _, truth, row in results if sweep.off(row[m], truth[m]) > sweep.LIMIT]
        unmarked = sum(not sweep.is_marked(row) for row in wrong)
        print("%-12s %6d %7.2f %% %7.2f %% %7.0f %% %9d %10d %8d"
              % (m, len(offs), *(100 * sweep.quantile(offs, q) for q in (0.5, 0.9, 1)), len(wrong),
                 unmarked, sum(sweep.is_marked(row[m]) for _, _, row in results)))
        silent += unmarked
    return silent


if __name__ == "__main__":
    sys.exit(sweep.sweep(run, show, summarize, (0, 4, 10, 60), (0, 30, 16, 60)))
