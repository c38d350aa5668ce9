#!/usr/bin/env python3
"""usage: sweep.py [FIRST_SEED CASES MOST_RANKS SECONDS [DONE]]

Without arguments: the cases of ./check. DONE: a file of results: cases that are in it are not run again.

The methods that give a broadcast's latency, among all of collbench-bcast, on
platforms that nobody chose (platforms/make.py); in half of them the hosts' clocks drift, in a third
ranks lose their processor now and then, for up to ten broadcasts (noise.c), unless that strikes
two of five broadcasts alone: then it may be most, whose median is not an undisturbed one. Prints how
far each is from one broadcast alone on the exact clock (isolated.c), and for how many of those that
are off by more than 1 %, and by more than the error that they state, nothing in their row says so.
Fails where there is such a one, or where more than a tenth of the latencies that do not need the
paper's assumption, rounded up, carry a remark."""
import json
import math
import os
import signal
import subprocess
import sys
import tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "platforms"))
import make  # noqa: E402

with open(os.path.join(here, "options")) as file:
    OPTIONS = file.read().split()
METHODS = ["ol", "held", "direct"]
BOUNDS = ["barrier", "ring-barrier", "acknowledge"]
LIMIT, MOST_MARKED = 0.01, 0.1
# On the exact clock all that "direct" can be off by is what its own next message disturbs.
DIRECT_LIMIT = 0.002


def simulate(case, seconds, arguments, **environment):
    command = [os.environ.get("SMPIRUN", "smpirun"), "-quiet", "-np", str(case["ranks"]),
               "-hostfile", case["hosts"], "-platform", case["platform"],
               "--log=root.thresh:error", *OPTIONS, *case["options"].split(), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, **environment}, start_new_session=True) as process:
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    if process.returncode:
        raise RuntimeError(err[-300:] + out[-300:])
    return out


def root(operation, case):
    return ["--root=%d" % case["root"]] if operation in ("broadcast", "gather", "reduce", "scatter") else []


def run(seed, most_ranks, directory, seconds):
    """The case, and per method its value, whether it is marked, and the truth."""
    case = make.write(seed, most_ranks, directory)
    what = [case["algorithm"], str(case["bytes"]), str(case["root"])]
    isolated = ["sim/isolated", *what]
    truth = quantile(map(float, simulate(case, seconds, isolated).split()), 0.5)
    noise = {"SIM_NOISE": str(case["noise"]), "SIM_NOISE_US": str(10 * truth)}
    if case["noise"]:
        disturbed = map(float, simulate(case, seconds, isolated, **noise).split())
        if quantile(disturbed, 0.6) > (1 + LIMIT) * truth:
            case["noise"], noise = 0, {}
    if case["drift"]:
        noise["SIM_DRIFT"] = str(case["drift"])
    out = simulate(case, seconds, ["sim/collbench-bcast", "--method=all", "--algorithm=" + what[0],
                                   "--sizes=" + what[1], "--root=" + what[2], "--format=json"],
                   **noise)
    return case, truth, {row["method"]: row for row in json.loads(out[out.index("{"):])["tables"]["methods"]["rows"]}


BOUNDS_STATED = {"ways_differ", "clock_bound", "at_most"}
NOTES = {"violated", "late_ranks"}


def is_marked(row):
    """Beyond the error that is stated."""
    return any(r["key"] not in BOUNDS_STATED | NOTES for r in row.get("remarks") or [])


def off(row, truth):
    """By how much a value is off, beyond the error that its row states, or its interval, relative to TRUTH."""
    value, low, high = (row[k] for k in ("value", "low", "high"))
    if value is None and high is None:
        return float("inf")
    stated = sum(r["numbers"]["error_us"] for r in row.get("remarks") or [] if r["key"] in BOUNDS_STATED)
    return max(0, abs((value or truth) - truth) - stated, (low or 0) - truth, truth - (high or truth)) / truth


def show_row(case, what, truth, methods, found):
    """TRUTH: by method."""
    text = []
    for m in methods:
        value = found[m]["value"]
        off = 100 * (value / truth[m] - 1) if value is not None else float("nan")
        text.append("%s %12.2f us %+8.2f %%%s" % (m, truth[m], off, " !" if is_marked(found[m]) else "  "))
    print("%4d %-11s %4d ranks %d a host %8d B %-14s root %3d  %s%s"
          % (case["seed"], case["kind"], case["ranks"], case["ranks_a_host"], case["bytes"],
             what, case["root"], "  ".join(text), (" (%d ppm)" % case["drift"]) * (case["drift"] > 0)
             + (" noise %d" % case["noise"]) * (case["noise"] > 0)), flush=True)
    for m in methods if os.environ.get("SWEEP_REMARKS") else []:
        for remark in found[m].get("remarks") or []:
            print("       %s: %s" % (m, remark["text"]))


