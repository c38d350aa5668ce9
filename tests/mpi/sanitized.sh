#!/bin/sh
# The unit tests, and applications under the layer in every mode, with the sanitizers of addresses and of
# undefined behaviour, in a build of its own. What they say goes to files: no status hides it. MPI's
# own leaks are not looked for; those of our readers are, by the fuzzers.
. "${srcdir:-.}/tests/mpi/lib.sh"
test "${CHECK_THOROUGH:-}" = 1 || skip "only with ./check --thorough"
export CHECK_LIMIT=600 COLLPROF_BENCHMARK_BUDGET=2 # ten to twenty times as slow
flags='-fsanitize=address,undefined'
echo 'int main(void) { return 0; }' >try.c
gcc $flags try.c -o try 2>/dev/null && ./try || skip "no gcc that has $flags"
tree=$built/sanitized
unset MAKEFLAGS MAKELEVEL MFLAGS

mkdir -p "$tree" && cd "$tree" || exit 1
test -f Makefile || "$source/configure" --with-mpi="$CHECK_MPI" CC=gcc \
    CFLAGS="-g -O1 -fno-omit-frame-pointer $flags" >conf.out 2>&1 || { tail conf.out; fail "configure"; }
# The programs that are profiled are those of the first build: the layer is what is looked at.
make -j"$(nproc)" >make.out 2>&1 &&
    make -j"$(nproc)" check TESTS= check_PROGRAMS="$(make -s list-unit-programs | tr '\n' ' ')" >>make.out 2>&1 ||
    { tail make.out; fail "the build"; }
cd "$dir" || exit 1
: >out
: >err

runtime=
for name in asan ubsan; do
    runtime="$runtime$(readlink -f "$(gcc -print-file-name=lib$name.so)") "
done
export ASAN_OPTIONS="allocator_may_return_null=1:log_path=$dir/said:detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_abort=0"
export UBSAN_OPTIONS="log_path=$dir/said:print_stacktrace=1"
silent()
{
    for said in out err; do
        ! grep -a -B2 -A20 'runtime error:\|ERROR: AddressSanitizer' $said || fail "$*"
    done
    for said in "$dir"/said.*; do
        # A test asks for more memory than there can be, and gets none.
        grep -v 'AddressSanitizer failed to allocate' "$said" >rest && { head -n 40 rest; fail "$*"; }
    done
}

for unit in $(make -s -C "$tree" list-unit-programs); do
    (cd "$source" && top_builddir=$tree srcdir=. timeout 900 "$tree/$unit" >"$dir/out" 2>&1) ||
        { grep -a 'FAIL\|CRASH\|----' out | head -n 20; silent "$unit"; fail "$unit"; }
done
silent "unit tests"

# under STATUS NAME [VARIABLE=VALUE...] PROGRAM...: on $ranks with the layer.
ranks=2
under()
{
    want=$1 output=$2
    shift 2
    $MPIEXEC -n $ranks env LD_PRELOAD="$runtime$tree/.libs/libcollprof.so $yielding" \
        COLLPROF_YIELD=yes COLLPROF_OUTPUT="$output" "$@" >out 2>err
    status=$?
    silent "$output: $*"
    case $want:$status in
    any:* | 0:0) ;;
    *) tail -n 20 err; fail "$output: status $status" ;;
    esac
    for show in "report --explain" "report --format=csv --table=call_sites" "report --format=html" "report --format=csv" "report --list"; do
        "$tree/collprof" $show "$output" >out 2>&1
        silent "$output: $show"
    done
}

programs=$built/tests/mpi
for mode in REPORT=yes KEEP=yes TRACE=calls TRACE=transport ACK=100 BENCHMARK=barrier BCAST=binomial BCAST=grid; do
    under 0 heat-$mode COLLPROF_$mode "$built/examples/heat" -s 5
    ranks=4
    under 0 messages-$mode COLLPROF_$mode "$programs/messages" kinds
    ranks=2
    under any inject-$mode COLLPROF_$mode "$programs/inject"
