"""Holds what people read of known.c to its profile: pages.py COLLPROF DIRECTORY TWICE

The tables as CSV, the findings, the comparison with TWICE (all work twice as long) and the data of the
pictures agree with DIRECTORY/profile.json, which known.py has held to the truth. The same tables as text:
tests/recorded.sh."""
import collections
import csv
import io
import json
import re
import subprocess
import sys

collprof, directory, twice = sys.argv[1:]
profile = json.load(open(directory + "/profile.json"))
bad = []


def check(right, what):
    if not right:
        bad.append(what)


def near(a, b, relative=0.006):
    return abs(a - b) <= relative * abs(b) + 1e-9


def run(*arguments):
    return subprocess.run([collprof, *arguments], check=True, capture_output=True, text=True,
                          timeout=60).stdout


def name(record):
    return profile["operations"][record["operation"]]["name"]


# --- CSV: rows by operation and by call site, added up from the entries

def csv_table(table):
    return list(csv.DictReader(io.StringIO(run("report", "--format=csv", "--table=" + table, directory))))


def added_up(keys):
    rows = {}
    for e in profile["entries"]:
        at = tuple(e[k] for k in keys)
        r = rows.setdefault(at, collections.Counter({"min_ns": float("inf")}))
        r["operation"] = e["operation"]
        for figure in ("calls", "bytes", "time_ns", "completed", "span_ns", "window_ns",
                       "wait_ns", "hidden"):
            r[figure] += e[figure]
        if e["calls"]:
            r["min_ns"] = min(r["min_ns"], e["min_ns"])
            r["max_ns"] = max(r["max_ns"], e["max_ns"])
    return rows


def us(ns):
    return f"{ns / 1e3:.3f}"


def figures(r):
    calls = {"calls": r["calls"], "bytes": r["bytes"],
             "time_per_rank_us": us(r["time_ns"] / len(profile["ranks"])),
             "mean_us": us(r["time_ns"] / r["calls"]), "max_us": us(r["max_ns"])}
    return {k: str(v) for k, v in calls.items()}


def requests(r):
    n = r["completed"]
    mean = {"open_us": us(r["span_ns"] / n), "until_wait_us": us(r["window_ns"] / n),
            "complete_percent": f"{100 * r['hidden'] / n:.3f}",
            "wait_per_rank_us": us(r["wait_ns"] / len(profile["ranks"]))} if n else {}
    return {"requests": str(n), **mean}


def differ(row, right):
    """Keys of RIGHT that ROW has otherwise, the last digit of a time aside."""
    return [k for k, v in right.items() if row.get(k) != v and not (
        k.endswith(("_us", "_percent")) and v and row.get(k) and abs(float(row[k]) - float(v)) < 0.0021)]


tables = {t: csv_table(t) for t in ("operations", "call_sites", "requests", "collectives", "ranks")}
communication = {k: r for k, r in added_up(["operation"]).items()
                 if profile["operations"][r["operation"]]["family"] != "lifecycle"}
check(len(tables["operations"]) == len(communication), "CSV: as many operations as in the profile")
group = {name(g): g["ranks"] for g in profile["groups"] if g["site"] is None}
for r in communication.values():
    row = [x for x in tables["operations"] if x["operation"] == name(r)]
    spread = group[name(r)]
    right = {**figures(r), "worst_rank": str(spread["max_rank"]),
             "worst_times": f"{spread['max_ns'] * len(profile['ranks']) / spread['sum_ns']:.2f}"}
    check(row and not differ(row[0], right), f"CSV of {name(r)}: {row and differ(row[0], right)}")

def rows_are(table, right):
    for row in tables[table]:
        same = [r for r in right if not differ(row, r)]
        check(same, f"CSV of {table}: no such {row}")
        if same:
            right.remove(same[0])
    check(all(r["operation"] == "MPI_Init" for r in right), f"CSV of {table} lacks {right}")


sites = added_up(["site", "operation"]).values()
rows_are("call_sites", [{"operation": name(r), **figures(r)} for r in sites])
rows_are("requests", [{"operation": name(r), **requests(r)} for r in sites if r["completed"]])

for a in profile["arrivals"]:
    right = {"operation": name(a), "instances": str(a["instances"]), "wait_us": us(a["wait_ns"]) if name(a) != "MPI_Ibcast" else "",
             "skew_us": us(a["skew_median_ns"]), "skew_max_us": us(a["skew_max_ns"]),
             "duration_us": us(a["duration_median_ns"]), "duration_max_us": us(a["duration_max_ns"])}
    if name(a) != "MPI_Ibcast":
        right["waiting_percent"] = f"{100 * a['wait_ns'] / a['time_ns']:.3f}"
        right["cost_rank"] = str(a["cost_rank"]) if a["cost_ns"] else ""
    check(any(not differ(row, right) for row in tables["collectives"]), f"CSV of late {name(a)}")

