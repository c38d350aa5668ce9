"""Checks of a profile.json, for the tests: profile.py FILE CHECK [ARGUMENT...]

same DIRECTORY            calls and times by operation are those that tests/mpi/count.c left in
                          DIRECTORY; same-calls: only the calls
calls OPERATION=N ...     so many calls, all ranks together; N may be MIN-MAX
bytes OPERATION=N ...     so many bytes
completed OPERATION=N ... so many requests seen complete
cancelled OPERATION=N ... so many requests cancelled
errors OPERATION=N ...    so many calls that returned an error
window-ms OPERATION=N ... so long from post to the call that completes, all requests together
waits POST=COMPLETION ... what requests by POST waited, all together, is the time in COMPLETION
region NAME OPERATION=N   so many calls in this region
states STATE=N ...        so many ranks ended like this
launcher COMMAND          what starts such ranks again
ranks N                   so many ranks left a record
nothing-lost              no table was full, no request went untracked; the log of collective
                          instances is a sample by design
communicators MAX         at most so many
instances OPERATION=N ... so many collectives seen whole, on all members of their communicator
findings KIND WHAT=VALUE... , CHECK...
                          of the findings with these values: rows=N, or FIELD=N, the sum of FIELD.
                          Intervals of all findings hold their value, parts are 0 to 100 %
"""
import collections
import glob
import json
import sys


def by_operation(profile, field, region=None):
    total = collections.Counter()
    for e in profile["entries"]:
        if region and (e["region"] is None or profile["regions"][e["region"]]["name"] != region):
            continue
        total[profile["operations"][e["operation"]]["name"]] += e[field]
    return total


def waits(profile, pairs):
    waited, took, bad = by_operation(profile, "wait_ns"), by_operation(profile, "time_ns"), 0
    for pair in pairs:
        posts, _, completion = pair.partition("=")
        ns = sum(waited[post] for post in posts.split("+"))
        if abs(ns - took[completion]) > 0.01 * took[completion] + 1000:
            print(f"{posts}: waited {ns} ns, but {completion} took {took[completion]} ns")
            bad = 1
    return bad


def matches(value, wanted):
    low, _, high = wanted.partition("-")
    return int(low) <= value <= int(high or low)


def expect(found, arguments):
    bad = 0
    for argument in arguments:
        name, _, wanted = argument.partition("=")
        if not matches(found[name], wanted):
            print(f"{name}: {found[name]}, not {wanted}")
            bad = 1
    return bad


def same(profile, directory, times=True):
    counted, timed = collections.Counter(), collections.Counter()
    for path in glob.glob(directory + "/count.*"):
        for line in open(path):
            name, calls, ns = line.split()
            counted[name] += int(calls)
            timed[name] += int(ns)
    seen, time = by_operation(profile, "calls"), by_operation(profile, "time_ns")
    bad = [n for n in counted if counted[n] != seen[n]]
    for name in sorted(bad):
        print(f"{name}: {counted[name]} calls, the profile has {seen[name]}")
    # The counter's time contains the layer's: no longer, but for the rates of their clocks; and not
    # much shorter, where there is enough of it that one lost slice of the scheduler does not count.
    late = [n for n in timed if times and timed[n] and (time[n] > 1.01 * timed[n] + 1000 or
            timed[n] - time[n] > 0.3 * timed[n] + 3000 * counted[n] + 50e6)]
    for name in late:
        print(f"{name}: {timed[name]} ns around the layer, the profile has {time[name]}")
    print(f"{len(counted)} operations, {sum(counted.values())} calls counted independently, "
          f"{sum(timed.values()) / 1e6:.1f} ms timed, of these in the profile "
          f"{sum(time[n] for n in timed if timed[n]) / 1e6:.1f}")
    return bool(bad or late) or not counted


def intervals(finding):
    bad = 0
    for key in finding:
        low = key.replace("_us", "_low_us") if key != "time_us" else "low_us"
        if low in finding and low != key and finding[key] is not None:
            high = low.replace("low", "high")
            if finding[low] is None and finding[high] is None:
                continue  # too few samples for an interval
            if not finding[low] <= finding[key] <= finding[high]:
                print(f"{key} outside of its interval: {finding}")
                bad = 1
        if key.endswith("_percent") and not 0 <= (finding[key] or 0) <= 100:
            print(f"{key}: {finding}")
            bad = 1
    return bad


def findings(profile, kind, *arguments):
    where, _, checks = " ".join(arguments).partition(" , ")
    where = dict(w.split("=") for w in where.split())
    bad, totals = 0, collections.Counter()
    for f in profile["findings"][kind]:
        for part in (f, *f.get("methods", ()), *f.get("destinations", ())):
            bad |= intervals(part)
        if all(str(f[key]) == value for key, value in where.items()):
            totals["rows"] += 1
            totals.update({k: v for k, v in f.items() if isinstance(v, int)})
    return bad | expect(totals, checks.split())


def main(path, check, *arguments):
    profile = json.load(open(path))
    if check == "same":
        return same(profile, *arguments)
    if check == "same-calls":
        return same(profile, *arguments, times=False)
    if check in ("calls", "bytes", "completed", "cancelled", "errors"):
        return expect(by_operation(profile, check), arguments)
    if check == "window-ms":
        window = by_operation(profile, "post_to_wait_ns")
        return expect({name: ns // 1000000 for name, ns in window.items()}, arguments)
    if check == "waits":
        return waits(profile, arguments)
    if check == "region":
        return expect(by_operation(profile, "calls", arguments[0]), arguments[1:])
    if check == "states":
        return expect(collections.Counter(r["state"] for r in profile["ranks"]), arguments)
    if check == "launcher":
        return profile["run"]["launcher"] != arguments[0]
    if check == "ranks":
        return expect({"ranks": len(profile["ranks"])}, ["ranks=" + arguments[0]])
    if check == "nothing-lost":
        lost = collections.Counter()
        for r in profile["ranks"]:
            lost.update({k: n for k, n in r.items() if k.startswith("dropped_") and k != "dropped_instances"})
            lost["requests"] += r["untracked_requests"]
        return expect(lost, [f"{what}=0" for what in lost])
    if check == "instances":
        whole = collections.Counter()
        for a in profile["arrivals"]:
            whole[profile["operations"][a["operation"]]["name"]] += a["instances"]
        return expect(whole, arguments)
    if check == "findings":
        return findings(profile, *arguments)
    if check == "communicators":
        return expect({"n": len(profile["communicators"])}, ["n=1-" + arguments[0]])
    sys.exit(__doc__)


sys.exit(main(*sys.argv[1:]))
