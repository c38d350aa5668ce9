#!/bin/sh
# Protects --bcast=grid where latencies change in the middle of a run: they are measured again, the
# new tree is predicted within 5 %, faster than the library's broadcast, and what was seen is seen of
# it. Where they do not change nothing is measured again; nor where that would take too much of the run, which is
# said.
set -u
test -n "$SMPIRUN" || exit 77
dir=sim/aging.dir
SMPI_OPTIONS="--cfg=smpi/async-small-thresh:65536 --cfg=smpi/bcast:binomial_tree"
export SMPI_OPTIONS COLLPROF_BCAST=grid COLLPROF_REPORT=no COLLPROF_OUTPUT=$dir
for run in "aging 1000" "aging 100" "sites2 1000"; do
    platform=${run% *} ms=${run#* }
    rm -rf $dir
    timeout 120 "$srcdir/tests/sim/run.sh" $platform 8 sim/aging 100 $ms >sim/aging.out 2>&1 ||
        { echo "FAIL: status $?"; cat sim/aging.out; exit 1; }
    python3 - $platform $ms "$(sed -n 's/^last //p' sim/aging.out)" $dir/profile.json <<'END' || exit 1
import json, sys
platform, ms, last = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
f, = json.load(open(sys.argv[4]))["findings"]["broadcast"]
print(platform, "the application's last %.2f us" % last, f)
anew = f.get("latencies_anew_after_calls")
assert anew == (64 if platform == "aging" and ms == 1000 else None), anew
assert platform != "aging" or 500 < f["trial_us"] < 0.7 * f["library_us"]
if anew or platform != "aging":
    assert abs(f["predicted_us"] / f["seen_us"] - 1) < 0.05
    assert abs(last / f["seen_us"] - 1) < 0.02
else:
    assert "latencies have changed" in f["remark"], f["remark"]
END
done
