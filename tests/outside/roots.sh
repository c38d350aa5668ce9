#!/bin/bash
# By hand, as root, with debootstrap: ./quickstart on fresh Debian systems that have no MPI, MPICH alone,
# Open MPI alone, and both. About 5 minutes each.
#     tests/outside/roots.sh DIRECTORY [none|mpich|openmpi|both]...
# What each said is in DIRECTORY/NAME.log; a line for each tells how it ended. MIRROR: where the packages
# come from.
set -eu
[ $# -ge 1 ] || { echo "usage: $0 DIRECTORY [none|mpich|openmpi|both]..." >&2; exit 2; }
top=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
cd "$1"
shift
[ $# -ge 1 ] || set -- none mpich openmpi both
mirror=${MIRROR:-http://deb.debian.org/debian}

[ -e base/etc/debian_version ] || debootstrap --variant=minbase bookworm base "$mirror" >base.log

# What ./quickstart itself would install in the end is not put there before: that is what is tried.
packages_of()
{
    case $1 in
    none) ;;
    mpich) echo mpich libmpich-dev ;;
    openmpi) echo openmpi-bin libopenmpi-dev ;;
    both) packages_of mpich; packages_of openmpi ;;
    *) echo "no such system: $1" >&2; exit 2 ;;
    esac
}

try()
{
    local root=$PWD/root packages
    packages=$(packages_of "$1")
    rm -rf "$root"
    cp -a base "$root"
    mkdir "$root/collprof"
    git -C "$top" archive HEAD | tar -x -C "$root/collprof"
    cp /etc/resolv.conf "$root/etc/"
    # Its own mounts and processes, which end with it.
    unshare --mount --pid --fork --mount-proc="$root/proc" chroot "$root" \
        timeout 1800 bash -ec "export DEBIAN_FRONTEND=noninteractive HOME=/root
            apt-get update
            [ -z '${packages//$'\n'/ }' ] || apt-get install -y --no-install-recommends ${packages//$'\n'/ }
            cd /collprof && ./quickstart"
}

bad=0
for system; do
    if try "$system" >"$system.log" 2>&1 && grep -q 'Time in MPI, by call site' "$system.log"; then
        echo "$system: $(sed -n 's/^ *MPI  *//p' "$system.log" | head -n 1): profiled"
    else
        echo "$system: failed: the end of $system.log:"
        tail -n 15 "$system.log"
        bad=1
    fi
done
rm -rf root
exit $bad
