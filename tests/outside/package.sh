#!/bin/bash
# By hand, as root, with debootstrap: Debian's packages, made in a fresh system by dpkg-buildpackage and looked
# at by lintian; in another one installed, used with each MPI, and removed without a trace. 10 minutes.
#     tests/outside/package.sh DIRECTORY
# What was said is in DIRECTORY/make.log and use.log, the packages in DIRECTORY/packages/collprof. See fresh.sh.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tests/outside/fresh.sh"
made=/var/cache/apt/archives/collprof

fail()
{
    echo "FAIL: $*"
    exit 1
}

make_them()
{
    cd "$top"
    ln -s packaging/debian debian
    fresh_install build-essential lintian
    apt-get build-dep -y --no-install-recommends ./
    dpkg-buildpackage -us -uc -b
    lintian --fail-on error ../collprof_*.changes
    mkdir -p $made
    cp ../*.deb $made
}

# used MPI TITLE: a program of that MPI, profiled; one with the library in it, shared and static; a benchmark.
used()
{
    local run="timeout 100 mpiexec.$1 -n 2"
    "mpicc.$1" -g "$top/examples/heat.c" -o "heat.$1" -lm
    $run collprof run --yield -o "$1.profile" "./heat.$1" -s 20 >"$1.log" 2>&1 || fail "$1: $(cat "$1.log")"
    grep -q "^  MPI  *$2" "$1.log" && grep -q "Isend .* heat.c:182 post_rows" "$1.log" || fail "$1: $(cat "$1.log")"
    for how in collprof "--define-variable=mpi=$1 collprof-static"; do
        "mpicc.$1" "$top/tests/mpi/linked.c" -o linked $(pkg-config --cflags --libs $how)
        [ "$(COLLPROF_OUTPUT=linked.profile COLLPROF_REPORT=no $run ./linked)" = "with collprof" ] ||
            fail "$1: linked by $how"
        collprof report --format=json linked.profile | grep -q '"residual"' || fail "$1: no region by $how"
        rm -r linked linked.profile
    done
    $run collbench-collective --yield --operation=barrier --sizes=8 --repetitions=5 >bench.log 2>&1 ||
        fail "$1: $(cat bench.log)"
    grep -q "^# *MPI.*$2" bench.log || fail "$1: another MPI's benchmark: $(cat bench.log)"
}

use_them()
{
    cd /tmp
    fresh_install mpich libmpich-dev openmpi-bin libopenmpi-dev gcc libc6-dev pkg-config
    # The layer of one MPI alone.
    fresh_install $made/collprof_*.deb $made/collprof-openmpi_*.deb
    mpicc.mpich "$top/examples/heat.c" -o heat -lm
    mpiexec.mpich -n 2 collprof run --yield ./heat -s 20 >one.log 2>&1 || fail "one layer: $(cat one.log)"
    [ "$(grep -c 'mpich/libcollprof-layer.so is not there' one.log)" = 1 ] || fail "one layer: $(cat one.log)"
    fresh_install $made/collprof-mpich_*.deb $made/libcollprof-dev_*.deb
    used mpich MPICH
    used openmpi "Open MPI"
    apt-get purge -y collprof collprof-mpich collprof-openmpi libcollprof-dev
    find / -xdev -name '*collprof*' ! -path "$top*" ! -path '/tmp/*' ! -path '/var/cache/*' >left
    [ ! -s left ] || fail "left behind: $(cat left)"
    ! ldconfig -p | grep collprof || fail "left behind, for the loader"
}

case ${1:-} in
--make | --use) "${1#--}_them"; exit ;;
'') echo "usage: $0 DIRECTORY" >&2; exit 2 ;;
esac
fresh_prepare "$1"
rm -rf packages/collprof
for step in make use; do
    fresh_run /collprof/tests/outside/package.sh --$step >$step.log 2>&1 ||
        { tail -n 30 $step.log; fail "$step: the lines above are the end of $step.log"; }
done
rm -rf root
grep -c '^W: ' make.log | sed 's/$/ warnings and no error of lintian/'
ls packages/collprof
echo "made, installed, used with MPICH and Open MPI, removed"
