#!/bin/sh
# collbench-bcast itself in simulation: the flat broadcast, where the paper's assumption fails,
# is reported so, by destination, and in de Supinski and Karonis' check, though its maximum is right.
set -u
test -n "$SMPIRUN" || exit 77
run=$srcdir/tests/sim/run.sh bench=sim/collbench-bcast out=sim/bcast.out err=sim/bcast.err
fail() { echo "FAIL: $*"; cat $out $err; exit 1; }

# A picture for each algorithm and each method, and by destination.
"$run" cluster 4 $bench --method=gap,direct --algorithm=linear,flat --ranks=2:4:1 --sizes=8:16 --root=1 \
    --destinations --stop=fixed -i 6 --format=json -o sim/bcast.json >$out 2>$err || fail "pictures: status $?"
./collprof report --format=html sim/bcast.json >$out 2>$err || fail "page: status $?"
for picture in linear flat gap direct; do
    grep -q '"name":"'$picture sim/bcast.html || fail "no picture $picture"
done

"$run" cluster 16 $bench --algorithm=flat --sizes=64K --method=gap,ol,held,direct --destinations \
    --stop=fixed -i 10 --format=csv >$out 2>$err || fail "flat: status $?"
awk -F, '
    /^# table: / { pairs = /pairs/ }
    /^flat,/ && !pairs && /wrong/ { print "the largest is right"; bad = 1 }
    /^flat,/ && pairs { value[$4, $6] = $7 }
    /^flat,.*,held,/ && pairs { n++ }
    /^flat,.*,ol,/ && pairs { check[$6] = $13; violated[$6] = $14 }
    END {
        for (i = 1; i < 16; i++) {
            truth = value["direct", i]
            off = value["held", i] / truth - 1
            if (off > 0.01 || off < -0.01) { print "held is off by", off, "at", i; bad = 1 }
        }
        if (value["ol", 1] < 2 * value["direct", 1] || violated[1] != "violated") { print "ol passes at 1"; bad = 1 }
        if (check[1] != "failed" || check[15] != "passed") { print "check", check[1], check[15]; bad = 1 }
        if (violated[15] != "no") { print "ol fails at the last destination"; bad = 1 }
        exit bad || n != 15
    }' $out || fail "flat: not as it is"

# Where each destination is asked for, little time is not spent on the slowest alone.
"$run" cluster 8 $bench --method=held --algorithm=linear --sizes=64K --budget=0.1 -i 20 --destinations --format=csv >$out 2>$err
grep -q '^linear,8,65536,held,0,6,' $out && grep -q '^linear,8,65536,held,0,7,' $out || fail "destinations: one alone"

# By the defaults, too: where there is time for the least of each, none is left out (as README shows).
"$run" cluster 16 $bench --algorithm=flat --sizes=64K --method=send-latency,rounds,ol,held,direct >$out 2>$err ||
    fail "flat by the defaults: status $?"
grep -A1 '^  flat .* ol ' $out | grep -q 'the assumption is violated at 14 of 15 destinations' || fail "flat by the defaults: not violated at 14"

# Clocks that drift do not hide who is the slowest, and where the root is the last to come out of a broadcast by far, it
# waits for the others at the next.
SIM_DRIFT=200 "$run" grid 8 $bench --algorithm=linear --sizes=256K --method=ol,held,direct --format=csv >$out 2>$err ||
    fail "drift: status $?"
! grep -q 'pairs_left_out' $out || fail "drift: some are not known to be faster"
SIM_DRIFT=200 "$run" slowhost 6 $bench --algorithm=flat --sizes=1M --method=direct --budget=10 --stop=fixed -i 10 --format=csv >$out 2>$err ||
    fail "late ranks: status $?"
grep '^flat,' $out | grep -qv 'few_samples' || fail "late ranks: too few samples"
# Nor does a broadcast count that a rank was late for.
for noise in 0 2; do
    SIM_NOISE=$noise SIM_NOISE_US=5000 "$run" cluster 8 $bench --method=direct --sizes=1K --stop=fixed -i 200 --format=text >$out.$noise 2>$err
done
figures() { sed -n 's/ [0-9]* operations excluded.*//; s/ *$//; /^  native/p' $1; }
[ "$(figures $out.0)" = "$(figures $out.2)" ] && grep -q '[1-9][0-9]* operations excluded: a rank entered after' $out.2 &&
    ! grep -q 'excluded: a rank' $out.0 || { cat $out.0 $out.2; fail "a rank that is late"; }

# A round is a broadcast from every rank: where two take longer than all that is left, there is none, and no budget is
# overdrawn for it.
"$run" workstations 16 $bench --sizes=1M --method=rounds,direct --budget=2 --format=csv >$out 2>$err || fail "rounds: status $?"
grep -q '^native,16,1048576,rounds,,.*no_result' $out || fail "rounds beyond the budget, or not said"
# A loop from the next root each that ends before it was at all of them is another loop, and what was timed once has no interval.
"$run" grid 16 $bench --algorithm=linear --sizes=64K --method=barrier,gap,imb --budget=0.05 --format=csv >$out 2>$err || fail "little time: status $?"
grep -q '^linear,.*few_samples' $out && grep -q '^linear,.*,gap,.*short_row' $out && grep -q '^linear,.*,imb,.*pairs_left_out' $out ||
    fail "little time: not said"


# On a medium that other ranks use, too, a broadcast takes longer.
for traffic in "" --traffic=100; do
    # shellcheck disable=SC2086 # one option, or none
    "$run" hub 8 $bench --sizes=64K --ranks=4:4 --method=direct --stop=fixed -i 10 $traffic --format=csv >$out 2>$err || fail "traffic: status $?"
    sed -n 's/^native,4,65536,direct,\([0-9.]*\),.*/\1/p' $out
done | awk '{ time[NR] = $1 } END { exit !(NR == 2 && time[2] > 1.1 * time[1]) }' || fail "traffic: no slower"

# Processors cost nothing here: what is in the call is a reading of the clock, or, of a message that waits for
# its receiver, the way, which is marked.
for of in 1K:own 256K:way; do
    "$run" cluster 8 $bench --method=overhead --algorithm=binomial --sizes=${of%:*} --format=csv >$out 2>$err ||
        fail "overhead: status $?"
    awk -v own=$([ $of = 1K:own ] && echo 1 || echo 0) '/^binomial,/ { n++; bad += /not_overhead/ == own } END { exit bad || n != 1 }' $out ||
        fail "overhead: $of"
done
exit 0
