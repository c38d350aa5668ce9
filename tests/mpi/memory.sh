#!/bin/sh
# Many call paths and ranks in a control group with little memory: the end may not take what the
# application is then killed for. What does not fit stays in the records, and that is reported.
. "$srcdir/tests/mpi/lib.sh"

group=/sys/fs/cgroup/memory/collprof-$$ limit=memory.limit_in_bytes
test -d /sys/fs/cgroup/memory || group=/sys/fs/cgroup/collprof-$$ limit=memory.max
mkdir "$group" 2>/dev/null && trap 'rmdir "$group"; rm -rf "$dir"' EXIT || skip "no control group can be made here"

many_sites 2000 paths

# run BYTES DIR: 8 ranks in the group with that limit.
run()
{
    echo "$1" >"$group/$limit" || skip "no limit can be set here"
    (sh -c 'echo $PPID' >"$group/cgroup.procs" &&
        LD_PRELOAD= exec $MPIEXEC -n 8 env LD_PRELOAD="$layer $yielding" COLLPROF_OUTPUT="$2" COLLPROF_REPORT=no ./paths) >out 2>&1
    status=$?
    test $status = 0 || { cat out; fail "$1 bytes: status $status"; }
}
run 700M enough
test -e enough/profile.json || { cat out; fail "700 MB: no profile"; }
run 250M little
test -e little/profile.json || grep -q 'not enough memory.*collprof report' out || { cat out; fail "250 MB: not said"; }
"$collprof" report little >report || fail "250 MB: no records"
grep -q MPI_Allreduce report || fail "250 MB: nothing in the report"
exit 0
