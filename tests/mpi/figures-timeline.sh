#!/bin/sh
# usage: figures-timeline.sh DIRECTORY
#
# The situations of Denis and Trahay's figures 5 to 10 as timelines of what MPI and the transport
# below it did: examples/overlap, bound, on this machine. Of each run a few repetitions are
# shown (excerpt.py); figure-NN.txt beside a picture has the commands and what the report says of it.
set -eu
out=$1
source=$(cd "$(dirname "$0")" && pwd)
built=$PWD
mkdir -p "$out"
cd "$out"
pkg-config --exists "ucx >= 1.13" || { echo "make figures: no libucx-dev: nothing of UCX is seen" >&2; exit 1; }
# Open MPI does not take UCX by itself where there is no fast network.
export OMPI_MCA_pml=ucx OMPI_MCA_pml_ucx_tls=any OMPI_MCA_pml_ucx_devices=any
bound="--bind-to core"

# figure NN "VARIABLE=VALUE..." SITUATION BYTES MICROSECONDS TIMES SPAN: the run, and the picture of
# SPAN repetitions. THREAD: such in which this one has copied something, if there are such.
figure()
{
    name=figure-$1 settings=$2 what="$3 $4 $5 $6" span=$7
    echo "  $name"
    rm -rf "$name"
    # MPICH over UCX may, rarely, not return from MPI_Finalize.
    env $settings timeout 40 $MPIEXEC -n 2 $bound "$built/collprof" run --trace=transport ${YIELD:-} --report=no \
        -o "$name" "$built/examples/overlap" $what </dev/null || {
        echo "  no $name: the run ended with status $?"
        return 0
    }
    "$built/collprof" report --format=perfetto -o "$name.json" "$name" >/dev/null
    excerpt=$(python3 "$source/excerpt.py" "$name.json" "$span" "${THREAD:-1}")
    "$built/collprof" report --format=html $excerpt -o "$name.html" "$name" >/dev/null
    {
        echo "${settings:+$settings }${LAUNCHER:-mpiexec} -n 2${bound:+ $bound} collprof run --trace=transport${YIELD:+ $YIELD} -o $name overlap $what"
        echo "collprof report --format=html $excerpt -o $name.html $name"
        "$built/collprof" report --explain "$name" 2>&1
    } >"$name.txt"
    [ -n "${KEEP:-}" ] || rm -rf "$name"
}

figure 05 UCX_RNDV_SCHEME=get_zcopy sender 500000 200 100 2
figure 06 UCX_RNDV_SCHEME=put_zcopy sender 500000 200 100 2
figure 07 UCX_RNDV_SCHEME=get_zcopy receiver 500000 200 100 2
# A thread of MPI's own, which Open MPI does not have, and needs a processor of its own.
case ${LAUNCHER:-$MPIEXEC} in
*openmpi* | *ompi*) echo "  no figure-08: Open MPI has no thread of its own that sends" ;;
*) bound= THREAD=2 YIELD=--yield figure 08 "MPIR_CVAR_ASYNC_PROGRESS=1 UCX_RNDV_SCHEME=get_zcopy" both 500000 200 100 1 ;;
esac
figure 09 UCX_RNDV_SCHEME=get_zcopy vector 500000 200 100 2
figure 10 "" sender 8192 20 1000 4
