# usage: apart.py MODE PLAIN INJECTED CSV: profiles of "layer steps" without and with what MODE injects,
# and the latter's table of operations; see layer.sh. Counts are the same, and so are the times of all
# calls that are not kept apart.
import csv
import json
import sys

mode, plain_file, injected_file, table = sys.argv[1:]
problems = []


def operations(name):
    profile = json.load(open(name))
    found = {}
    for e in profile["entries"]:
        found[profile["operations"][e["operation"]]["name"]] = e
    return found


plain, injected = operations(plain_file), operations(injected_file)
shown = {row["operation"]: row for row in csv.DictReader(open(table))}
for name in ("MPI_Bcast", "MPI_Sendrecv", "MPI_Allreduce"):
    a, b, row = plain[name], injected[name], shown[name]
    timed = b["calls"] - b["apart"]
    mean, true = b["time_ns"] / timed, a["time_ns"] / a["calls"]
    with_all = (b["time_ns"] + b["apart_ns"]) / b["calls"]
    print("%-30s %-13s mean of %4d: %7.2f us, without %7.2f us; with those apart %7.2f us" % (
        mode, name, timed, mean / 1e3, true / 1e3, with_all / 1e3))
    if a["calls"] != b["calls"] or a["bytes"] != b["bytes"] or a["apart"]:
        problems.append("%s: %d calls, %d bytes; without %d, %d" % (
            name, b["calls"], b["bytes"], a["calls"], a["bytes"]))
    if abs(mean - true) > 0.001 * true or b["max_ns"] > a["max_ns"] * 1.005:
        problems.append("%s: mean %.1f ns, at most %d; without %.1f, %d" % (
            name, mean, b["max_ns"], true, a["max_ns"]))
    # Benchmark mode measures before collectives: they alone follow it at once.
    apart = b["apart"] > 0 or (name == "MPI_Sendrecv" and "BENCHMARK" in mode)
    if sum(b["histogram"][1::2]) != timed or not apart or b["apart"] > b["calls"] / 2:
        problems.append("%s: %d calls, %d apart, durations of others" % (name, b["calls"], b["apart"]))
    if abs(float(row["mean_us"]) * 1e3 - mean) > 0.001 * mean or int(row["apart"] or 0) != b["apart"]:
        problems.append("%s: the table says %s us, %s apart" % (name, row["mean_us"], row["apart"]))
streams = json.load(open(injected_file))["findings"].get("ack", [])
for s in streams:
    asked = [d["acknowledged"] + d["given_up"] for d in s["destinations"]]
    if (set(asked) if mode.endswith("=all") else {sum(asked)}) != {s["asked"]}:
        problems.append("of %d acknowledged broadcasts %s were by each" % (s["asked"], asked))
if len(streams) != ("ACK" in mode):
    problems.append("%d streams of broadcasts" % len(streams))
for p in problems:
    print("FAIL:", mode, p)
sys.exit(bool(problems))
