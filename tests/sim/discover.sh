#!/bin/sh
# The broadcast's path found from outside, against known ones: see discover.c. Short messages are
# sent without waiting for the receiver; from 64 KiB on a sender waits (rendezvous), which shows as
# back-pressure. 13 ranks: no power of two.
set -u
test -n "$SMPIRUN" || exit 77
run=$srcdir/tests/sim/run.sh
for platform in cluster grid; do
    for ranks in 4 13; do
        "$run" $platform $ranks sim/discover --sizes=256 \
            binomial=tree linear=tree backward=tree flat=tree chain=tree native=tree || exit 1
        "$run" $platform $ranks sim/discover --sizes=65536 \
            binomial=back-pressure linear=back-pressure backward=back-pressure \
            flat=back-pressure chain=pipelined || exit 1
    done
done
# NTSL from another root goes 6 -> 0 -> 1 .. 5 -> 6 -> 7: through the root again, which is no tree.
for case in flattree:256:tree NTSL:262144:pipelined/other scatter_LR_allgather:262144:all-to-all \
    scatter_rdb_allgather:262144:all-to-all; do
    echo "the simulator's own $case:"
    rest=${case#*:}
    SMPI_OPTIONS=--cfg=smpi/bcast:${case%%:*} \
        "$run" cluster 8 sim/discover --sizes="${rest%:*}" "native=${rest#*:}" || exit 1
done
