#!/bin/sh
# Collectives measured pair by pair without a common clock, against the exact one: see
# collective.c. On a medium that all share, who is done early must not send what is for the next
# operation while others still wait.
set -u
test -n "$SMPIRUN" || exit 77
run=$srcdir/tests/sim/run.sh status=0
odd=7 many=8
[ -z "${CHECK_THOROUGH:-}" ] || odd=13 many=16
for case in cluster:4:256 cluster:$odd:256 cluster:8:65536 grid:4:256 grid:$odd:256 grid:8:65536 hub:5:256; do
    ranks=${case#*:}
    echo "${case%%:*}, ${ranks#*:} bytes:"
    "$run" "${case%%:*}" "${ranks%:*}" sim/collective --sizes="${ranks#*:}" \
        reduce gather scatter broadcast allreduce allgather alltoall barrier scan || status=1
done
echo "workstations, 1 KiB:"
"$run" workstations $many sim/collective --sizes=1024 alltoall allgather || status=1
"$run" cluster 5 sim/collective || status=1
exit $status
