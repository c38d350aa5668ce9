#!/bin/bash
# By hand, as root, with debootstrap: all of collprof built for aarch64 in a fresh amd64 system by the cross
# compiler, and a program of two ranks profiled under emulation. 10 minutes.
#     tests/outside/cross.sh DIRECTORY
# What was said is in DIRECTORY/cross.log. See fresh.sh.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tests/outside/fresh.sh"

# libmpich-dev for another processor wants its compiler, too: it is only unpacked. The launcher is the native one.
inside()
{
    local arm=/opt/mpich-arm
    dpkg --add-architecture arm64
    fresh_install gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc libc6-dev make autoconf automake libtool \
        pkg-config qemu-user-static file mpich libmpich12:arm64 libunwind-dev:arm64 libdw-dev:arm64 \
        libhwloc-dev:arm64 libjansson-dev:arm64
    cd /opt
    apt-get download libmpich-dev:arm64
    dpkg -x libmpich-dev_*_arm64.deb $arm
    mkdir $arm/bin
    cat >$arm/bin/mpicc <<END
#!/bin/sh
flags="-I$arm/usr/include/aarch64-linux-gnu/mpich -l:libmpich.so.12"
case \$1 in -show) echo aarch64-linux-gnu-gcc \$flags ;; *) exec aarch64-linux-gnu-gcc "\$@" \$flags ;; esac
END
    chmod +x $arm/bin/mpicc
    mkdir "$top/build"
    cd "$top"
    autoreconf -i
    cd build
    PKG_CONFIG_LIBDIR=/usr/lib/aarch64-linux-gnu/pkgconfig ../configure --host=aarch64-linux-gnu --with-mpi=$arm
    make
    file -L collprof .libs/libcollprof.so layers/*/libcollprof-layer.so layers/*/collbench-bcast
    $arm/bin/mpicc -g ../examples/heat.c -o heat -lm
    timeout 300 mpiexec.mpich -n 2 qemu-aarch64-static -E "LD_PRELOAD=$PWD/.libs/libcollprof.so:$PWD/.libs/libcollprof-yield.so" \
        ./heat -s 10
}

case ${1:-} in
--inside) inside; exit ;;
'') echo "usage: $0 DIRECTORY" >&2; exit 2 ;;
esac
fresh_prepare "$1"
fresh_run /collprof/tests/outside/cross.sh --inside >cross.log 2>&1 || { tail -n 30 cross.log; exit 1; }
[ "$(grep -c 'ELF 64-bit.*ARM aarch64' cross.log)" = 4 ] || { grep ELF cross.log; exit 1; }
grep -E '^collprof: heat on 2 ranks|^  MPI  |^  clock|Isend  .*heat.c:182 post_rows' cross.log
rm -rf root
