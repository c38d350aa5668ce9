#!/bin/sh
# Python programs, whose interpreter knows no MPI: by mpi4py, and by ctypes, which opens the library
# itself and asks for its functions by name. Under each MPI all calls are seen.
. "${srcdir:-.}/tests/mpi/lib.sh"
python=$(python3 -c 'import sys; print(sys.executable)')
tested=

# The handle of MPI_COMM_WORLD is a number in MPICH and an address in Open MPI.
cat >by_ctypes.py <<'PY'
import ctypes, sys
mpi = ctypes.CDLL(sys.argv[1])
try:
    world = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(mpi, "ompi_mpi_comm_world")))
except ValueError:
    world = ctypes.c_int(0x44000000)
mpi.MPI_Init(None, None)
for i in range(10):
    mpi.MPI_Barrier(world)
mpi.MPI_Finalize()
print("done")
PY
for mpi in $mpis; do
    with_mpi $mpi
    echo 'int main(int n, char **a) { return MPI_Init(&n, &a); }' | $MPICC -include mpi.h -x c - -o needs
    library=$(ldd needs | sed -n 's/^[[:space:]]*\(libmpi[^ ]*\) =>.*/\1/p' | head -n 1)
    timeout 60 $MPIEXEC -n 2 "$collprof" run --yield --report=no -o ctypes.$mpi \
        "$python" by_ctypes.py "$library" >out || fail "ctypes, $mpi: status $?"
    test "$(grep -o done out | wc -l)" = 2 || fail "ctypes, $mpi: no results"
    profile ctypes.$mpi ranks 2
    profile ctypes.$mpi calls MPI_Init=2 MPI_Barrier=20
    tested="$tested ctypes.$mpi"
done

# mpi4py is built for one MPI: whose launcher it needs, the library that it loads says.
cat >by_mpi4py.py <<'PY'
from mpi4py import MPI
world = MPI.COMM_WORLD
for i in range(10):
    world.bcast({"i": i}, root=0)
print("done")
PY
extension=
for python in "$python" /usr/bin/python3; do
    extension=$("$python" -c 'import mpi4py, glob; print(glob.glob(mpi4py.__path__[0] + "/MPI.*.so")[0])' \
        2>/dev/null) && break
done
if [ -n "$extension" ]; then
    case $(ldd "$extension") in *libmpi.so.40*) mpi=openmpi ;; *) mpi=mpich ;; esac
    with_mpi $mpi
    timeout 60 $MPIEXEC -n 2 "$collprof" run --yield --report=no -o mpi4py \
        "$python" by_mpi4py.py >out || fail "mpi4py: status $?"
    test "$(grep -o done out | wc -l)" = 2 || fail "mpi4py: no results"
    profile mpi4py ranks 2
    profile mpi4py calls MPI_Bcast=40
    tested="$tested mpi4py"
fi
test -n "$tested" || skip "neither an MPI under Debian's names nor mpi4py"
echo "tested:$tested"
exit 0
