#!/bin/sh
# collbench-collective's own: its operations, what several at once take, guidelines, and what is said where a figure
# may not be what it is meant to be.
set -u
test -n "$SMPIRUN" || exit 77
run=$srcdir/tests/sim/run.sh status=0

# field NUMBER of the row that begins so, of the options given.
field() # PLATFORM RANKS ROW NUMBER OPTION...
{
    platform=$1 ranks=$2 row=$3 number=$4
    shift 4
    "$run" "$platform" "$ranks" sim/collbench-collective --method=direct --stop=fixed -i 6 --format=csv "$@" 2>sim/err >sim/out ||
        { cat sim/out sim/err; echo "$*: status $?" >&2; status=1; }
    awk -F, -v row="$row" -v number="$number" 'index($0, row) == 1 { print $number }' sim/out
}
# The first is the second, within 1 %.
is() # WHAT FIRST SECOND
{
    echo "$1: $2, should be $3"
    awk -v x="$2" -v y="$3" 'BEGIN { exit !(x / y < 1.01 && x / y > 0.99) }' || { echo "FAILED"; status=1; }
}
user() { field cluster 2 reduce,2,4096 4 --operation=reduce --sizes=4K --datatype=strided --op=user:$1; }
is "4 KiB of strips combined at 2 ns a byte" "$(echo "$(user 2) $(user 0)" | awk '{ print $1 - $2 }')" 8.192
# Four pairs at a time on a medium that all share take four times as long as one, on a switch as long.
pairs() { field $1 $2 alltoall 4 --operation=alltoall --sizes=1M --communicators=$(($2 / 2)) --rotate=2 --fresh; }
is "four pairs on a hub" "$(pairs hub 8)" "$(pairs hub 2 | awk '{ print 4 * $1 }')"
is "four pairs on a switch" "$(pairs cluster 8)" "$(pairs cluster 2)"
# A flat broadcast is longer than a scatter and an allgather of eighths; one of such parts is not known to be
# where only larger blocks were measured.
SMPI_OPTIONS=--cfg=smpi/bcast:flattree field cluster 8 - 6 --guidelines --operation=broadcast,scatter,allgather --sizes=8K:64K
for row in '65536,.*,violated,' '8192,.*,unknown: at_most is of larger blocks,'; do
    grep -q "^broadcast,8,${row}broadcast <= " sim/out || { cat sim/out; echo "FAILED: guideline, $row"; status=1; }
done
# ... and what it is held against is the sum of both; larger blocks are held against smaller of the same ranks only.
awk -F, '/^# table/ { times = / times/ } times { took[$1 "," $3] = $4 }
    /^broadcast,8,65536,.*<=/ { at = $5; whole = took["scatter,8192"] + took["allgather,8192"] }
    END { print at, "at most, should be", whole; exit !(at / whole < 1.001 && at / whole > 0.999) }' sim/out ||
    { cat sim/out; echo "FAILED: guideline, sum"; status=1; }
field cluster 4 - 6 --guidelines --operation=allgather --sizes=8:16 --ranks=2:4
[ "$(grep -c 'no longer than of a larger' sim/out)" = 2 ] || { cat sim/out; echo "FAILED: guideline, sizes of other ranks"; status=1; }
"$run" cluster 4 sim/collbench-collective --guidelines --operation=allgather --sizes=8:16 --stop=fixed -i 3 --format=csv >sim/out
grep -q '^allgather,4,8,.*,unknown: no interval.*no longer' sim/out || { cat sim/out; echo "FAILED: guideline, samples"; status=1; }
# Pair by pair, and another way there than back. Clocks that rest on messages cannot tell, and the row says how far off it may be.
for drift in 0 20; do
    [ $drift = 0 ] || export SIM_DRIFT=$drift
    "$run" askew 2 sim/collbench-collective --method=mirrored --operation=reduce --sizes=8 --stop=fixed -i 6 --format=csv >sim/out.$drift ||
        { cat sim/out.$drift; status=1; }
done
unset SIM_DRIFT
grep -q ' ways differ' sim/out.0 && { cat sim/out.0; echo "FAILED: the simulator's clock shows the ways"; status=1; }
awk -F, '/^reduce/ && FNR == NR { truth = $9 } /^reduce/ && FNR < NR { e = $0; sub(/.*\+-/, "", e); e += 0; off = $9 - truth; n++
    print "two ways:", $9, "us, truth", truth, "stated +-", e; exit !(n == 1 && off * off <= e * e && off * off > 1e6 && e < 11000) }' sim/out.0 sim/out.20 ||
    { cat sim/out.*; echo "FAILED: the ways"; status=1; }
# One hold alone does not settle, and one pair of many is not all of them; no guideline rests on such a figure.
"$run" workstations 6 sim/collbench-collective --method=mirrored --operation=allreduce --sizes=1K:2K --budget=0.1 --pairs --guidelines --format=csv >sim/out
grep -q '^allreduce,6,1024,.*"mirrored: no result, 1 of 36 pairs measured"' sim/out &&
    grep -q '^allreduce,6,1024,0,1,.*"too few samples for an interval, not settled: an upper bound"' sim/out &&
    [ "$(grep -c '^allreduce,6,1024,[0-9],[0-9],' sim/out)" = 1 ] &&
    grep -q '^allreduce,6,1024,.*unknown: no interval' sim/out && ! grep -q 'direct: ' sim/out ||
    { cat sim/out; echo "FAILED: one pair of many"; status=1; }
