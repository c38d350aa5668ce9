#!/bin/sh
# Programs of one MPI under the launcher of the other, parts of a run outside the layer, programs
# without MPI: refused or left alone with one line that says why, never hanging or crashing.
. "${srcdir:-.}/tests/mpi/lib.sh"
for mpi in $mpis; do
    "mpicc.$mpi" -g "$source/examples/heat.c" -o "heat.$mpi" -lm 2>log || { cat log; fail "heat.$mpi"; }
done
test -n "$mpis" || skip "no MPI under Debian's names (mpicc.mpich, mpicc.openmpi)"

# says WORD FILE: one line of collprof's has it, and there is no other but the report.
says()
{
    test "$(grep -c "^collprof.*: .*$1" "$2")" = 1 || { cat "$2"; fail "not said once: $1"; }
}

for mpi in $mpis; do
    launcher=mpiexec.$mpi
    run="timeout 60 $launcher"
    # gcc's address sanitizer wants its runtime to be the first of all libraries.
    if "mpicc.$mpi" -g -fsanitize=address "$source/examples/heat.c" -o sanitized -lm 2>log; then
        ASAN_OPTIONS=detect_leaks=0 $run -n 2 $collprof run -o sanitized.out ./sanitized >out 2>&1 ||
            { cat out; fail "a program with the address sanitizer does not run ($mpi)"; }
        test -s sanitized.out/profile.json || fail "a program with the address sanitizer has no profile ($mpi)"
    fi
    # As it should be, also by a script that hides the program.
    printf '#!/bin/sh\nexec "$@"\n' >script
    chmod +x script
    for how in "" ./script; do
        $run -n 2 "$collprof" run --yield --report=no -o "good.$mpi" $how "./heat.$mpi" -s 20 >out 2>err ||
            { cat err; fail "$mpi: status $?"; }
        profile "good.$mpi" ranks 2
        profile "good.$mpi" calls MPI_Isend=160
        profile "good.$mpi" launcher "mpiexec.$mpi"
    done

    # Part of the ranks outside: these would not answer.
    $run -n 2 "$collprof" run --yield -o "part.$mpi" "./heat.$mpi" -s 20 : -n 1 "./heat.$mpi" -s 20 \
        >out 2>err || { cat err; fail "$mpi, part outside: status $?"; }
    says '2 of 3 ranks are recorded here' err
    reported "part.$mpi"
    profile "part.$mpi" ranks 2
    grep -q 'no record of 1 of 3 ranks: 2' "part.$mpi/profile.json" || fail "$mpi: not in the profile"
    $run -n 1 "./heat.$mpi" -s 20 : -n 2 "$collprof" run --yield -o "rest.$mpi" "./heat.$mpi" -s 20 \
        >out 2>err || { cat err; fail "$mpi, first part outside: status $?"; }
    reported "rest.$mpi"
    profile "rest.$mpi" ranks 2
    # Two parts, two directories; and both in one.
    $run -n 1 "$collprof" run --yield -o "a.$mpi" "./heat.$mpi" -s 20 : \
        -n 2 "$collprof" run --yield -o "b.$mpi" "./heat.$mpi" -s 20 >out 2>err ||
        { cat err; fail "$mpi, two directories: status $?"; }
    says '1 of 3 ranks are recorded here' err
    says '2 of 3 ranks are recorded here' err
    reported "a.$mpi"
    reported "b.$mpi"
    profile "a.$mpi" ranks 1
    profile "b.$mpi" ranks 2
    $run -n 1 "$collprof" run --yield -o "both.$mpi" "./heat.$mpi" -s 20 : \
        -n 2 "$collprof" run --yield -o "both.$mpi" "./heat.$mpi" -s 20 >out 2>err ||
        { cat err; fail "$mpi, one directory: status $?"; }
    profile "both.$mpi" ranks 3
    test -z "$(ls | grep '[.]ranks$')" || fail "$mpi: the list of ranks stays"

    # Parts with options of their own: what takes all ranks is not done.
    for option in --ack --benchmark=held --bcast=binomial --start=no; do
        $run -n 1 "$collprof" run --yield --report=no $option -o "own.$mpi" "./heat.$mpi" -s 20 : \
            -n 1 "$collprof" run --yield --report=no -o "own.$mpi" "./heat.$mpi" -s 20 >out 2>err ||
            { cat err; fail "$mpi, $option in one part: status $?"; }
        says "ranks have different options: each records with its own" err
        profile "own.$mpi" ranks 2
        grep -q "ranks have different options:" "own.$mpi/profile.json" || fail "$mpi: $option not in the profile"
        test $option = --start=no || says "nothing is injected" err
    done

    # The other's launcher.
    for other in $mpis; do
        [ $mpi != $other ] || continue
        timeout 60 mpiexec.$other -n 2 "$collprof" run "./heat.$mpi" -s 20 >out 2>err &&
            fail "$mpi under $other: not refused"
        says "use: mpiexec.$mpi -n 2 collprof run ./heat.$mpi" err
        timeout 60 mpiexec.$other -n 2 "$collprof" run --yield -o "wrong.$mpi" ./script "./heat.$mpi" -s 20 \
            >out 2>err || { cat err; fail "$mpi under $other by a script: status $?"; }
        says "has started 2 processes, but this one is alone" err
        test "$(grep -c '^checksum' out)" = 2 || fail "$mpi under $other: no results"
        test -z "$(ls -d "wrong.$mpi"* 2>/dev/null)" || fail "$mpi under $other: recorded"
    done