done
"$tree/collprof" compare heat-KEEP=yes -- heat-ACK=100 >out 2>&1
silent "compare"
for way in longjmp failing-collective failing-wait partitioned between many-sites in-turn many-requests \
    elsewhere closing small-files; do
    under any strange-$way "$programs/strange" $way
done
for way in abort segv kill exit _exit alarm file-size caught-exit exec others; do
    under any ends-$way "$programs/ends" $way
done
under any awkward "$programs/awkward"
under any threads "$programs/inject" threads

# The threads' program in every mode under the thread sanitizer, in a build of its own. It survives MPICH
# where UCX puts no hooks into memory, and libunwind, which locks where a thread has nearly gone, only
# without call sites; Open MPI races itself.
test "$CHECK_MPI" = mpich || exit 0
thread_runtime=$(readlink -f "$(gcc -print-file-name=libtsan.so)")
gcc -fsanitize=thread "$source/tests/mpi/inject.c" -I"$source/src" $($MPICC -show | grep -o ' -[ILl][^ ]*' | tr '\n' ' ') \
    -g -w -o inject || { echo "no gcc that has -fsanitize=thread"; exit 0; }
cat >liar.c <<'END'
#include <mpi.h>
#include <pthread.h>
static void *ask(void *arg)
{
    int flag;
    for (int i = 0; i < 100000; i++)
        MPI_Iprobe(MPI_PROC_NULL, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    return arg;
}
int main(int argc, char **argv)
{
    int got;
    pthread_t thread[2];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &got);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], 0, ask, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], 0);
    return MPI_Finalize();
}
END
$MPICC -g -fsanitize=thread liar.c -o liar || fail "the program that lies"
# It wants the addresses where they are without much randomness.
fixed=
if setarch -R true 2>/dev/null; then
    fixed="setarch -R"
elif test "$(cat /proc/sys/vm/mmap_rnd_bits)" -gt 28; then
    echo "addresses are too random for the thread sanitizer"
    exit 0
fi
tree=$built/raced
mkdir -p "$tree" && cd "$tree" || exit 1
test -f Makefile || "$source/configure" --with-mpi="$CHECK_MPI" CC=gcc \
    CFLAGS="-g -O1 -fno-omit-frame-pointer -fsanitize=thread" >conf.out 2>&1 || { tail conf.out; fail "configure"; }
make wrappers/stubs.h >make.out 2>&1 &&
    make -j"$(nproc)" libcollprof.la "layers/$CHECK_MPI/libcollprof-layer.so" >>make.out 2>&1 ||
    { tail make.out; fail "the build for threads"; }
cd "$dir" || exit 1
export UCX_MEM_EVENTS=n COLLPROF_STACK=0 TSAN_OPTIONS="log_path=$dir/raced"
# raced MODE PROGRAM...
raced()
{
    mode=$1
    shift
    $MPIEXEC -n 2 $fixed env LD_PRELOAD="$thread_runtime $tree/.libs/libcollprof.so $yielding" \
        COLLPROF_YIELD=yes COLLPROF_OUTPUT=raced-$mode COLLPROF_REPORT=no COLLPROF_$mode "$@" >out 2>err
}
for mode in KEEP=yes TRACE=calls TRACE=transport ACK=100 BENCHMARK=barrier BCAST=binomial BCAST=grid; do
    raced $mode ./inject threads || { cat out err; fail "threads, $mode: status"; }
    for said in "$dir"/raced.*; do
        test ! -s "$said" || { head -n 60 "$said"; fail "threads, $mode: a race"; }
    done
done
# A program that promises to take turns and does not: no table is locked then, and that is noticed.
raced KEEP=no ./liar
cat "$dir"/raced.* 2>/dev/null | grep -q 'data race .* in entry_count' || fail "a race that is not noticed"
exit 0
