"""usage: excerpt.py TRACE.json SPAN THREAD

Options for `collprof report` that show SPAN repetitions of examples/overlap, no slower than three in four, since the
machine may be busy; of those in which THREAD (from 1) copied data, if there are such. A repetition begins where rank 0
waits to hear that it may send."""
import bisect
import json
import sys

trace, span, thread = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
events = [e for e in json.load(open(trace))["traceEvents"] if "ts" in e]
begin = sorted(e["ts"] for e in events
               if e["pid"] == 1 and "await_receiver" in e.get("args", {}).get("call site", ""))
copies = sorted(e["ts"] for e in events if e["tid"] == thread and e["name"] == "copy between processes")


def copied(k):
    return bisect.bisect(copies, begin[k]) < bisect.bisect(copies, begin[k + span])


every = range(1, len(begin) - span)
best = sorted([k for k in every if copied(k)] or every, key=lambda k: begin[k + span] - begin[k])
best = best[len(best) // 4]
print("--from=%.6f --to=%.6f" % (begin[best] / 1e6, begin[best + span] / 1e6))
