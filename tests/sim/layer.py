# usage: layer.py ALGORITHM HOW PER_STEP TRUTH OUT PROFILE; see layer.sh. HOW seen: what --bcast saw.
import json
import sys

algorithm, how, per_step, truth_file, out_file, profile = sys.argv[1:]
ONE_WAY = 21.6


def read(name, wanted):
    found = {}
    for line in open(name):
        word = line.split()
        if word[:1] == [wanted]:
            found[int(word[1]), int(word[2]), int(word[3])] = float(word[4])
    return found


def near(value, exact, tolerance):
    return abs(value - exact) <= tolerance * exact


def seen_alone(truth, broadcasts):
    """What --bcast saw is the last destination's exit after the entry of the root."""
    problems = []
    for f in broadcasts:
        last = max(us for (root, size, _), us in truth.items() if (root, size) == (f["root"], f["bytes"]))
        print("%-20s root %d, %d B: seen %.2f us, the last destination %.2f us" % (
            algorithm, f["root"], f["bytes"], f["seen_us"], last))
        if not near(f["seen_us"], last, 0.01) or not f["seen_low_us"] <= f["seen_us"] <= f["seen_high_us"]:
            problems.append("seen %(seen_us).2f us, %(seen_low_us).2f to %(seen_high_us).2f" % f)
        if f["algorithm"] != algorithm or f["predicted_us"] is not None:
            problems.append("ran %(algorithm)s, predicted to take %(predicted_us)s us" % f)
    if len(broadcasts) != min(int(per_step), 2) * 2:
        problems.append("%d rows of broadcasts" % len(broadcasts))
    return problems


def about_all(s):
    """What is said of a stream as a whole, by what is said of its destinations."""
    rows, problems = s["destinations"], []
    if sum(d["acknowledged"] + d["given_up"] for d in rows) != s["asked"]:
        problems.append("%(asked)s asked, and others have been" % s)
    for d in rows:
        for what in ("ol", "direct", "rtl"):
            low, value, high = (d[what + end] for end in ("_low_us", "_us", "_high_us"))
            if value is not None and not 0 <= low <= value <= high < 1e6:
                problems.append("%s of %d: %s to %s us around %s" % (what, d["destination"], low, high, value))
    return ["root %d, %d B: %s" % (s["root"], s["bytes"], p) for p in problems]


truth, late = read(truth_file, "took"), read(out_file, "late")
whole = json.load(open(profile))
findings = whole["findings"]
problems, known, rows = [], 0, 0
# In the simulator a message that found its receiver waiting is up to 0.7 us slower, but for "small" ones.
tolerance = 0.05 if algorithm == "default" else 0.01
# By default one of ten broadcasts is acknowledged: few of the 30 of a size, perhaps none.
streams_wanted = max(1, len(findings.get("ack", []))) if algorithm == "default" else min(int(per_step), 2) * 2
if how == "seen":
    problems, streams = seen_alone(truth, findings["broadcast"]), []
else:
    streams = findings["ack"]
    said = "ack: %d of %d broadcasts" % (sum(s["asked"] for s in streams), 60 * int(per_step))
    if algorithm != "default" and not any(w.startswith(said) for w in whole["warnings"]):
        problems.append("no warning: " + said)
for s in streams:
    problems += about_all(s)
    for d in s["destinations"]:
        rows += 1
        key = s["root"], s["bytes"], d["destination"]
        name = "root %d, %d B, to %d" % key
        direct, ol = d["direct_us"], d["ol_us"]
        known += direct is not None
        marked = how == "pipelined" and "may be less" in d["remark"] # the root came from another broadcast
        if how == "slow_clock":
            # A hold lasts one reading, 20 us; the root looks for acknowledgements between two.
            if ol is None or abs(ol - direct) > 25:
                problems.append("%s: acknowledged %s us, direct %.2f us" % (name, ol, direct))
            continue
        if direct is not None and not marked and not near(direct, truth[key], tolerance):
            problems.append("%s: direct %.2f us, true %.2f us" % (name, direct, truth[key]))
        if direct is None and not d["remark"].startswith("unknown"):
            problems.append("%s: no latency and no reason" % name)
        if ol is not None and not marked and abs(ol - truth[key]) > 0.01 * truth[key] + 0.05 * ONE_WAY:
            problems.append("%s: acknowledged %.2f us, true %.2f us" % (name, ol, truth[key]))
        if how == "never" and ol is None and d["acknowledged"] and not d["early_percent"]:
            problems.append("%s: acknowledged, on time, but no figure" % name)
        if not d["at_most_us"] >= 0.99 * (direct or truth[key]):
            problems.append("%s: at most %s us, true %.2f us" % (name, d["at_most_us"], truth[key]))
        if how == "never" and direct is None:
            problems.append("%s: not known, though nobody was late" % name)
        if how in ("random", "alternating") and direct is None and d["destination"] != s["root"]:
            problems.append("%s: not known, though rank 2 was often in time" % name)
        least = 100 if how == "constant" and key in late else 0
        if not least <= d["late_percent"] <= 100:
            problems.append("%s: late in %s %%" % (name, d["late_percent"]))
        if key in late and how != "pipelined":
            if not d["late_by_us"] or not near(d["late_by_us"], late[key], 0.01 if how != "random" else 0.5):
                problems.append("%s: late by %s us, true %.2f us" % (name, d["late_by_us"], late[key]))
        elif how != "pipelined" and d["late_percent"]:
            problems.append("%s: late in %.0f %%, but never was" % (name, d["late_percent"]))
if how != "seen" and len(streams) != streams_wanted or rows != 7 * len(streams):
    problems.append("%d streams, %d rows" % (len(streams), rows))
if how == "constant" and algorithm in ("binomial_tree", "flat") and known < rows // 2:
    problems.append("only %d of %d are known, though one rank alone is late" % (known, rows))
if algorithm == "flat" and how != "seen" and not any(d["early_percent"] for s in streams for d in s["destinations"]):
    problems.append("no early acknowledgement on a flat tree")
print("%-20s %-11s %s a step: %d of %d known" % (algorithm, how, per_step, known, rows))
for p in problems:
    print("FAIL:", algorithm, how, p)
sys.exit(bool(problems))
