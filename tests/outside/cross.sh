#!/bin/bash
# By hand, as root, with debootstrap: all of collprof built for aarch64 in a fresh amd64 system by the cross
# compiler, and a program of two ranks profiled under emulation. 10 minutes.
#     tests/outside/cross.sh DIRECTORY
# What was said is in DIRECTORY/cross.log. Needs debootstrap.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)

# fresh_prepare DIRECTORY: makes it, goes there, and has the system that root/ is a copy of. MIRROR: where packages come
# from; they are kept in DIRECTORY/packages.
fresh_prepare()
{
    mkdir -p "$1/packages/partial"
    cd "$1"
    [ -e base/etc/debian_version ] ||
        debootstrap --variant=minbase bookworm base "${MIRROR:-http://deb.debian.org/debian}" >base.log
}

# fresh_run COMMAND...: within a new one in root/, where the tree at $top is /collprof. Its own mounts
# and processes end with it.
fresh_run()
{
    rm -rf root
    cp -a base root
    mkdir root/collprof
    git -C "$top" ls-files -z | tar -C "$top" --null -T - -c | tar -x -C root/collprof
    cp /etc/resolv.conf root/etc/
    unshare --mount --pid --fork bash -ec '
        mount --bind packages root/var/cache/apt/archives
        mount -t proc proc root/proc
        mount --rbind /sys root/sys
        mount --bind /dev root/dev
        mount -t tmpfs shm root/dev/shm
        mount -t tmpfs tmp root/tmp
        cd root
        exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive \
            OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
            chroot . timeout -k 10 3000 "$@"' fresh_run "$@" </dev/null
}

# Within it.
fresh_install()
{
    apt-get update
    apt-get install -y --no-install-recommends "$@"
}

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
    timeout 300 mpiexec.mpich -n 2 qemu-aarch64-static -E "LD_PRELOAD=$PWD/.libs/libcollprof.so:$PWD/.libs/libcollprof-transport.so" \
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
