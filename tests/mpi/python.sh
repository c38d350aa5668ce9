#!/bin/sh
# Python programs, whose interpreter knows no MPI: by mpi4py, and by ctypes, which looks functions
# up in the global scope. Under each MPI all calls are seen, each at the place
# where Python itself says that it is. --thorough: by every CPython that is there.
. "${srcdir:-.}/tests/mpi/lib.sh"
python=$(python3 -c 'import sys; print(sys.executable)')
tested=
sites=$source/tests/mpi/sites.py

# run NAME INTERPRETER ARGUMENT...: the program of sites, with the layer, and what came of it.
run()
{
    name=$1
    shift
    mkdir "$name"
    (cd "$name" && timeout 60 $MPIEXEC -n 2 "$collprof" run --yield --report=no -o out "$@") ||
        fail "$name: status $?"
    profile "$name/out" ranks 2
    profile "$name/out" nothing-lost
}
same_sites()
{
    python3 "$sites" --compare "$1/out/profile.json" "$1" >"$1/same" || fail "$1: $(cat "$1/same")"
    tested="$tested $1"
}

cat >extension.c <<'C'
#include <mpi.h>
int in_c(MPI_Comm comm)
{
    int rc = MPI_Barrier(comm);
    return rc;
}
C
others=
if [ -n "${CHECK_THOROUGH:-}" ]; then
    others=$(ls -d /usr/bin/python3 "$(pyenv root 2>/dev/null)"/versions/3.*/bin/python3 2>/dev/null)
fi
for mpi in $mpis; do
    with_mpi $mpi
    echo 'int main(int n, char **a) { return MPI_Init(&n, &a); }' | $MPICC -include mpi.h -x c - -o needs
    library=$(ldd needs | sed -n 's/^[[:space:]]*\(libmpi[^ ]*\) =>.*/\1/p' | head -n 1)
    $MPICC -g -O0 -shared -fPIC -o extension.$mpi.so extension.c || fail "extension.c"
    for interpreter in "$python" $others; do
        "$interpreter" -c 'import ctypes' 2>/dev/null || continue
        version=$("$interpreter" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])')
        [ ! -e ctypes.$mpi.$version ] || continue
        run ctypes.$mpi.$version "$interpreter" "$sites" "$library" "$dir/extension.$mpi.so"
        "$collprof" report ctypes.$mpi.$version/out | grep -q '^collprof: sites.py (python[0-9.]*) on 2 ranks' ||
            fail "$version: the title names no script"
        case $version in
        3.1[1-3].*) same_sites ctypes.$mpi.$version ;;
        *)
            "$collprof" report --full ctypes.$mpi.$version/out | grep -q 'no call site in Python could be read' ||
                fail "$version: no word that its frames are not known"
            ;;
        esac
        "$collprof" report --full ctypes.$mpi.$version/out | grep 'compile with -g' && fail "advice about python"
    done
done

# Behind options of the interpreter, as a module.
if [ -n "$mpis" ]; then
    PYTHONPATH=$(dirname "$sites") PYTHONDONTWRITEBYTECODE=1
    export PYTHONPATH PYTHONDONTWRITEBYTECODE
    run module "$python" -W ignore -u -m sites "$library" "$dir/extension.$mpi.so"
    unset PYTHONPATH PYTHONDONTWRITEBYTECODE
    "$collprof" report module/out | grep -q '^collprof: sites (python' || fail "-m: the title names no module"
fi

# mpi4py is built for one MPI: whose launcher it needs, the library that it loads says.
extension=
for interpreter in "$python" /usr/bin/python3; do
    extension=$("$interpreter" -c 'import mpi4py, glob; print(glob.glob(mpi4py.__path__[0] + "/MPI.*.so")[0])' \
        2>/dev/null) && break
done
if [ -n "$extension" ]; then
    case $(ldd "$extension") in *libmpi.so.40*) mpi=openmpi ;; *) mpi=mpich ;; esac
    with_mpi $mpi
    run mpi4py "$interpreter" "$sites" mpi4py
    same_sites mpi4py
    cat >by_mpi4py.py <<'PY'
from mpi4py import MPI
world = MPI.COMM_WORLD
for i in range(10):
    world.bcast({"i": i}, root=0)
PY
    run bcast "$interpreter" "$dir/by_mpi4py.py"
    profile bcast/out calls MPI_Bcast=40

    # It asks for MPI_THREAD_MULTIPLE and calls from one thread: the first screen is that of a program in C.
    cat >imbalance.py <<'PY'
import time
from mpi4py import MPI
world = MPI.COMM_WORLD
theirs = bytearray(8)
for i in range(60):
    time.sleep(0.004 * (1 + world.rank))
    world.Sendrecv(bytearray(8), 1 - world.rank, recvbuf=theirs)
PY
    run imbalance "$interpreter" "$dir/imbalance.py"
    "$collprof" report imbalance/out >screen
    tr -s ' \n' ' ' <screen >flat
    grep -q 'Parallel efficiency [4-9][0-9]' flat || { cat screen; fail "no parallel efficiency of mpi4py"; }
    grep -q 'may delay are not named' flat ||
        grep -q '1\. [123][0-9]\.[0-9] % of the run[^:]*: Rank 1 is outside of MPI for .* in MPI_Sendrecv at imbalance.py:7' flat ||
        { cat screen; fail "the late rank of mpi4py is not named"; }
fi

# A program in C that has Python inside: its own calls are lines in C, those of its script in Python,
# and what the script calls in C is both.
cat >embed.c <<'C'
#include <Python.h>
#include <mpi.h>
__attribute__((visibility("default"))) void in_c(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    Py_Initialize();
    MPI_Barrier(MPI_COMM_WORLD);
    PyRun_SimpleString("import ctypes\n\nin_c = ctypes.CDLL(None).in_c\n"
                       "def script():\n    in_c()\n\nscript()\n");
    Py_Finalize();
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
C
for mpi in $mpis; do
    with_mpi $mpi
    flags=$(PATH=/usr/bin:$PATH python3-config --cflags --ldflags --embed 2>/dev/null) || continue
    $MPICC -g -O0 -rdynamic -o embed embed.c $flags -O0 -w 2>embed.log || continue
    run embed.$mpi "$dir/embed"
    "$collprof" report --full --top=20 embed.$mpi/out >embed.txt
    for line in 'embed.c:10 main' 'embed.c:12 main' 'embed.c:16 main' 'embed.c:5 in_c'; do
        grep -q "^  MPI_Barrier  *2 .*  $line" embed.txt || fail "no row of $line: $(cat embed.txt)"
    done
    python3 - embed.$mpi/out/profile.json <<'PY' || fail "embed.c: the script's calls"
import json, sys
sites = json.load(open(sys.argv[1]))["sites"]
stack = [[(f["function"], f["line"]) for f in s["frames"]]
         for s in sites if s["frames"] and s["frames"][0].get("function") == "in_c"]
print(stack)
sys.exit(stack != [[("in_c", 5), ("script", 5), ("<module>", 7)]])
PY
    tested="$tested embed.$mpi"
done
test -n "$tested" || skip "neither an MPI under Debian's names nor mpi4py"
echo "tested:$tested"
exit 0
