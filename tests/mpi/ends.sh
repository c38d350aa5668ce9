#!/bin/sh
# However a run ends, its exit status and output are what they would have been, and the record
# of every rank can be read afterwards, with the calls made until then and how the rank ended.
. "${srcdir:-.}/tests/mpi/lib.sh"
ends=$built/tests/mpi/ends

# way, what the record of the rank that goes this way says
while read -r way state; do
    plain 2 "$ends" $way >want 2>want.err
    status=$?
    layered 2 $way "$ends" $way >out 2>err
    test $? = $status || fail "$way: status is not $status"
    cmp want out || fail "$way: other output"
    test ! -e $way/profile.json || fail "$way: a profile as if it had ended well"
    mkdir $way.json
    "$collprof" report --json $way >$way.json/profile.json || fail "$way: cannot be reported"
    profile $way.json ranks 2
    profile $way.json calls MPI_Allreduce=200 MPI_Bcast=20
    profile $way.json states "$state=1-2"
    "$collprof" report $way >report 2>&1 || fail "$way: cannot be reported as text"
    grep -q 'rank.*1.*counts end there' report || { cat report; fail "$way: not said that it ended early"; }
done <<END
abort aborted
segv signalled
term signalled
kill running
libc-abort signalled
exit exited
_exit running
handled running
END

# Without mpiexec in between: the status of the process itself.
for way in abort segv term kill libc-abort exit _exit handled; do
    "$ends" $way >/dev/null 2>&1
    status=$?
    LD_PRELOAD=$layer COLLPROF_OUTPUT=alone.$way "$ends" $way >/dev/null 2>&1
    test $? = $status || fail "$way, alone: status is not $status"
done
exit 0