for r, row in zip(profile["ranks"], sorted(tables["ranks"], key=lambda row: int(row["rank"]))):
    check((row["rank"], row["calls"]) == (str(r["rank"]), str(r["calls"])) and
          near(float(row["mpi_us"]), r["mpi_ns"] / 1e3) and
          near(float(row["wall_us"]), r["wall_seconds"] * 1e6), f"CSV of rank {r['rank']}")

# --- the findings: a cost above 2 % of the run (there are no intervals) is one, less is none

found = {f["key"]: f for f in json.loads(run("report", "--format=json", directory))["diagnosis"]}
wall = sum(r["wall_seconds"] for r in profile["ranks"]) * 1e9
waits = sum(a["wait_ns"] for a in profile["arrivals"])
check(("late_arrival" in found) == (waits >= 0.02 * wall), f"late_arrival: {waits / wall} of the run: {found}")
if "late_arrival" in found:
    time = sum(a["time_ns"] for a in profile["arrivals"] if name(a) != "MPI_Ibcast")
    check(near(found["late_arrival"]["numbers"]["share_of_collectives_percent"], 100 * waits / time), f"{found}")
efficiency = re.search(r"Parallel efficiency ([\d.]+) % = load balance ([\d.]+) % x communication ([\d.]+) %",
                       run("report", directory))
compute = [r["wall_seconds"] - r["mpi_ns"] / 1e9 for r in profile["ranks"]]
longest = max(r["wall_seconds"] for r in profile["ranks"])
mean = sum(compute) / len(compute)
right = (mean / longest, mean / max(compute), max(compute) / longest)
check(efficiency and all(abs(float(x) - 100 * y) <= 0.06 for x, y in zip(efficiency.groups(), right)),
      f"efficiency {right}: {efficiency}")

# --- comparison: first then twice, and the other way round

def outside_us(p):
    return {r["rank"]: r["wall_seconds"] * 1e6 - r["mpi_ns"] / 1e3 for r in p["ranks"]}


def compared(before, after):
    """Held to the profiles: the run, and time outside of MPI of each rank where it changes by 1 % of the run."""
    a, b = ({"": max(r["wall_seconds"] for r in p["ranks"]) * 1e6, **outside_us(p)}
            for p in (json.load(open(d + "/profile.json")) for d in (before, after)))
    rows = json.loads(run("compare", "--format=json", before, after))["tables"]["changes"]["rows"]
    rows = {"" if r["time"] == "run" else r["rank"]: r for r in rows if r["time"] in ("run", "outside MPI")}
    check(rows.keys() == {r for r in a if r == "" or abs(b[r] - a[r]) >= 0.01 * a[""]}, f"compare: {rows.keys()}")
    for r, row in rows.items():
        right = {"a": a[r], "b": b[r], "change": b[r] - a[r], "share": 100 * (b[r] - a[r]) / a[""]}
        check(all(abs(row[k] - v) < 1e-3 for k, v in right.items()), f"compare: {row}, not {right}")
    return {r: row["change"] for r, row in rows.items()}


# All that is done twice as long is done in MPI: outside of it less is left of a run as long.
first, back = compared(directory, twice), compared(twice, directory)
check(first[1] < -31e3 and all(near(back[r], -change) for r, change in first.items()),
      f"compare: {first} is not the other way round {back}")

# --- pictures: the rows that the page draws

page = f"{directory}/page.html"
subprocess.run([collprof, "report", "--format=html", "--output=" + page, directory], capture_output=True, timeout=60)
drawn = json.loads(re.search(r"<script[^>]*id=document>(.*?)</script>", open(page).read(), re.S)[1])
check("ranks" == drawn["pictures"][0]["name"], f"pictures: {drawn['pictures']}")

# Bars stand on each other: messages, waiting, collectives, other calls are MPI; all of them the run.
sums = collections.Counter()
for row in drawn["tables"]["rank_parts"]["rows"]:
    sums[row["rank"]] += row["time"]
    sums[row["rank"], "MPI"] += row["time"] * (row["part"] not in ("start and end of MPI", "outside of MPI"))
for r in profile["ranks"]:
    check(near(sums[r["rank"], "MPI"], r["mpi_ns"] / 1e3) and near(sums[r["rank"]], r["wall_seconds"] * 1e6),
          f"picture of ranks: rank {r['rank']}: {sums}")

print("\n".join(bad) or "CSV, findings, comparison and pictures are right")
sys.exit(bool(bad))