done

# Two hosts with names of their own and a directory that they do not share: part of the ranks outside.
cat >elsewhere <<'END'
#!/bin/sh
host=$1
shift
exec unshare --uts --mount sh -c 'hostname "$0" && mount -t tmpfs none local && eval "$@"' "$host" "$@"
END
chmod +x elsewhere
mkdir local
hosts=$mpis
unshare --uts --mount true 2>/dev/null || hosts=
for mpi in $hosts; do
    case $mpi in
    mpich) set -- -launcher rsh -launcher-exec "$dir/elsewhere" -hosts left,right -iface lo ;;
    openmpi) set -- --mca plm rsh --mca plm_rsh_agent "$dir/elsewhere" --host left,right --mca btl self,tcp \
        --mca pml ob1 --mca btl_tcp_if_include lo --mca oob_tcp_if_include lo ;;
    esac
    # MPICH's launcher does not say how many programs it starts: on several hosts all need the layer.
    for output in $([ $mpi = mpich ] || echo hosts.$mpi local/hosts.$mpi); do
        timeout 60 mpiexec.$mpi "$@" -n 1 "$collprof" run --yield -o $output ./heat.$mpi -s 20 : \
            -n 1 ./heat.$mpi -s 20 >out 2>err </dev/null || { cat err; fail "$mpi, part on two hosts: status $?"; }
        says '1 of 2 ranks are recorded here' err
        grep -q '^checksum' out || fail "$mpi, part on two hosts: no results"
    done
    [ $mpi = mpich ] || { reported hosts.$mpi && profile hosts.$mpi ranks 1; }
    # Both parts: under Open MPI, each host for itself.
    timeout 60 mpiexec.$mpi "$@" -n 1 "$collprof" run --yield -o local/both ./heat.$mpi -s 20 : \
        -n 1 "$collprof" run --yield -o local/both ./heat.$mpi -s 20 >out 2>err </dev/null ||
        { cat err; fail "$mpi, all on two hosts: status $?"; }
    case $mpi in
    mpich) grep -q 'heat.mpich on 2 ranks' err || { cat err; fail "$mpi, all on two hosts: not together"; } ;;
    openmpi) test "$(grep -c '1 of 2 ranks are recorded here' err)" = 2 || { cat err; fail "$mpi, all on two hosts"; } ;;
    esac
