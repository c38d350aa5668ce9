# Fresh Debian systems, one at a time, for the scripts here that are by hand. Sourced, as root; needs
# debootstrap. MIRROR: where packages come from; they are kept in DIRECTORY/packages.

# fresh_prepare DIRECTORY: makes it, goes there, and has the system that the others are copies of.
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
