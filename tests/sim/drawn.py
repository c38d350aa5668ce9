# usage: drawn.py NAME CALM LATE PROFILE; see drawn.sh.
import json
import sys

name, calm, late, profile = sys.argv[1:]
MARKS = "unknown", "may be less", "may be more"


def read(path):
    took, was_late, pipelined = {}, {}, False
    for word in map(str.split, open(path)):
        if word[:1] == ["took"]:
            took[tuple(map(int, word[1:4]))] = float(word[4])
        elif word[:1] == ["late"]:
            was_late[tuple(map(int, word[1:4]))] = float(word[4]), float(word[5])
        pipelined |= word == ["pipelined"]
    return took, was_late, pipelined


# Us from the root's last call to each broadcast where it pauses: what takes longer is marked.
PAUSE = 400

truth, _, _ = read(calm)
_, lateness, pipelined = read(late)
problems, rows, unmarked = [], 0, 0
# Not in the layer's hands: without it, too, a pipelined program has the small broadcasts over two hops in
# 41.8 or 43.6 us (seed 25), since the simulator makes a message that finds its receiver waiting slower.
inexact = 2 if pipelined else 0
profile = json.load(open(profile))
none = any("ack: 0 of" in w for w in profile["warnings"])
for s in profile["findings"].get("ack", ()):
    for d in s["destinations"]:
        key = s["root"], s["bytes"], d["destination"]
        exact, direct = truth[key], d["direct_us"]
        marked = any(m in d["remark"] for m in MARKS)
        rows += 1
        unmarked += not marked or exact > PAUSE
        said = "root %d, %d B, to %d: " % key
        if not marked and (direct is None or abs(direct - exact) > 0.01 * exact + inexact):
            problems.append(said + "%s us, true %.2f us, '%s'" % (direct, exact, d["remark"]))
        if direct is None and d["at_most_us"] < 0.99 * exact - inexact:
            problems.append(said + "at most %.2f us, true %.2f us" % (d["at_most_us"], exact))
        if pipelined:
            continue
        by, percent = lateness.get(key, (None, 0))
        if not marked and not percent and d["late_percent"] or percent == 100 and d["late_percent"] < 100:
            problems.append(said + "late in %.0f %%, true %.0f %%" % (d["late_percent"], percent))
        if d["late_percent"] and (by is None or abs(d["late_by_us"] - by) > 0.01 * by):
            problems.append(said + "late by %s us, true %s us" % (d["late_by_us"], by))
print("%s%s: %d of %d destinations known and unmarked, or longer than the pause before" % (name, " pipelined" * pipelined, unmarked, rows))
if not rows and not none or (not lateness and not pipelined and unmarked < rows):
    problems.append("%d of %d, though nobody was late" % (unmarked, rows))
for p in problems:
    print("FAIL:", name, p)
sys.exit(bool(problems))
