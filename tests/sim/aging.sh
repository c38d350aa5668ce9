#!/bin/sh
# Protects --bcast=grid where latencies change in the middle of a run. "aging": all ways between two sites.
# They are measured again, the new tree is predicted within 5 %, faster than the library's broadcast, and what was
# seen is seen of it; where that would take too much of the run it is said, and done later. "onelink": one
# pair's way alone, long after the trials: the application's own broadcasts show it, and that pair alone is
# measured; where it was all ways after all, the next tree's trial tells, and all are. Where nothing changes nothing
# is measured again; nor where ranks begin to come late: that broadcasts take longer than predicted is said.
set -u
test -n "$SMPIRUN" || exit 77
dir=sim/aging.dir
SMPI_OPTIONS="--cfg=smpi/bcast:binomial_tree"
export SMPI_OPTIONS COLLPROF_BCAST=grid COLLPROF_REPORT=no COLLPROF_OUTPUT=$dir

# Each host has a link, hosts 2 and 5 one for themselves: 500 us more after 40 s.
awk 'BEGIN {
    print "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">"
    print "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">"
    for (i = 0; i < 8; i++) {
        print "<host id=\"node-" i "\" speed=\"1Gf\"/>"
        print "<link id=\"l" i "\" bandwidth=\"1.25GBps\" latency=\"5us\"/>"
    }
    print "<link id=\"direct\" bandwidth=\"1.25GBps\" latency=\"6us\" latency_file=\"onelink.latency\"/>"
    for (j = 1; j < 8; j++)
        for (i = 0; i < j; i++)
            print "<route src=\"node-" i "\" dst=\"node-" j "\"><link_ctn id=\"" \
                (i == 2 && j == 5 ? "direct" : "l" i "\"/><link_ctn id=\"l" j) "\"/></route>"
    print "</zone></platform>"
}' >sim/onelink.xml
echo "40 500e-6" >sim/onelink.latency
sed s/aging.latency/onelink.latency/ "$srcdir/tests/sim/platforms/aging.xml" >sim/aging40.xml

while read -r platform calls ms late anew pairs times; do
    rm -rf $dir
    timeout 120 "$srcdir/tests/sim/run.sh" $platform 8 sim/aging $calls $ms $late >sim/aging.out 2>&1 ||
        { echo "FAIL: status $?"; cat sim/aging.out; exit 1; }
    python3 - $platform "$(sed -n 's/^last //p' sim/aging.out)" $dir/profile.json $late $anew $pairs $times <<'END' || exit 1
import json, sys
platform, last = sys.argv[1], float(sys.argv[2])
f, = json.load(open(sys.argv[3]))["findings"]["broadcast"]
print(platform, "the application's last %.2f us" % last, f)
anew, pairs = (f.get(k, 0) for k in ("latencies_anew_after_calls", "pairs_anew"))
assert [str(anew), str(pairs)] == sys.argv[5:7], (anew, pairs)
assert platform != "aging" or 500 < f["trial_us"] < 0.7 * f["library_us"]
if anew or platform != "aging":
    assert f["trial_us"] < 0.7 * f["library_us"]
    assert abs(int(sys.argv[7]) * f["predicted_us"] / f["seen_us"] - 1) < 0.05
    assert f.get("remark") == (None if sys.argv[7] == "1" else "seen %s times as long as predicted" % sys.argv[7])
    assert int(sys.argv[4]) or abs(last / f["seen_us"] - 1) < 0.02
else:
    assert "latencies have changed" in f["remark"], f["remark"]
END
done <<'END'
aging 100 1000 0 64 0 1
aging 100 100 0 0 0 1
aging 600 100 0 320 0 1
sim/aging40.xml 300 300 0 192 0 1
sim/onelink.xml 300 300 0 192 1 1
sites2 100 1000 0 0 0 1
sites2 300 300 3 0 0 1
sites2 100 300 -3 0 0 11
END
# Where the library's is the quicker one, since what it begins costs it nothing, it stays.
rm -rf $dir
SMPI_OPTIONS="--cfg=smpi/bcast:flattree --cfg=smpi/os:0:100e-6:0 --cfg=smpi/ois:0:0:0" "$srcdir/tests/sim/run.sh" cluster 8 \
    sim/aging 4 10 >sim/aging.out 2>&1 && grep -q '"algorithm": *"native"' $dir/profile.json ||
    { echo "FAIL: a slower tree"; cat sim/aging.out; exit 1; }
