#!/bin/sh
# g_j and o_i against what the simulated machine has: see logp.c. Short messages travel before the
# receiver asks for them (async-small-thresh), as they do on real machines: otherwise what a task
# that comes late spends in the call would still be their way.
set -u
test -n "$SMPIRUN" || exit 77
SMPI_OPTIONS="--cfg=smpi/os:0:2e-6:0 --cfg=smpi/or:0:1e-6:0"
export SMPI_OPTIONS
exec "$srcdir/tests/sim/run.sh" cluster 8 sim/logp 2e-6 1e-6
