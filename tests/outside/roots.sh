#!/bin/bash
# By hand, as root, with debootstrap: collprof on fresh Debian systems that have no MPI, MPICH alone,
# Open MPI alone, both, and MPICH where Open MPI comes later and takes over mpicc and mpiexec.
#     tests/outside/roots.sh DIRECTORY [none|mpich|openmpi|both|later]...
# In each: ./quickstart, what the README says to type, and the tests of launchers and languages. Prints a
# line for each system, then each one's matrix (tests/outside/matrix.sh). About 10 minutes and 2 GiB each, one
# at a time; what each said is in DIRECTORY/NAME.log. See fresh.sh.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tests/outside/fresh.sh"
systems="none mpich openmpi both later"
tests="tests/mpi/launchers.sh tests/mpi/fortran.sh tests/mpi/python.sh tests/outside/matrix.sh"
mpich="mpich libmpich-dev" openmpi="openmpi-bin libopenmpi-dev"
# mpi4py is Open MPI's in Debian, and brings it along.
languages="gfortran python3 python3-dev slurmctld slurmd slurm-client gawk"
layout='%-9s %-12s %-22s %-10s %-10s %-10s %-10s\n'

# --- within a system ---

# told WORD...: what the table has of it; the rest of what is printed goes to the log.
told()
{
    echo "$@" >>/told
}

# What the README says: the compiler and the launcher by their plain names. Prints whose MPI that was.
as_in_readme()
{
    mpicc -g examples/heat.c -o app -lm &&
        timeout 100 mpiexec -n 4 build/install/bin/collprof run --yield -o app.profile ./app -s 20 >app.log 2>&1 &&
        [ "$(grep -c '^collprof: app on 4 ranks' app.log)" = 1 ] &&
        sed -n 's/^ *MPI  *\(MPICH\|Open MPI\) .*/\1/p' app.log
}

# As a user has it after ./check, whose packages bring the other MPI.
second_mpi_comes()
{
    cp build/examples/heat old
    fresh_install $openmpi
    # The program that was there, under what mpiexec is now: refused, the right launcher named.
    ! mpiexec -n 4 build/install/bin/collprof run ./old -s 20 >app.log 2>&1 || { cat app.log; return 1; }
    grep 'use: mpiexec.mpich -n 4' app.log || { cat app.log; return 1; }
    # One that is made now, which there is no layer for.
    mpicc -g examples/heat.c -o new -lm
    ! mpiexec -n 4 build/install/bin/collprof run ./new -s 20 >app.log 2>&1 || { cat app.log; return 1; }
    grep 'linked with libmpi.so.40, for which this collprof has no layer' app.log || { cat app.log; return 1; }
    ./quickstart
}

inside()
{
    local system=$1 test result
    cd "$top"
    case $system in
    mpich | later) fresh_install $mpich ;;
    openmpi) fresh_install $openmpi ;;
    both) fresh_install $mpich $openmpi ;;
    none) apt-get update ;;
    esac
    env -u OMPI_ALLOW_RUN_AS_ROOT -u OMPI_MCA_rmaps_base_oversubscribe ./quickstart 2>&1 | tee quickstart.log
    grep -q 'Time in MPI, by call site' quickstart.log && told profiled || told failed
    if [ "$system" = later ]; then
        second_mpi_comes || { told "not refused"; return 1; }
    fi
    told "$(as_in_readme || echo failed)"
    cat app.log

    case $system in
    none | mpich) fresh_install $languages ;;
    *) fresh_install $languages python3-mpi4py ;;
    esac
    for test in $tests; do
        # Criterion and SimGrid are not there: their programs are not made.
        CHECK_THOROUGH=1 make -C build check check_PROGRAMS= TESTS="$test" >make.log 2>&1 || tail -n 20 make.log
        cat "build/$test.log"
        result=$(sed -n 's/^:test-result: //p' "build/${test%.sh}.trs" "build/$test.trs" 2>/dev/null | head -n 1)
        told "${result:-not run}"
    done
}

if [ "${1:-}" = --inside ]; then
    inside "$2"
    exit
fi

# --- outside of them ---

[ $# -ge 1 ] || { echo "usage: $0 DIRECTORY [${systems// /|}]..." >&2; exit 2; }
directory=$1
shift
[ $# -ge 1 ] || set -- $systems
for system; do
    case " $systems " in *" $system "*) ;; *) echo "no such system: $system: ${systems// /, } are" >&2; exit 2 ;; esac
done
fresh_prepare "$directory"

bad=0
printf "$layout" system quickstart "README's command" launchers fortran python matrix
for system; do
    fresh_run /collprof/tests/outside/roots.sh --inside "$system" >"$system.log" 2>&1 || bad=1
    mapfile -t told <root/told || bad=1
    printf "$layout" "$system" "${told[@]}"
    case "${told[*]}" in *fail* | *FAIL* | *"not run"* | *"not refused"* | *SKIP*) bad=1 ;; esac
    [ ${#told[@]} = 6 ] || bad=1
    cp root/collprof/build/tests/outside/matrix.sh.log "$system.matrix" 2>/dev/null || : >"$system.matrix"
done
for system; do
    printf '\n%s:\n' "$system"
    cat "$system.matrix"
done
rm -rf root
exit $bad
