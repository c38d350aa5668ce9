#!/bin/sh
# The broadcast methods against the exact clock, on a flat cluster and on two sites: see methods.c. A send costs the
# sender 2 us and 0.2 ns a byte, a receive 1 us and 0.1 ns, so that short messages have gaps and overheads too.
set -u
test -n "$SMPIRUN" || exit 77
run=$srcdir/tests/sim/run.sh
SMPI_OPTIONS="--cfg=smpi/async-small-thresh:0 --cfg=smpi/os:0:2e-6:2e-10 --cfg=smpi/or:0:1e-6:1e-10"
export SMPI_OPTIONS

# RANKS PLATFORM BYTES ALGORITHM...
methods()
{
    ranks=$1 platform=$2 bytes=$3
    shift 3
    echo "$platform:"
    "$run" "$platform" "$ranks" sim/methods --sizes="$bytes" "$@" || exit 1
}

methods 4 askew 256 linear flat binomial # where a way back is no half of a round trip
for platform in cluster grid; do
    # Flat has no violation at 256 bytes: its gap is below a round trip.
    methods 16 $platform 256 linear backward binomial chain native
    methods 8 $platform 65536 linear backward binomial flat chain native
done
# The simulator's own that are no plain tree: pipelined, and scatter with allgather.
for own in NTSL scatter_LR_allgather; do
    echo "smpi/bcast:$own"
    SMPI_OPTIONS="$SMPI_OPTIONS --cfg=smpi/bcast:$own" methods 16 grid 65536 native
done
