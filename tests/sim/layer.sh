#!/bin/sh
# Protects the application's own figures from what is injected: each mode beside the run without; and acknowledged
# broadcasts of more than 2 GiB. What --ack and --bcast measure: drawn.sh.
set -u
test -n "$SMPIRUN" || exit 77
dir=sim/layer.dir

# run RANKS ARGUMENT...
run() {
    rm -rf $dir
    ranks=$1
    shift
    COLLPROF_OUTPUT=$dir COLLPROF_REPORT=no timeout "${CHECK_LIMIT:-400}" \
        "$srcdir/tests/sim/run.sh" cluster "$ranks" sim/layer "$@" >sim/layer.out 2>&1 ||
        { echo "FAIL: $*: status $?"; cat sim/layer.out; exit 1; }
}

run 8 steps 4096
cp $dir/profile.json sim/layer.plain.json
for mode in COLLPROF_ACK=10 COLLPROF_BENCHMARK=direct; do
    (export "${mode?}" && run 8 steps 4096) || exit 1
    ./collprof report --format=csv --table=operations $dir >sim/layer.csv || exit 1
    python3 "$srcdir/tests/sim/apart.py" $mode sim/layer.plain.json $dir/profile.json sim/layer.csv || exit 1
done

[ -n "${CHECK_THOROUGH:-}" ] || exit 0 # copying takes seconds a rank
export COLLPROF_ACK=100 CHECK_LIMIT=1200
run 2 huge
python3 "$srcdir/tests/mpi/profile.py" $dir/profile.json findings ack bytes=2400000000 , rows=1 broadcasts=8 ||
    { echo "FAIL: broadcasts of 2.4 GB are not acknowledged"; exit 1; }
