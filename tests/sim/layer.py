# usage: layer.py ALGORITHM HOW PER_STEP TRUTH OUT PROFILE; see layer.sh
import json
import sys

algorithm, how, per_step, truth_file, out_file, profile = sys.argv[1:]
LATE_RANK, ONE_WAY = 2, 21.6


def read(name, wanted):
    found = {}
    for line in open(name):
        word = line.split()
        if word[:1] == [wanted]:
            found[int(word[1]), int(word[2]), int(word[3])] = float(word[4])
    return found


def near(value, exact, tolerance):
    return abs(value - exact) <= tolerance * exact


truth, late = read(truth_file, "took"), read(out_file, "late")
streams = json.load(open(profile))["findings"]["ack"]
problems, known, rows = [], 0, 0
for s in streams:
    for d in s["destinations"]:
        rows += 1
        key = s["root"], s["bytes"], d["destination"]
        name = "root %d, %d B, to %d" % key
        direct, ol = d["direct_us"], d["ol_us"]
        known += direct is not None
        marked = how == "pipelined" and "may be less" in d["remark"]
        if direct is not None and not marked and not near(direct, truth[key], 0.01):
            problems.append("%s: direct %.2f us, true %.2f us" % (name, direct, truth[key]))
        if direct is None and not d["remark"].startswith("not known"):
            problems.append("%s: no latency and no reason" % name)
        if ol is not None and not marked and abs(ol - truth[key]) > 0.01 * truth[key] + 0.05 * ONE_WAY:
            problems.append("%s: acknowledged %.2f us, true %.2f us" % (name, ol, truth[key]))
        if how == "never" and ol is None and d["acknowledged"] and not d["early_percent"]:
            problems.append("%s: acknowledged, on time, but no figure" % name)
        if how == "never" and direct is None:
            problems.append("%s: not known, though nobody was late" % name)
        if how in ("random", "alternating") and direct is None and d["destination"] != s["root"]:
            problems.append("%s: not known, though rank 2 was often in time" % name)
        if key in late and how != "pipelined":
            if not d["late_by_us"] or not near(d["late_by_us"], late[key], 0.01 if how != "random" else 0.5):
                problems.append("%s: late by %s us, true %.2f us" % (name, d["late_by_us"], late[key]))
        elif how != "pipelined" and d["late_percent"]:
            problems.append("%s: late in %.0f %%, but never was" % (name, d["late_percent"]))
        if how == "constant" and d["behind_percent"] and d["behind_rank"] != LATE_RANK:
            problems.append("%s: behind rank %s" % (name, d["behind_rank"]))
if len(streams) != min(int(per_step), 2) * 2 or rows != 7 * len(streams):
    problems.append("%d streams, %d rows" % (len(streams), rows))
if how == "constant" and algorithm in ("binomial_tree", "flat") and known < rows // 2:
    problems.append("only %d of %d are known, though one rank alone is late" % (known, rows))
if algorithm == "flat" and not any(d["early_percent"] for s in streams for d in s["destinations"]):
    problems.append("no early acknowledgement on a flat tree")
print("%-20s %-11s %s a step: %d of %d known" % (algorithm, how, per_step, known, rows))
for p in problems:
    print("FAIL:", algorithm, how, p)
sys.exit(bool(problems))
