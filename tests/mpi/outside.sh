#!/bin/sh
# The layer among things that are not its business: preloaded into mpiexec, shells and tools it
# does nothing; where it cannot write, the application goes on and the layer says so.
. "${srcdir:-.}/tests/mpi/lib.sh"
heat=$built/examples/heat

for tool in "ls /" "bash -c true" "$MPIEXEC --version" "false"; do
    $tool >want 2>&1
    status=$?
    LD_PRELOAD=$layer $tool >out 2>&1
    test $? = $status || fail "$tool: status is not $status"
    cmp want out || fail "$tool: other output"
done
test ! -e collprof.out || fail "records of tools that use no MPI"

# Around mpiexec itself, as people do it: the launcher and its shells are unaffected.
LD_PRELOAD="$layer $yielding" COLLPROF_REPORT=no $MPIEXEC -n 2 bash -c "$heat -s 20; true" >out ||
    fail "preloaded around mpiexec: status $?"
grep -q checksum out || fail "preloaded around mpiexec: no result"
profile collprof.out calls MPI_Isend=160

# A directory that cannot be made.
plain 2 "$heat" -s 20 | grep -v ^time >want
touch file
layered 2 file/below "$heat" -s 20 >out 2>err || fail "no directory: status $?"
grep -v ^time out | cmp - want || fail "no directory: other results"
test "$(grep -c 'cannot write records' err)" = 1 || { cat err; fail "no directory: not said once"; }

# A full disk: 3 MiB, where each of two ranks wants 2.
mkdir small
if mount -t tmpfs -o size=3m none small 2>/dev/null; then
    trap 'umount "$dir/small"; rm -rf "$dir"' EXIT
    layered 2 small/out "$heat" -s 20 >out 2>err || fail "full disk: status $?"
    grep -v ^time out | cmp - want || fail "full disk: other results"
    grep -q 'cannot write records.*No space.*: this run is not recorded' err || { cat err; fail "full disk: not said"; }
    test -z "$(ls small)" || fail "full disk: something stays"
fi

# Unknown and wrong variables: one line each, from rank 0 alone, and the run goes on.
COLLPROF_OUPUT=x COLLPROF_STACK=many layered 2 warned "$heat" -s 20 >out 2>err || fail "variables"
test "$(grep -c COLLPROF_OUPUT err)" = 1 || { cat err; fail "unknown variable: not said once"; }
test "$(grep -c COLLPROF_STACK err)" = 1 || { cat err; fail "wrong value: not said once"; }

# Two tools see the same.
mkdir -p chain.counts
$MPIEXEC -n 2 env LD_PRELOAD="$layer $counter $yielding" COUNT_DIRECTORY="$dir/chain.counts" COLLPROF_OUTPUT=chain \
    COLLPROF_REPORT=no "$heat" -s 20 >out 2>err || fail "chain: status $?"
profile chain calls MPI_Isend=160
grep -v ^time out | cmp - want || fail "chain: other results"
same_counts chain same-calls || fail "chain: other counts"

# MPI opened by hand passes by any preloaded library; that is said.
mpi=$(ldd "$heat" | sed -n 's/^[[:space:]]*\(libmpi[^ ]*\) =>.*/\1/p' | head -n 1)
cat >opened.py <<PY
import ctypes
mpi = ctypes.CDLL("$mpi")
mpi.MPI_Init(None, None)
mpi.MPI_Finalize()
PY
LD_PRELOAD=$layer python3 opened.py 2>err || fail "MPI opened by hand: status $?"
grep -q 'nothing was recorded' err || { cat err; fail "MPI opened by hand: not said"; }
exit 0