done

# Another name of MPICH's library: upstream's, Intel's and MVAPICH's, of the same binary interface.
case $mpis in *mpich*)
    python3 - "$(ldd heat.mpich | sed -n 's/.*libmpich[^ ]* => \([^ ]*\).*/\1/p')" <<'PY' || fail "no libmpi.so.12"
import sys
data = open(sys.argv[1], "rb").read()
name = b"libmpich.so.12\0"
assert name in data
open("libmpi.so.12", "wb").write(data.replace(name, b"libmpi.so.12\0\0\0"))
PY
    ${CC:-cc} -g $(mpicc.mpich -show | tr ' ' '\n' | grep '^-I') "$source/examples/heat.c" -o heat.abi \
        ./libmpi.so.12 -Wl,-rpath,"$dir" -lm || fail "heat.abi"
    timeout 60 mpiexec.mpich -n 2 "$collprof" run --yield --report=no -o abi ./heat.abi -s 20 >out 2>err ||
        { cat err; fail "libmpi.so.12: status $?"; }
    profile abi ranks 2
    profile abi calls MPI_Isend=160
    ;;
esac

# One that there is no layer for, MPI 5's: refused; where only the process itself shows it, said, and
# its functions are called as ever.
echo 'int PMPI_Init(int *a, char ***b) { return a || b ? 1 : 42; }
int MPI_Init(int *a, char ***b) { return PMPI_Init(a, b); }' >mpi5.c
echo 'int MPI_Init(int *, char ***); int main(void) { return MPI_Init(0, 0); }' >uses.c
cc -shared -fPIC -Wl,-soname,libmpi_abi.so.0 mpi5.c -o libmpi_abi.so.0 &&
    cc uses.c -o uses ./libmpi_abi.so.0 -Wl,-rpath,"$dir" || fail "libmpi_abi.so.0"
"$collprof" run ./uses >out 2>err && fail "MPI 5: not refused"
says 'linked with libmpi_abi.so.0, which this collprof does not support' err
"$collprof" run ./script ./uses >out 2>err
test $? = 42 || { cat err; fail "MPI 5: its function was not called"; }
says 'uses .*libmpi_abi.so.0, which this collprof does not support' err

# Two in one process: what it uses is profiled.
cat >two.c <<END
#include <dlfcn.h>
#include <mpi.h>
int main(int argc, char **argv)
{
    void *other = argc > 2 ? argv[1] : dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL);
    MPI_Init(&argc, &argv);
    if (argc > 2) /* late */
        other = dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return !other;
}
END
library_of() { ldd "heat.$1" | sed -n 's/^[[:space:]]*\(libmpi[^ ]*\) =>.*/\1/p' | head -n 1; }
for mpi in $mpis; do
    for other in $mpis; do
        [ $mpi != $other ] || continue
        mpicc.$mpi two.c -o two.$mpi || fail "two.$mpi"
        timeout 60 mpiexec.$mpi -n 2 "$collprof" run --yield --report=no -o "two-in-$mpi" ./two.$mpi \
            "$(library_of $other)" >out 2>err || { cat err; fail "two MPIs, $mpi: status $?"; }
        profile "two-in-$mpi" ranks 2
        profile "two-in-$mpi" calls MPI_Barrier=2
        # Linked with both: it uses the first.
        mpicc.$mpi two.c -o mixed.$mpi -Wl,--no-as-needed -l:$(library_of $mpi) \
            -l:$(library_of $other) || fail "mixed.$mpi"
        timeout 60 mpiexec.$mpi -n 2 "$collprof" run --yield --report=no -o "both-$mpi" ./mixed.$mpi \
            "$(library_of $other)" >out 2>err || { cat err; fail "linked with both, $mpi"; }
        profile "both-$mpi" ranks 2
    done
done

