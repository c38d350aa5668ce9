#!/bin/sh
# What is installed can be used: `collprof run` finds its libraries, pkg-config leads a compiler to header and library,
# shared and static; regions are told apart; and a program that only includes the header runs without the library.
. "${srcdir:-.}/tests/mpi/lib.sh"

# Not in the environment of the make that runs this test.
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -C "$built" install-strip DESTDIR="$dir/root" >log 2>&1 ||
    { tail -n 20 log; fail "make install-strip"; }
prefix=$(sed -n 's/^prefix = //p' "$built/Makefile")
PKG_CONFIG_PATH=$(dirname "$(find "$dir/root" -name collprof.pc)")
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR="$dir/root"
libraries=$(dirname "$PKG_CONFIG_PATH")
bin=$dir/root$prefix/bin
nm "$bin/collbench-tree" 2>&1 | grep -q 'no symbols' || fail "install-strip leaves symbols"

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

# One that calls only what is wrapped needs MPI all the same.
printf '#include <mpi.h>\nint main(int c, char **v)\n{\n    MPI_Init(&c, &v);\n    MPI_Barrier(MPI_COMM_WORLD);\n    return MPI_Finalize();\n}\n' >few.c
$MPICC few.c -o few -Wl,--as-needed $(pkg-config --cflags --libs collprof) || fail "few"
COLLPROF_OUTPUT=few.out COLLPROF_REPORT=no LD_LIBRARY_PATH=$libraries $MPIEXEC -n 2 ./few || fail "few: status $?"
profile few.out calls MPI_Barrier=2

# A program in Fortran names none of the library's functions itself.
if test -n "${MPIFC-}"; then
    printf '      program p\n      include "mpif.h"\n      integer e\n      call MPI_INIT(e)\n' >f.f
    printf '      call MPI_BARRIER(MPI_COMM_WORLD, e)\n      call MPI_FINALIZE(e)\n      end\n' >>f.f
    $MPIFC f.f -o fortran -Wl,--as-needed $(pkg-config --libs collprof) || fail "fortran"
    COLLPROF_OUTPUT=fortran.out COLLPROF_REPORT=no LD_LIBRARY_PATH=$libraries $MPIEXEC -n 2 ./fortran >out ||
        fail "fortran: status $?"
    profile fortran.out calls MPI_Barrier=2
fi

for layer in "$(dirname "$PKG_CONFIG_PATH")"/collprof/*/libcollprof.a; do
    mpi=$(basename "$(dirname "$layer")")
    (
        case " $mpis " in *" $mpi "*) with_mpi "$mpi" ;; *) exit 0 ;; esac
        $MPICC "$source/tests/mpi/linked.c" -o static.$mpi \
            $(pkg-config --define-variable=mpi=$mpi --cflags --libs collprof-static) || fail "static.$mpi"
        COLLPROF_OUTPUT=static.$mpi.out COLLPROF_REPORT=no $MPIEXEC -n 2 ./static.$mpi >out ||
            fail "static.$mpi: status $?"
        test "$(cat out)" = "with collprof" || fail "static.$mpi: without the library"
        regions static.$mpi.out
        COLLPROF_REPORT=no timeout 60 $MPIEXEC -n 2 "$bin/collprof" run --yield -o twice.$mpi ./static.$mpi >out 2>err ||
            fail "static.$mpi under collprof run: status $?"
        ! grep 'nothing was recorded' err || fail "static.$mpi under collprof run: denied what it did"
        regions twice.$mpi
    ) || exit 1
done

# The module file leads to what is installed.
if command -v tclsh >/dev/null; then
    cat >module.tcl <<'TCL'
proc module-whatis args {}
proc conflict args {}
proc prepend-path {name value} { puts "$name=$value" }
source [lindex $argv 0]
TCL
    tclsh module.tcl "$dir/root$(sed -n 's/^datadir = //p' "$built/Makefile" |
        sed "s|\${datarootdir}|$prefix/share|")/modulefiles/collprof/"* >paths || fail "module file"
    grep -qx "PATH=$prefix/bin" paths && grep -q "^MANPATH=/" paths || { cat paths; fail "module file"; }
    test -e "$dir/root$(sed -n 's/^PKG_CONFIG_PATH=//p' paths)/collprof.pc" || fail "module file: no collprof.pc"
    test -e "$dir/root$(sed -n 's/^MANPATH=//p' paths)/man1/collprof.1" || fail "module file: no manuals"
fi
python3 -m py_compile "$source/packaging/spack/package.py" && rm -rf "$source/packaging/spack/__pycache__" ||
    fail "the recipe for Spack"

$MPICC "$source/tests/mpi/linked.c" -o alone $(pkg-config --cflags collprof) || fail "header alone"
$MPIEXEC -n 2 ./alone >out || fail "header alone: status $?"
test "$(cat out)" = "without" || fail "header alone: with what library?"

# The same program under the command, which is moved: its libraries are found beside it.
$MPIEXEC -n 2 "$bin/collprof" run --report=no -o run.out ./alone >out || fail "run: status $?"
test "$(cat out)" = "with collprof" || { cat out; fail "run: the layer is not there"; }
regions run.out
"$bin/collprof" report --format=json run.out | python3 -m json.tool >/dev/null || fail "report --format=json"
test "$(pkg-config --variable=mpi collprof-static)" = "$CHECK_MPI" || fail "collprof-static names no MPI"
exit 0
