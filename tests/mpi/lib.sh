# What the tests of the layer share. Sourced; a test runs in its own empty directory $dir, which
# goes away with it. Programs are named by their path from $built.

case $top_builddir in /*) built=$top_builddir ;; *) built=$PWD/$top_builddir ;; esac
case $srcdir in /*) source=$srcdir ;; *) source=$PWD/$srcdir ;; esac
layer=$built/.libs/libcollprof.so
collprof=$built/collprof
counter=$built/tests/mpi/.libs/libcount.so
yielding=$built/.libs/libcollprof-transport.so
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
unset LD_PRELOAD

fail()
{
    echo "FAIL: $*"
    exit 1
}

skip()
{
    echo "$*"
    exit 77
}

# Every MPI that there is a layer and a compiler for.
mpis=
for mpi in mpich openmpi; do
    [ -e "$built/layers/$mpi" ] && command -v mpicc.$mpi >/dev/null && mpis="$mpis $mpi"
done

# In the short check what takes long is for the first of them only.
quick_mpis=$mpis
test "${CHECK_THOROUGH:-}" = 1 || test -z "$mpis" || quick_mpis=$CHECK_MPI

# with_mpi NAME: what follows is built and started by that MPI.
with_mpi()
{
    MPICC=mpicc.$1 MPIEXEC=mpiexec.$1 MPIFC=
    ! command -v mpif90.$1 >/dev/null || MPIFC=mpif90.$1
}

# beside NAME COMMAND...: runs it in a directory of its own at the same time as others, which wait rather than compute;
# join: waits for all of them, and fails if one has.
started=
beside()
{
    name=$1
    shift
    mkdir "$name"
    (cd "$name" && "$@") >"$name.log" 2>&1 &
    started="$started $!:$name"
}
join()
{
    failed=
    for one in $started; do
        wait "${one%%:*}" || failed="$failed ${one#*:}"
    done
    started=
    for name in $failed; do
        cat "$name.log"
    done
    test -z "$failed" || fail "$failed"
}

command -v python3 >/dev/null || skip "no python3, which reads the profiles here"

# write_program NAME: NAME.c, of what comes on standard input between MPI_Init and MPI_Finalize of each rank; it may
# use rank, size, argc and argv.
write_program()
{
    {
        echo '#define _GNU_SOURCE'
        printf '#include <%s.h>\n' errno mpi signal stdio stdlib string sys/wait unistd
        echo 'int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);'
        cat
        echo '    return MPI_Finalize(); }'
    } >"$1.c"
}

# many_sites CALLS NAME: NAME.c, which makes so many calls on MPI_COMM_WORLD, each in a function of its own.
many_sites()
{
    python3 - "$1" >"$2.c" <<'EOF'
import sys
n = int(sys.argv[1])
print("#include <mpi.h>\nstatic int v;")
for f in range(n):
    print(f"static __attribute__((noinline)) void f{f}(void) {{")
    print("    MPI_Allreduce(MPI_IN_PLACE, &v, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);\n    v++;\n}")
print("int main(int argc, char **argv) {\n MPI_Init(&argc, &argv);")
print(*(f"    f{f}();" for f in range(n)), sep="\n")
print("    return MPI_Finalize();\n}")
EOF
    $MPICC -g -O0 "$2.c" -o "$2" || skip "cannot compile"
}

# holds DIR: the assertions in Python on standard input hold of the profile p in DIR.
holds()
{
    python3 -c 'import json, sys
p = json.load(open(sys.argv[1] + "/profile.json"))
exec(sys.stdin.read())' "$1"
}

limit= # what goes before the launcher

# plain RANKS PROGRAM...: without the layer, with ranks that give way to each other.
plain()
{
    ranks=$1
    shift
    $limit $MPIEXEC -n "$ranks" env LD_PRELOAD="$yielding" "$@"
}

# layered RANKS DIR PROGRAM...: with the layer, which writes to DIR.
layered()
{
    ranks=$1 output=$2
    shift 2
    $limit $MPIEXEC -n "$ranks" env LD_PRELOAD="$layer $yielding" \
        COLLPROF_OUTPUT="$output" COLLPROF_REPORT=no "$@"
}

# like_bare RANKS DIR PROGRAM...: with the layer, which writes to DIR, as without: the same status, in $status, and the
# same output; files want, out and err. Where ranks die, the launcher's status and words are those of whichever death it
# sees first: they have to be ones that also occur without the layer, so runs of either kind are repeated until two are
# alike. 77: the program cannot do this here.
like_bare()
{
    ranks=$1 output=$2 limit="timeout 300"
    shift 2
    for try in 1 2 3 4 5 6 7 8 9 10 11 12; do
        plain "$ranks" "$@" >want 2>want.err </dev/null
        bare=$?
        test $bare != 77 || { limit=; return 77; }
        if test $((try % 2)) = 1; then
            rm -rf "$output"
            layered "$ranks" "$output" "$@" >out 2>err </dev/null
            status=$?
        fi
        for file in want out; do
            sed 's/PID [0-9]*/PID/' $file | sort >$file.sorted
        done
        test $status = $bare && cmp -s want.sorted out.sorted && limit= && return 0
    done
    cat err
    diff want.sorted out.sorted
    fail "$output: status $status and that output are never those without the layer, lastly $bare"
}

# counted RANKS DIR PROGRAM...: the same, and DIR.counts has what the independent counter saw.
counted()
{
    ranks=$1 output=$2
    shift 2
    mkdir -p "$output.counts"
    $MPIEXEC -n "$ranks" env LD_PRELOAD="$counter $layer $yielding" \
        COUNT_DIRECTORY="$output.counts" COLLPROF_OUTPUT="$output" COLLPROF_REPORT=no "$@"
}

# same_counts DIR [same-calls]: the layer has counted, and timed, just what the independent counter
# has. Where that comes after the layer, its times are no measure.
same_counts()
{
    python3 "$source/tests/mpi/profile.py" "$1/profile.json" "${2:-same}" "$1.counts"
}

# reported DIR: the ranks could not merge their records in DIR: `collprof report` does.
reported()
{
    test ! -e "$1/profile.json" && "$collprof" report --format=json "$1" >"$1/merged" || fail "$1: no records to merge"
    mv "$1/merged" "$1/profile.json"
}

# profile DIR CHECK...: see profile.py.
profile()
{
    at=$1
    shift
    python3 "$source/tests/mpi/profile.py" "$at/profile.json" "$@" || fail "profile of $at: $*"
}
