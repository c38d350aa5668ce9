#!/bin/sh
# collbench-overlap on the real machine, 2 ranks: the control reads 1, eager messages differ from
# rendezvous messages, the work is calibrated; an interrupted run goes on; what is refused.
# Whatever rests on timings is tried several times: the machine may be busy.
set -u
program=collbench-overlap options=
. "$srcdir/tests/mpi/bench.sh"
cells() { grep '^[a-z]*,[0-9]*,[0-9]*,,' out; }
# usage: try MESSAGE FUNCTION
busy=
try() {
    for attempt in 1 2 3 4 5 6 7 8 9 10; do
        $2 && return
        sleep 1
    done
    grep -q 'not quiet' out || fail "$1"
    busy="$1 (not judged: this machine is not quiet)"
    echo "$busy"
}

refuses 1 "sender needs 2 ranks, and 1 is running"
refuses 3 "sender is for 2 ranks, and 3 are running"
refuses 2 "destinations needs 3 ranks or more, and 2 are running" --benchmark=destinations
refuses 2 "unknown benchmark in 'sendr'" --benchmark=sendr
refuses 2 "--comp is '9:1'" --comp=9:1
refuses 2 "impossible --step=1" --step=1
refuses 2 "--sizes is\" --sizes=0:64
refuses 2 "--comm is 'other'" --comm=other
refuses 2 "--bind is 'there': expected: none, apart or over" --bind=there
# Two ranks that communicate on the only two cores leave none to compute on.
test "$(nproc)" -gt 2 || refuses 2 "--bind=apart: every core of a rank communicates" --bind=apart --benchmark=cpu --sizes=8:8 --comp=8:8

# Each rank where the other is not.
run 2 --bind=over --benchmark=cpu --sizes=8:8 --comp=8:8 -i 3 --format=csv || fail "bind: status $?"
grep '^# binding of rank [01]: communication on processor [0-9]*, computing threads on [0-9]' out >err
test "$(wc -l <err)" = 2 || fail "bindings"
test "$(nproc)" = 1 || test "$(sed 's/,.*//; s/.* //' err | sort -u | wc -l)" = 2 || fail "two ranks communicate on one processor"

# Interrupted, then resumed: what was measured is not measured again, and nothing is left over.
small="--bind=over --benchmark=sender,cpu --sizes=64:64K --step=2 --comp=64:256 -i 5000 --budget=0.2 --format=csv -o result.csv"
interrupted() {
    rm -f result*
    # shellcheck disable=SC2086 # several options
    $MPIEXEC -n 2 "$bench" $small >out 2>err &
    mpi=$!
    for i in $(seq 600); do
        test "$(cat result.csv.part 2>/dev/null | wc -l)" -gt 8 && break
        sleep 0.1
    done
    kill $mpi 2>/dev/null
    wait $mpi 2>/dev/null
    test ! -e result.csv && test -e result.csv.part || return 1
    # The launcher may be gone before its ranks are.
    until lines=$(wc -l <result.csv.part); sleep 1; test "$lines" = "$(wc -l <result.csv.part)"; do :; done
}
try "the run was over before it could be interrupted" interrupted
kept=$(grep -c '"benchmark"' result.csv.part)
sed -n 's/.*"benchmark":"\([a-z]*\)".*"t_measured":\([^,]*\),"ratio":\([^,]*\),.*/\1 \2 \3/p' result.csv.part | grep -v null >was
printf '{"benchmark": "send' >>result.csv.part # as if cut off within a line
run 2 --benchmark=sender --sizes=64:128K -o result.csv && fail "another run's cells were taken"
grep -q 'is of another run' err || fail "another run's cells: not said"
# shellcheck disable=SC2086
run 2 $small || fail "the second run: status $?"
grep -q "going on with an interrupted run: $kept cells" err || fail "not resumed at $kept"
cat result.csv result-*.csv >out
test "$(cells | wc -l)" = $((2 * 11 * 3)) || fail "resumed: $(cells | wc -l) cells"
test ! -e result.csv.part || fail "the part is left over"
awk -F, 'NR == FNR { split($0, was, " "); want[++n] = sprintf("%s %.3f %.3f", was[1], 1e6 * was[2], was[3]); next }
    { is[$1 " " $7 " " $8] = 1 } END { for (i = 1; i <= n; i++) if (!(want[i] in is)) { print want[i]; bad = 1 } exit bad || !n }' was out >err ||
    fail "resumed: cells are not as they were"
# --fresh: not of another run, and not of this one.
echo '{"collbench-overlap-part/2":"another"}' >result.csv.part
run 2 --benchmark=sender --sizes=64:64 --comp=4:4 -i 3 --format=csv --fresh -o result.csv || fail "fresh: status $?"
# The median over cells whose ratio is certain within 0.35 is within 0.05 of 1.
control() {
    run 2 --benchmark=serial --bind=over --sizes=64K:1M --step=4 --comp=32:128 -i 12 --budget=0.3 --format=csv || return 1
    cells | awk -F, '$9 != "" && $9 < 0.35 { print $8 }' | sort -n |
        awk '{ x[NR] = $1 } END { m = x[int((NR + 1) / 2)]; exit !(NR >= 3 && m > 0.95 && m < 1.05) }'
}
try "the serial control does not read 1" control

