#!/bin/sh
# A rank whose memory runs out while the profile is put together ends as it would have without the layer, and nothing is
# lost: rank 0, which makes the profile, leaves all records to be read; the others need no memory for it.
. "${srcdir:-.}/tests/mpi/lib.sh"
export CHECK_LIMIT=300 # patience of the layer, and budgets, on a busy machine
heat=$built/examples/heat
plain 4 "$heat" >plain 2>want.err || fail "the application does not run"
grep -v ^time plain >want
for rank in 0 2 3; do
    $MPIEXEC -n 4 env NOMEM_RANK=$rank COLLPROF_OUTPUT=$rank COLLPROF_REPORT=no \
        LD_PRELOAD="$built/tests/mpi/.libs/libnomem.so $layer $yielding" "$heat" >out 2>err ||
        { cat err; fail "rank $rank: another status"; }
    grep -v ^time out | cmp - want || fail "rank $rank: other output"
    if [ $rank != 0 ]; then
        profile $rank ranks 4
        profile $rank nothing-lost
        continue
    fi
    grep -q "not enough memory.*collprof report $rank" err || { cat err; fail "rank $rank: not said"; }
    test ! -e $rank/profile.json || fail "rank $rank: a profile that lacks a rank"
    mkdir $rank.json
    "$collprof" report --format=json $rank >$rank.json/profile.json || fail "rank $rank: no records"
    profile $rank.json ranks 4
    profile $rank.json states finalized=4-4
done

# Where ranks do something together, one without memory must not leave the others waiting: from the
# start nobody records, later nothing is injected.
inject=$built/tests/mpi/inject
for from in begin run type end; do
    for mode in ACK=10 ACK=100 BCAST=binomial BCAST=grid BENCHMARK=barrier TRACE=calls; do
        case $from.$mode in type.BCAST=*) ;; type.*) continue ;; esac
        case $mode in ACK=*) test $from = end || test "${CHECK_THOROUGH:-0}" = 1 || continue ;; esac
        $MPIEXEC -n 3 env NOMEM_RANK=1 NOMEM_FROM=$from COLLPROF_$mode \
             COLLPROF_OUTPUT=$from-$mode COLLPROF_REPORT=no \
            LD_PRELOAD="$built/tests/mpi/.libs/libnomem.so $layer $yielding" "$inject" >out 2>err ||
            { cat err; fail "$mode, refused from $from: status $?"; }
        # UCX warns, on standard output, of messages that nobody has taken any more.
        test "$(grep -v ' UCX *WARN' out)" = right ||
            { cat out err; fail "$mode, refused from $from: other output"; }
        test $from != begin || grep -q 'rank 1: Cannot allocate memory: this run is not recorded' err ||
            { cat err; fail "$mode, refused from $from: not said"; }
    done
done

# Who takes part where only some ranks have the layer, each finds out without memory.
$MPIEXEC -n 3 env NOMEM_RANK=1 NOMEM_FROM=begin COLLPROF_OUTPUT=part COLLPROF_REPORT=no \
    LD_PRELOAD="$built/tests/mpi/.libs/libnomem.so $layer $yielding" "$heat" -s 20 : \
    -n 1 env LD_PRELOAD="$yielding" "$heat" -s 20 >out 2>err || { cat err; fail "part: status $?"; }
grep -q 'rank 1: Cannot allocate memory: this rank is not recorded' err || { cat err; fail "part: not said"; }

# A rank that cannot open any more files, or not write this one: it is not waited for, nor does it wait.
for list in once always denied; do
    # Without this one the launcher's own store is not asked instead.
    test $list = denied && without='-u MPI_LOCALNRANKS' || without=
    $MPIEXEC -n 3 env $without NOMEM_RANK=1 NOMEM_FROM=never NOMEM_LIST=$list COLLPROF_OUTPUT=list-$list \
        COLLPROF_REPORT=no LD_PRELOAD="$built/tests/mpi/.libs/libnomem.so $layer $yielding" "$heat" -s 20 : \
        -n 1 env LD_PRELOAD="$yielding" "$heat" -s 20 >out 2>err.$list || { cat err.$list; fail "list $list: status $?"; }
    # What the others have recorded can be reported.
    mkdir list-$list.json
    "$collprof" report --format=json list-$list >list-$list.json/profile.json || fail "list $list: no records"
    profile list-$list.json ranks 2
    profile list-$list.json states finalized=2-2
    grep -q 'rank 1: cannot write records to list-.*: \(Too many open files\|Permission denied\)' err.$list ||
        { cat err.$list; fail "list $list: not said"; }
done
exit 0
