#!/bin/sh
# What is installed can be used: `collprof run` finds its libraries, pkg-config leads a compiler
# to header and library, shared and static; regions are told apart; and a program that only includes the
# header runs without the library.
. "${srcdir:-.}/tests/mpi/lib.sh"

# Not in the environment of the make that runs this test.
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -C "$built" install DESTDIR="$dir/root" >log 2>&1 ||
    { tail -n 20 log; fail "make install"; }
prefix=$(sed -n 's/^prefix = //p' "$built/Makefile")
PKG_CONFIG_PATH=$(dirname "$(find "$dir/root" -name collprof.pc)")
PKG_CONFIG_SYSROOT_DIR=$dir/root
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
libraries=$(dirname "$PKG_CONFIG_PATH")
bin=$dir/root$prefix/bin

regions()
{
    profile "$1" ranks 2
    profile "$1" region setup MPI_Barrier=2
    profile "$1" region solve MPI_Bcast=20 MPI_Allreduce=0
    profile "$1" region residual MPI_Allreduce=20
}

$MPICC "$source/tests/mpi/linked.c" -o shared $(pkg-config --cflags --libs collprof) || fail "shared"
COLLPROF_OUTPUT=shared.out COLLPROF_REPORT=no LD_LIBRARY_PATH=$libraries \
    $MPIEXEC -n 2 ./shared >out || fail "shared: status $?"
test "$(cat out)" = "with collprof" || fail "shared: without the library"
regions shared.out

$MPICC "$source/tests/mpi/linked.c" -o static $(pkg-config --cflags collprof) \
    "$libraries/libcollprof.a" $(pkg-config --static --libs-only-l collprof | sed 's/-lcollprof//') ||
    fail "static"
COLLPROF_OUTPUT=static.out COLLPROF_REPORT=no $MPIEXEC -n 2 ./static >out || fail "static: status $?"
test "$(cat out)" = "with collprof" || fail "static: without the library"
regions static.out

$MPICC "$source/tests/mpi/linked.c" -o alone $(pkg-config --cflags collprof) || fail "header alone"
$MPIEXEC -n 2 ./alone >out || fail "header alone: status $?"
test "$(cat out)" = "without" || fail "header alone: with what library?"

# The same program under the command, which is moved: its libraries are found beside it.
$MPIEXEC -n 2 "$bin/collprof" run --report=no -o run.out ./alone >out || fail "run: status $?"
test "$(cat out)" = "with collprof" || { cat out; fail "run: the layer is not there"; }
regions run.out
"$bin/collprof" report --json run.out | python3 -m json.tool >/dev/null || fail "report --json"
exit 0