calibrated() {
    grep '^# computation: fixed work, calibrated within' out |
        awk '{ exit !($7 <= 1.0) }' && return
    control
    false
}
try "the work is not calibrated within 1 %" calibrated

# Eager data has arrived before the receiver waits; a rendezvous needs it (or, where the library
# progresses in the background, costs another share of the processor).
differ() {
    run 2 --benchmark=receiver --bind=over --sizes=4K:256K --step=64 --comp=4:64 -i 12 --budget=0.3 --format=csv || return 1
    cells | awk -F, '$9 != "" && $9 < 0.4 { n[$2]++; sum[$2] += $8 }
        END { if (!n[4096] || !n[262144]) exit 1
              d = sum[262144] / n[262144] - sum[4096] / n[4096]; exit !(d > 0.2 || d < -0.2) }'
}
# Open MPI's eager messages (less than 4 KiB) take so short here that no ratio is certain.
test "$CHECK_MPI" = openmpi || try "eager and rendezvous sizes read the same" differ

# The base round is no story of first messages: those that are the first on a page of the shared
# memory that they go through. 4 KiB are, after shorter ones.
warm() {
    run 2 --benchmark=cpu --sizes=64:8K --step=2 --comp=4:4 -i 5 --format=csv || return 1
    awk -F, '/^[0-9]+,[0-9.]+,[0-9.]+,[0-9.]+$/ { time[$1] = $2 }
        END { exit !(time[8192] > 0 && time[4096] < 1.2 * time[8192]) }' out
}
try "4 KiB take longer than 8 KiB" warm

# A team of OpenMP threads computes, as many as are to be, on every rank.
if grep -q '^OPENMP_CFLAGS = .' "$top_builddir/Makefile"; then
    OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive OMP_DISPLAY_AFFINITY=TRUE OMP_AFFINITY_FORMAT='thread %n of %N' \
        run 2 --work=openmp --benchmark=sender --sizes=64K:64K --comp=64:64 -i 5 --budget=0.1 --format=csv || fail "openmp: status $?"
    grep -q '^# team: 2 threads' out && test "$(cells | wc -l)" = 1 || fail "openmp: no team, no cell"
    test "$(grep -c '^thread [01] of 2' err)" -ge 4 || fail "openmp: a team of other threads"
fi

# Two threads on either node: each does its rounds, whichever way its messages go.
run 2 --benchmark=multiple,multiple-receiver,multiple-both --sizes=64:64K --step=1024 --comp=16:16 -i 3 --budget=0.1 --format=csv ||
    fail "multiple: status $?"
test "$(grep -c '^multiple[a-z-]*,[0-9]*,[0-9]*,,' out)" = 6 || fail "multiple: no cells"

# What else has that name, or what a link of that name leads to, is left alone.
echo mine >own
for way in 'ln -s own' 'ln -s nowhere' 'ln own' 'cp own'; do
    $way result.csv.part
    run 2 --benchmark=sender --sizes=64:128 -o result.csv && fail "$way: written"
    grep -q 'result.csv.part' err || { cat err; fail "$way: not said"; }
    test "$(cat own)" = mine && test ! -e nowhere || fail "$way: another file was written to"
    test "$way" != 'cp own' || cmp own result.csv.part || fail "a file of the user was written to"
    rm -f result.csv.part
done

# The base round: saved, loaded, and used.
tiny="--bind=over --benchmark=sender --sizes=1K:4K --step=2 --comp=8:16 -i 5"
# shellcheck disable=SC2086
run 2 $tiny --save-base=base.json --format=json || fail "save-base: status $?"
grep -q '"schema": "collprof-base-round/1"' base.json || fail "no base round in base.json"
# shellcheck disable=SC2086
run 2 $tiny --base=base.json --format=csv || fail "base: status $?"

# Pictures show what was measured: every cell, by what gnuplot is given. No map is drawn of cells none
# of which is certain: messages that take long are.
if [ -x "${GNUPLOT:-}" ] && command -v python3 >/dev/null; then
    mkdir scripts
    export PLOT_SCRIPTS="$dir/scripts" PLOT_GNUPLOT="$GNUPLOT"
    drawn() {
        rm -f scripts/* map*.png
        (export GNUPLOT="$source/tests/mpi/plotter"
         run 2 --bind=over --benchmark=sender,load --sizes=128K:256K --step=2 --comp=64:256 -i 12 --plot=map.png --format=json)
    }
    try "plot: no pictures" drawn
    if [ -e map.png ]; then # else not judged
        for f in map.png map-sender.png map-load.png; do
            head -c 4 $f | grep -q PNG || fail "$f is no picture"
        done
        test "$(python3 "$source/tests/mpi/plotted.py" out scripts/* | tee told)" = "2 maps 1 sheets" ||
            fail "other data: $(cat told)"
    fi
fi

echo '{}' >nothing.json
run 2 --benchmark=sender --base=nothing.json
test $? = 2 || fail "an empty base round was taken"
test -z "$busy" || exit 77
exit 0
