#!/bin/sh
# The unit tests, and applications under the layer in every mode, with the sanitizers of addresses and of
# undefined behaviour, in a build of its own. What they say goes to files: no status hides it. MPI's
# own leaks are not looked for; those of our readers are, by the fuzzers.
. "${srcdir:-.}/tests/mpi/lib.sh"
test "${CHECK_THOROUGH:-}" = 1 || skip "only with ./check --thorough"
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
export ASAN_OPTIONS="log_path=$dir/said:detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_abort=0"
export UBSAN_OPTIONS="log_path=$dir/said:print_stacktrace=1"
silent()
{
    for said in out err; do
        ! grep -a -B2 -A20 'runtime error:\|ERROR: AddressSanitizer' $said || fail "$*"
    done
    for said in "$dir"/said.*; do
        test ! -s "$said" || { head -n 40 "$said"; fail "$*"; }
    done
}

for unit in $(make -s -C "$tree" list-unit-programs); do
    (cd "$source" && top_builddir=$tree srcdir=. timeout 300 "$tree/$unit" >"$dir/out" 2>&1) ||
        { grep -a 'FAIL\|CRASH\|----' out | head -n 20; silent "$unit"; fail "$unit"; }
done
silent "unit tests"

# under STATUS NAME [VARIABLE=VALUE...] PROGRAM...: on $ranks with the layer.
ranks=2
under()
{
    want=$1 output=$2
    shift 2
    timeout 120 $MPIEXEC -n $ranks env LD_PRELOAD="$runtime$tree/.libs/libcollprof.so $yielding" \
        COLLPROF_OUTPUT="$output" COLLPROF_KEEP_RUNS=0 COLLPROF_ACK_SHARE=100000000 "$@" >out 2>err
    status=$?
    silent "$output: $*"
    case $want:$status in
    any:* | 0:0) ;;
    *) tail -n 20 err; fail "$output: status $status" ;;
    esac
    for show in "report --explain" "report --csv" "report --html" export list; do
        "$tree/collprof" $show "$output" >out 2>&1
        silent "$output: $show"
    done
}

programs=$built/tests/mpi
for mode in REPORT=yes KEEP=yes TRACE=calls TRACE=transport ACK=all BENCHMARK=barrier BCAST=binomial BCAST=grid; do
    under 0 heat-$mode COLLPROF_$mode "$built/examples/heat" -s 5
    ranks=4
    under 0 messages-$mode COLLPROF_$mode "$programs/messages"
    ranks=2
    under any inject-$mode COLLPROF_$mode "$programs/inject"
done
"$tree/collprof" compare heat-KEEP=yes -- heat-ACK=all >out 2>&1
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
exit 0
