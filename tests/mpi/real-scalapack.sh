#!/bin/sh
# ScaLAPACK's own tests as Debian ships them, unmodified: Fortran and C (BLACS), many
# communicators, non-blocking sends. Same verdicts and residuals with and without the layer, and
# the counts of an independent counter.
. "${srcdir:-.}/tests/mpi/lib.sh"
export COLLPROF_TRACE=calls COLLPROF_MEMORY=64 # in whole: no window cuts a message in two
set -- /usr/lib/*/scalapack/"$CHECK_MPI"-tests
test -x "$1/xdlu" || skip "ScaLAPACK's tests are not installed for $CHECK_MPI (scalapack-mpi-test)"
cp /usr/share/scalapack/*.dat .

# Verdicts, with what was computed; times and what follows from them are the numbers with a point.
results()
{
    sed -E '/PASSED|FAILED/s/ +-?[0-9]*\.[0-9]+([ED][-+]?[0-9]+)?//g' "$1" | grep -v 'time'
}

# Two ranks: the process grids of these data files that need more are skipped by the tests
# themselves. One runs on four as well.
for run in 2:xdlu 2:xdqr 2:xdllt 2:xdhrd 2:xzbrd 2:xdtrd 2:xdls 4:xdtrd; do
    n=${run%:*} test=${run#*:}
    plain $n "$1/$test" >plain 2>&1 || { cat plain; fail "$test: without the layer"; }
    counted $n "$run" "$1/$test" >layered 2>&1 || { cat layered; fail "$test: status $?"; }
    results plain >want
    results layered | diff want - || fail "$test: other results"
    grep -q PASSED want || fail "$test: no verdict"
    same_counts "$run" || fail "$test: other counts"
    profile "$run" nothing-lost
    profile "$run" matched 0
done
profile 4:xdtrd matched 1000
exit 0
