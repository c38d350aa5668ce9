#!/bin/sh
# usage: tests/sim/run.sh PLATFORM RANKS PROGRAM [ARGUMENT]...
#
# Runs a program of sim/ on simulated RANKS, one to a node. PLATFORM is the name of a file in
# tests/sim/platforms, or a path. On "grid" the first half of the ranks is on site a, the other
# on b. SMPI_OPTIONS adds to the simulator's options, as in --cfg=smpi/bcast:binomial_tree.
# On sites2 and sites8 ranks are placed in blocks, or as SIM_PLACING=scattered says (place.awk);
# on slowhost rank N/2 is the slow one. SIM_WAYS=4 puts four ranks on a host, elsewhere.
#
# By "options", one set for all tests, the simulated clock moves only in communication and in holds:
# computation is free, and looking at the clock or probing costs next to nothing (not 0: a spin would
# never end). Messages below 64 KiB are eager, as real MPIs send them: they are on their way before
# anybody receives.
set -eu
if [ $# -lt 3 ]; then
    sed -n '2,3s/^# *//p' "$0" >&2
    exit 2
fi
platform=$1 ranks=$2
shift 2
here=$(dirname "$0")
name=$(basename "$platform" .xml)
hosts=$(mktemp)
trap 'rm -f "$hosts" "$hosts.xml"' EXIT
trap 'exit 1' HUP INT TERM
if [ "$name" = sites8 ]; then
    platform=$hosts.xml
    awk -f "$here/platforms/sites8.awk" >"$platform"
fi
if [ "$name" = figure4 ]; then
    platform=$hosts.xml
    sed 's/latency="750us"/latency="1500us"/' "$here/platforms/workstations.xml" >"$platform"
fi
[ -f "$platform" ] || platform=$here/platforms/$platform.xml
[ -f "$platform" ] || { echo "run.sh: no platform $platform: cluster, grid or a path" >&2; exit 2; }

case $name in
sites2 | sites8 | slowhost | workstations | figure4)
    awk -v ranks="$ranks" -v platform="$name" \
        -v placing="${SIM_PLACING:-blocks}" -f "$here/place.awk" >"$hosts"
    ;;
*)
    awk -v ranks="$ranks" -v ways="${SIM_WAYS:-1}" -v two_sites="$(grep -c 'id="wide"' "$platform" || :)" 'BEGIN {
        half = two_sites ? int((ranks + 1) / 2) : 0
        for (i = 0; i < ranks; i++) {
            if (!two_sites) print "node-" int(i / ways)
            else if (i < half) print "a-" int(i / ways)
            else print "b-" int((i - half) / ways)
        }
    }' >"$hosts"
    ;;
esac

# shellcheck disable=SC2086 # several options in one variable
timeout --verbose -k 10 "${CHECK_LIMIT:-600}" "${SMPIRUN:-smpirun}" -quiet -np "$ranks" -hostfile "$hosts" -platform "$platform" \
    --log=root.thresh:error $(cat "$here/options") ${SMPI_OPTIONS:-} "$@"
