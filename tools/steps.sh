# The steps that ./quickstart and ./check share: packages, build, installation. Sourced by bash,
# from the top of the tree, with $me set to the script's name. Each step says what it does in a
# line, keeps the rest in build/log/, and stops the script with the reason if it fails.
#
# PREFIX  where to install; build/install if not set
# JOBS    compilers at a time; one per processor if not set

PREFIX=${PREFIX:-$PWD/build/install}
JOBS=${JOBS:-$(nproc)}
logs=build/log
mkdir -p "$logs"

say()
{
    printf '%s: %s\n' "$me" "$*"
}

stop()
{
    printf '%s: %s\n' "$me" "$*" >&2
    exit 1
}

# step LOG WHAT COMMAND...: runs the command; if it fails shows the end of what it said.
step()
{
    local log=$logs/$1.log what=$2
    shift 2
    say "$what"
    "$@" >"$log" 2>&1 && return
    tail -n 30 "$log" >&2
    stop "failed: $what: the lines above are the end of $log"
}

# package:test, where a test is a command, pc=MODULE of pkg-config, or the path of a file. The
# test decides, not the package manager, so that what is there by other ways is good enough.
packages_to_build=(
    gcc:gcc libc6-dev:/usr/include/stdio.h make:make autoconf:autoreconf automake:automake
    libtool:libtoolize pkg-config:pkg-config
    libunwind-dev:pc=libunwind libdw-dev:pc=libdw libjansson-dev:pc=jansson
    libhwloc-dev:pc=hwloc libjs-chart.js:/usr/share/javascript/chart.js/chart.min.js
)
# Any MPI will do, and there is a layer for each that is found; where there is none, MPICH.
packages_of_mpi=(mpich:mpiexec.mpich libmpich-dev:mpicc.mpich)
for mpicc in mpicc.mpich mpicc.openmpi mpicc; do
    ! command -v $mpicc >/dev/null || packages_of_mpi=()
done
packages_to_build+=("${packages_of_mpi[@]}")
packages_to_test=(
    mpich:mpiexec.mpich libmpich-dev:mpicc.mpich openmpi-bin:mpiexec.openmpi libopenmpi-dev:mpicc.openmpi
    python3-mpi4py:/usr/lib/python3/dist-packages/mpi4py
    libcriterion-dev:pc=criterion libsimgrid-dev:smpicc gfortran:gfortran g++:g++ python3:python3
    python3-dev:/usr/bin/python3-config
    python3-jsonschema:/usr/lib/python3/dist-packages/jsonschema python3-pandas:/usr/lib/python3/dist-packages/pandas
    chromium:chromium clang-format:clang-format graphviz:dot util-linux:unshare groff-base:groff
    libotf2-trace-dev:pc=otf2 otf2-tools:otf2-print libucx-dev:pc=ucx
    clang:clang libclang-rt-dev:/usr/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a
    slurmctld:slurmctld slurmd:slurmd slurm-client:srun iproute2:ip
    netpipe-mpich2:NPmpich2 netpipe-openmpi:NPopenmpi
    lammps:lmp hpcc:hpcc scalapack-mpi-test:/usr/lib/*/scalapack/mpich-tests
)

is_there()
{
    case $1 in
    pc=*) pkg-config --exists "${1#pc=}" 2>/dev/null ;;
    /*) compgen -G "$1" >/dev/null ;;
    *) command -v "$1" >/dev/null ;;
    esac
}

# Sets $missing to the names of those packages that are not there.
find_missing()
{
    local entry
    missing=()
    for entry; do
        is_there "${entry#*:}" || missing+=("${entry%%:*}")
    done
}

install_packages()
{
    export DEBIAN_FRONTEND=noninteractive
    apt-get update && apt-get install -y --no-install-recommends "$@"
}

# packages ENTRY...: has them installed, or names them. Sets $missing to what is still missing.
packages()
{
    find_missing "$@"
    if [ ${#missing[@]} -eq 0 ]; then
        say "packages: all $# are there"
    elif [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
        say "packages: missing ${missing[*]} (not installed: that needs root and apt)"
    else
        step packages "packages: installing ${missing[*]}" install_packages "${missing[@]}"
        find_missing "$@"
    fi
}

need_packages()
{
    packages "$@"
    [ ${#missing[@]} -eq 0 ] || stop "cannot go on without ${missing[*]}"
}

configure_it() (
    cd build
    ../configure --prefix="$PREFIX"
)

# Configures anew if there is another prefix, or other packages than last time.
configure_if_needed()
{
    local entry state="PREFIX=$PREFIX"
    for entry in "${packages_to_build[@]}" "${packages_to_test[@]}"; do
        is_there "${entry#*:}" && state+=" $entry"
    done
    [ -x configure ] || step autoreconf "making configure" autoreconf -i
    [ -f build/Makefile ] && [ "$(cat build/.configured 2>/dev/null)" = "$state" ] && return
    step configure "configuring in build/" configure_it
    printf '%s\n' "$state" >build/.configured
}

build()
{
    configure_if_needed
    step make "building in build/" make -C build -j"$JOBS"
}

install_it()
{
    step install "installing to $PREFIX" make -C build install
}

# The value of a variable in the Makefile that configure has made.
made_with()
{
    sed -n "s/^$1 = //p" build/Makefile
}