# Every rank is a source before one is it twice.
"$run" workstations 6 sim/collbench-collective --method=mirrored --operation=allreduce --sizes=1K --budget=1 --pairs --format=csv >sim/out
awk -F, '/^allreduce,6,1024,[0-9],[0-9]/ { pairs++; of[$4] = 1 } END { for (i in of) n++; exit !(pairs < 36 && n >= (pairs < 6 ? pairs : 6) && n > 1) }' sim/out ||
    { cat sim/out; echo "FAILED: not every source"; status=1; }
# 1,024 pairs, of which the budget has time for some: three operations of each source say which. A third of it is for that
# look, and where it is not enough, nothing says which is the slowest.
for budget in 10 1000; do
    "$run" workstations 32 sim/collbench-collective --method=mirrored --operation=allreduce --sizes=1K --budget=$budget --format=csv >sim/out.$budget
done
[ "$(sed -n '/^allreduce/s/,[^,]*,[^,]*,[^,]*$/,/p' sim/out.10)" = "$(sed -n '/^allreduce/s/,[^,]*,[^,]*,[^,]*$/,/p' sim/out.1000)" ] &&
    grep -q '^allreduce.*,$' sim/out.10 || { cat sim/out.10 sim/out.1000; echo "FAILED: the slowest of 1,024"; status=1; }
"$run" workstations 32 sim/collbench-collective --method=mirrored --operation=alltoall --sizes=1K --budget=5 --format=csv >sim/out
grep -q '^alltoall.*"mirrored: no result, [0-9]* of 1024 pairs measured"' sim/out && ! grep -q 'the slowest among' sim/out ||
    { cat sim/out; echo "FAILED: no look"; status=1; }
# Each of two methods has half of the budget.
samples()
{
    "$run" cluster 4 sim/collbench-collective --method=$1 --budget=$2 --operation=allreduce --sizes=1K --stop=fixed -i 100000 -f --format=csv |
        awk -F, '/^# table/ { mine = /statistics/ } mine && /^allreduce/ { print $9 }'
}
is "samples in half of the budget" "$(samples all 0.2)" "$(samples direct 0.1)"
# Clocks that drift cannot say that what was left out is no slower.
SIM_DRIFT=200 "$run" grid 16 sim/collbench-collective --method=mirrored --operation=allgather --sizes=1K --budget=8 --format=csv >sim/out
grep -q '^allgather.*"mirrored: at least: [0-9]* of 256 pairs measured, the slowest among them with 7[5-9] %' sim/out ||
    { cat sim/out; echo "FAILED: at least"; status=1; }
# Of a scatter only the root is looked at; a row of one, which is through before anything has arrived, is not its gap.
for budget in 2.5 1000; do
    "$run" workstations 32 sim/collbench-collective --method=mirrored --operation=scatter --sizes=4K:4K --budget=$budget --format=csv >sim/out.$budget
done
awk -F, '/^scatter/ { n += $14 == ""; us[n] = $9 } END { print "scatter:", us[1], "us, should be", us[2]; exit !(n == 2 && us[1] / us[2] < 1.01 && us[1] / us[2] > 0.99) }' \
    sim/out.2.5 sim/out.1000 || { cat sim/out.2.5 sim/out.1000; echo "FAILED: scatter in little time"; status=1; }
# What clocks cannot tell apart is not judged.
export SIM_DRIFT=20
field cluster 4 - 6 --guidelines --operation=allgather --sizes=8:16
unset SIM_DRIFT
grep -q '^allgather,4,8,.*,unknown: the intervals overlap,no longer' sim/out && grep -q '^allgather,4,8,.*direct: +-[1-9][0-9.]* us by the clocks' sim/out || { cat sim/out; echo "FAILED: guideline, clocks"; status=1; }
# Who was late for the start of an operation is heard of, and it does not count; so long is waited from then on.
SIM_NOISE=2 SIM_NOISE_US=5000 "$run" cluster 8 sim/collbench-collective --operation=allreduce --method=direct --sizes=1K --stop=fixed -i 200 >sim/out
awk '/allreduce +8/ { same = $4 == $5 && $4 == $6 } /operations left out, a rank was late/ { late = $2 }
    END { print "late for", late, "of 200"; exit !(same && late > 1 && late < 20) }' sim/out ||
    { cat sim/out; echo "FAILED: a rank that is late"; status=1; }
for wrong in '--datatype=double --op=bxor' '--datatype=strided --sizes=8:64K' --communicators=3 --op=user:x --op=user:; do
    "$run" cluster 4 sim/collbench-collective $wrong 2>sim/err >sim/out && { echo "$wrong is taken"; status=1; }
    [ "$(grep -c '^[^ ]*collbench-collective: ' sim/err)" = 1 ] || { cat sim/err; status=1; }
done
exit $status
