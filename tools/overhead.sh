#!/bin/sh
# What the profiling layer costs: overhead.sh MPI MPIEXEC, in the build tree (make bench). Each way of running
# bench/overhead.c is repeated in turn with the one that it is compared with. ROUNDS: runs of each, 15.
# Targets, ns of a call: counted and timed 25 (three calls of the triple: 200), call sites 105, --trace 40 more (60 for
# MPI_Isend by transport); start and end of 4 ranks 30 ms; 2 MiB a rank.
set -u
mpi=$1 mpiexec=$2
build=$PWD
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
unset LD_PRELOAD
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT

# way RANKS LIBRARIES SETTINGS: the command line that runs it so.
way()
{
    launch= yield=
    test "$1" = 1 || launch="$mpiexec -n $1" yield=$build/.libs/libcollprof-transport.so
    echo "$launch env LD_PRELOAD='$2 $yield' COLLPROF_OUTPUT=$dir/profile $3 $build/layers/$mpi/collbench-overhead"
}

# cost TITLE RANKS LIBRARIES SETTINGS OVER-LIBRARIES OVER-SETTINGS
cost()
{
    echo "$mpi: $1, $2 ranks"
    "$build/collprof" repeat -n "${ROUNDS:-15}" -o "$dir/runs" --against="$(way "$2" "$5" "$6")" -- \
        sh -c "$(way "$2" "$3" "$4")" collbench-overhead 2>"$dir/log" || { cat "$dir/log"; exit 1; }
    rm -rf "$dir"/runs*
}

layer=$build/.libs/libcollprof.so
transport="$layer $build/.libs/libcollprof-transport.so"
sites=COLLPROF_STACK=4
cost "counted and timed" 1 "$layer" COLLPROF_STACK=0 "" ""
cost "with call sites" 1 "$layer" $sites "" ""
cost "--trace over call sites" 1 "$layer" COLLPROF_TRACE=calls "$layer" $sites
cost "--trace=transport over --trace" 2 "$transport" "COLLPROF_TRACE=transport COLLPROF_YIELD=yes" "$layer" COLLPROF_TRACE=calls
for mode in $sites COLLPROF_TRACE=calls COLLPROF_ACK=100 "COLLPROF_BENCHMARK=all COLLPROF_BENCHMARK_BUDGET=1" \
    COLLPROF_BCAST=binomial COLLPROF_BCAST=grid; do
    cost "$mode" 2 "$layer" "$mode" "" ""
done
for ranks in 4 64; do
    cost "with call sites" $ranks "$layer" $sites "" ""
done
