#!/bin/sh
# A rank whose memory runs out while the profile is put together ends as it would have without the
# layer, and nothing is lost: all records stay and can be read.
. "${srcdir:-.}/tests/mpi/lib.sh"
heat=$built/examples/heat
plain 4 "$heat" >plain 2>want.err || fail "the application does not run"
grep -v ^time plain >want
for rank in 0 2 3; do
    $MPIEXEC -n 4 env NOMEM_RANK=$rank COLLPROF_OUTPUT=$rank COLLPROF_REPORT=no \
        LD_PRELOAD="$built/tests/mpi/.libs/libnomem.so $layer $yielding" "$heat" >out 2>err ||
        { cat err; fail "rank $rank: another status"; }
    grep -v ^time out | cmp - want || fail "rank $rank: other output"
    grep -q "not enough memory.*collprof report $rank" err || { cat err; fail "rank $rank: not said"; }
    test ! -e $rank/profile.json || fail "rank $rank: a profile that lacks a rank"
    mkdir $rank.json
    "$collprof" report --json $rank >$rank.json/profile.json || fail "rank $rank: no records"
    profile $rank.json ranks 4
    profile $rank.json states finalized=4-4
done
exit 0