# Where its layer is missing a program runs as without us. One that is installed would be found.
prefix=$(sed -n 's/^S\["prefix"\]="\(.*\)"$/\1/p' "$built/config.status")
ls "$prefix"/lib/collprof/*/libcollprof-layer.so >/dev/null 2>&1 && missing= || missing=$mpis
mkdir -p part/bin part/lib && cp "$collprof" part/bin/ && cp "$built"/.libs/libcollprof*.so* part/lib/
for mpi in $missing; do
    timeout 60 mpiexec.$mpi -n 2 part/bin/collprof run -o none ./heat.$mpi -s 5 \
        >out 2>err || { cat err; fail "no layer, $mpi: status $?"; }
    grep -q "is neither beside libcollprof.so\|MPI calls" err || { cat err; fail "no layer, $mpi: not said"; }
done

# A tool of the user's own sees the same calls.
cat >tool.c <<END
#include <mpi.h>
#include <stdio.h>
int MPI_Finalize(void) { puts("the tool"); return PMPI_Finalize(); }
END
for mpi in $mpis; do
    mpicc.$mpi -shared -fPIC tool.c -o tool.$mpi.so || fail "tool.$mpi.so"
    LD_PRELOAD=$PWD/tool.$mpi.so "$collprof" run --report=no -o tool "./heat.$mpi" -s 2 >out 2>err || { cat err; fail "tool, $mpi"; }
    test "$(grep -c 'the tool' out)" = 1 || { cat out err; fail "tool, $mpi"; }
done

# What another launcher has left in the environment.
for mpi in $mpis; do
    timeout 60 env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 PMI_SIZE=2 PMI_RANK=0 mpiexec.$mpi -n 2 \
        "$collprof" run --yield -o left.$mpi ./heat.$mpi -s 20 >out 2>err ||
        { cat err; fail "$mpi, variables left: status $?"; }
    profile left.$mpi ranks 2
    grep -q "ranks are recorded here" err && { cat err; fail "$mpi, variables left: believed"; }
done

# srun without PMI, as its environment says.
SLURM_PROCID=0 SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=2 "$collprof" run "./heat.${mpis##* }" >out 2>err &&
    fail "srun: not refused"
says 'would run alone or stop in MPI_Init: use: srun --mpi=pm' err

# Flux offers PMI; without it each rank would be alone.
FLUX_TASK_RANK=0 FLUX_JOB_SIZE=2 "$collprof" run "./heat.${mpis##* }" >out 2>err && fail "flux: not refused"
says 'but flux starts it: each of the 2 ranks would run alone' err
FLUX_TASK_RANK=0 FLUX_JOB_SIZE=1 "$collprof" run --report=no -o flux "./heat.${mpis##* }" -s 20 >out 2>err ||
    { cat err; fail "flux, 1 rank: status $?"; }
profile flux ranks 1

# The benchmarks are there for each MPI, by the same names: the launcher decides.
for mpi in $mpis; do
    test $mpi = mpich && title=MPICH || title='Open MPI'
    timeout 60 mpiexec.$mpi -n 2 "$built/bench/collbench-collective" --yield --sizes=64 \
        --operation=barrier --repetitions=5 >out 2>err || { cat err; fail "bench, $mpi: status $?"; }
    grep -q "^# *MPI.*$title" out || { cat out; fail "bench: not of $mpi"; }
    test "$(grep -c '^# program' out)" = 1 || fail "bench, $mpi: each rank runs alone"
done

"$collprof" run true >out 2>err || fail "true: status $?"
says 'true itself used no MPI' err
"$collprof" run --yield --report=no -o child timeout 60 "./heat.${mpis##* }" -s 20 >out 2>err || { cat err; fail "timeout: status $?"; }
profile child ranks 1
grep -q 'nothing was recorded' err && fail "a child that is recorded"
"$collprof" run sh -c 'ls; true' >out 2>err || fail "sh: status $?"
grep -q 'used no MPI' err && fail "a shell's own use of MPI is of no interest"
exit 0
