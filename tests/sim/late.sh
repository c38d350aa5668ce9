#!/bin/sh
# Protects what is known of a rank's own doings before a collective: in the simulator, where work
# takes just as long as it is told to.
set -eu
test -n "$SMPIRUN" || exit 77
rm -rf sim/late.dir
COLLPROF_OUTPUT=sim/late.dir COLLPROF_REPORT=no \
    timeout 60 "$srcdir/tests/sim/run.sh" cluster 4 sim/late >sim/late.out 2>&1 ||
    { cat sim/late.out; exit 1; }
python3 - sim/late.dir/profile.json <<'END'
import json, sys
p = json.load(open(sys.argv[1]))
got = {}
i = p["instances"]
for rank, sequence, outside in zip(i["rank"], i["sequence"], i["outside_ns"], strict=True):
    got.setdefault((("first", "second")[sequence % 2], rank), []).append(outside)
bad = []
for (name, rank), outside in sorted(got.items()):
    right = 1.3e6 if name == "second" and rank == 2 else 1.0e6
    if len(outside) != 20 or any(abs(o / right - 1) > 0.01 for o in outside):
        bad.append(f"before the {name} sum, rank {rank}: {right:.0f} ns each time, and not {outside}")
if len(got) != 8:
    bad.append(f"two sums on four ranks are 8, and not {len(got)}: {sorted(got)}")
print("\n".join(bad))
sys.exit(bool(bad))
END
