#!/bin/sh
# Protects acknowledged broadcasts of more than 2 GiB.
set -u
test -n "$SMPIRUN" || exit 77
[ -n "${CHECK_THOROUGH:-}" ] || { echo "only with ./check --thorough: copying takes seconds a rank"; exit 77; }
dir=sim/layer.dir
rm -rf $dir
COLLPROF_ACK=100 COLLPROF_OUTPUT=$dir COLLPROF_REPORT=no timeout 1200 "$srcdir/tests/sim/run.sh" cluster 2 sim/layer huge >sim/layer.out 2>&1 ||
    { echo "FAIL: status $?"; cat sim/layer.out; exit 1; }
python3 "$srcdir/tests/mpi/profile.py" $dir/profile.json findings ack bytes=2400000000 , rows=1 broadcasts=8 ||
    { echo "FAIL: broadcasts of 2.4 GB are not acknowledged"; exit 1; }