def show(case, truth, found):
    show_row(case, case["algorithm"], dict.fromkeys(METHODS, truth), METHODS, found)


def quantile(values, q):
    values = sorted(values)
    return values[min(len(values) - 1, int(q * len(values)))] if values else float("nan")


def most_by_chance(n):
    """What 19 in 20 draws of N cases stay within, if MOST_MARKED of all cases are marked."""
    k, total = 0, (1 - MOST_MARKED) ** n
    while total < 0.95:
        k += 1
        total += math.comb(n, k) * MOST_MARKED ** k * (1 - MOST_MARKED) ** (n - k)
    return k


def summarize_methods(methods, results):
    """RESULTS: cases, their truth by method, and rows. How many are off by more than LIMIT, and nothing in them says so."""
    silent = 0
    print("\n%-12s %6s %9s %9s %9s %9s %10s %16s" % ("method", "cases", "median", "90 %", "largest",
                                                   "over 1 %", "unmarked", "marked, in all"))
    for m in methods:
        rows = [(truth[m], found[m]) for _, truth, found in results]
        offs = [abs(row["value"] / truth - 1) for truth, row in rows if row["value"] is not None]
        wrong = [row for truth, row in rows if off(row, truth) > LIMIT]
        unmarked = sum(not is_marked(row) for row in wrong)
        marked = sum(is_marked(row) for _, row in rows)
        print("%-12s %6d %7.2f %% %7.2f %% %7.0f %% %9d %10d %9d (%2.0f %%)"
              % (m, len(rows), *(100 * quantile(offs, q) for q in (0.5, 0.9, 1)), len(wrong), unmarked,
                 marked, 100 * marked / len(rows)))
        silent += unmarked
    return silent


def summarize(results):
    silent = summarize_methods(METHODS, [(c, dict.fromkeys(METHODS, truth), found) for c, truth, found in results])
    exact = [off(found["direct"], truth) for _, truth, found in results if not is_marked(found["direct"])]
    if quantile(exact, 1) > DIRECT_LIMIT:
        print("direct: off by more than %g %%" % (100 * DIRECT_LIMIT))
        silent += 1
    for m in METHODS[1:]:
        if sum(is_marked(found[m]) for _, _, found in results) > most_by_chance(len(results)):
            print("%s: more than a tenth is marked, and not by chance" % m)
            silent += 1
    below = [(case["seed"], b) for case, truth, found in results for b in BOUNDS
             if found[b]["value"] is not None and found[b]["value"] < (1 - LIMIT) * truth]
    print("upper bounds below the truth: %d of %d %s" % (len(below), len(BOUNDS) * len(results),
                                                         below[:5] or ""))
    return silent


def sweep(run, show, summarize, quick, thorough):
    """QUICK, THOROUGH: first seed, cases, most ranks and seconds of ./check, and with --thorough."""
    if len(sys.argv) == 1 and not os.environ.get("SMPIRUN"):
        return 77
    arguments = sys.argv[1:] or (thorough if os.environ.get("CHECK_THOROUGH") == "1" else quick)
    first, cases, most_ranks, seconds = map(int, arguments[:4])
    results, failed, skipped, done = [], 0, 0, {}
    path = sys.argv[5] if len(sys.argv) > 5 else None
    if path and os.path.exists(path):
        done = {seed: result for seed, *result in map(json.loads, open(path))}
    with tempfile.TemporaryDirectory() as directory:
        for seed in range(first, first + cases):
            try:
                results.append(done.get(seed) or run(seed, most_ranks, directory, seconds))
                if path and seed not in done:
                    print(json.dumps([seed, *results[-1]]), file=open(path, "a"))
                show(*results[-1])
            except subprocess.TimeoutExpired:
                print("%4d not simulated within %d s" % (seed, seconds), flush=True)
                skipped += 1
            except RuntimeError as error:
                print("%4d FAILED: %s" % (seed, error), flush=True)
                failed += 1
    silent = summarize(results) if results else 0
    print("failed: %d, not simulated in time: %d" % (failed, skipped))
    return failed > 0 or silent > 0 or 2 * len(results) < cases


if __name__ == "__main__":
    sys.exit(sweep(run, show, summarize, (0, 10, 16, 60), (0, 40, 20, 60)))
