"""Holds a profile to what it must be: known.py TABLE DIRECTORY

Every line of TABLE (see known.table) has to be in DIRECTORY/profile.json with just these figures,
and there may be nothing else in any region."""
import collections
import json
import sys

SUMS = "calls errors bytes time completed completed_bytes post_to_wait wait post_to_completion complete_at_wait cancelled".split()
ENTRY = SUMS + ["min", "max"]
ARRIVAL = "instances skew duration time wait cost_rank cost".split()
TIMES = "time min max post_to_wait wait post_to_completion skew duration cost".split()
# What messages and the barrier between the ranks take; work is of whole milliseconds.
HOPS_MS = 0.13


def number(record, figure):
    """In ms, where it is a time."""
    if figure in TIMES:
        name = figure + {"skew": "_median", "duration": "_median"}.get(figure, "") + "_ns"
        return record[name] / 1e6
    return record[figure]


def entries(profile):
    """(region, operation) to figures, call sites and sizes together."""
    found = {}
    group = {(g["site"], g["operation"]): g["ranks"] for g in profile["groups"]}
    for e in profile["entries"]:
        if e["region"] is None:
            continue
        at = (profile["regions"][e["region"]]["name"], profile["operations"][e["operation"]]["name"][4:])
        f = found.setdefault(at, collections.Counter({"min": float("inf"), "n": 0}))
        for figure in SUMS:
            f[figure] += number(e, figure)
        if e["calls"]:
            f["min"] = min(f["min"], number(e, "min"))
            f["max"] = max(f["max"], number(e, "max"))
        spread = group[e["site"], e["operation"]]
        f["ranks"] = max(f["ranks"], spread["count"])
        f["worst"], f["best"] = spread["max_rank"], spread["min_rank"]
    return found


def arrivals(profile):
    """The same of the list of arrivals; a call site is in the region of its calls."""
    region = {(e["site"], e["operation"]): profile["regions"][e["region"]]["name"]
              for e in profile["entries"] if e["region"] is not None}
    return {(region[a["site"], a["operation"]], "late", profile["operations"][a["operation"]]["name"][4:]):
            {figure: number(a, figure) for figure in ARRIVAL}
            for a in profile["arrivals"] if (a["site"], a["operation"]) in region}


def wanted(path):
    for line in open(path):
        word = line.partition("#")[0].split()
        if word:
            key = tuple(w for w in word if "=" not in w)
            yield key, {k: float(v) for k, _, v in (w.partition("=") for w in word if "=" in w)}


def is_right(figure, value, right, calls):
    return abs(value - right) <= (HOPS_MS * max(calls, 1) if figure in TIMES else 0)


def main(table, directory):
    profile = json.load(open(directory + "/profile.json"))
    found = {**entries(profile), **arrivals(profile)}
    bad, seen = [], set()
    for key, figures in wanted(table):
        seen.add(key)
        if key not in found:
            bad.append(f"{' '.join(key)}: not in the profile")
            continue
        have = found[key]
        calls = have.get("calls", 4 * have.get("instances", 0))
        for figure in {*figures, *(ARRIVAL if "late" in key else ENTRY)}:
            right = figures.get(figure, 0)
            if not is_right(figure, have[figure], right, 1 if figure in ("min", "max", "skew") else calls):
                bad.append(f"{' '.join(key)}: {figure} is {have[figure]:g}, not {right:g}")
    bad += [f"{' '.join(key)}: unexpected" for key in found if key not in seen]
    if profile["communicators"][0]["name"] != "MPI_COMM_WORLD":
        bad.append("MPI_COMM_WORLD has no name")
    if not any(m["build_id"] for m in profile["modules"] if "known" in m["path"]):
        bad.append("no build-id of the program")
    if not all(len(profile["sites"][e["site"]]["frames"]) > 1
               for e in profile["entries"] if e["region"] is not None):
        bad.append("a scene's call sites lack their callers")
    if any(r["state"] != "finalized" for r in profile["ranks"]) or profile["run"]["size"] != 4:
        bad.append("not four ranks that ended well")
    for region in profile["regions"]:
        longest = max(r["time_ns"] for r in profile["entries"] if r["region"] is not None
                      and profile["regions"][r["region"]]["name"] == region["name"])
        if region["entered"] != len(profile["ranks"]) or region["time_ns"] < longest:
            bad.append(f"region {region}")
    print("\n".join(bad) or f"{len(seen)} lines of figures are right")
    return bool(bad)


sys.exit(main(*sys.argv[1:]))
