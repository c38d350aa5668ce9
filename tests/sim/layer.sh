#!/bin/sh
# Protects what --ack says of broadcasts inside an application, against the simulator's exact clock:
# the same broadcasts in an application where nobody are late are the truth. Whoever is late, and
# whoever waits for it in a tree, must be told apart from slow broadcasts: a latency is right within
# 1 % or it is said not to be known, and lateness is right within 1 %. The acknowledged figure rests
# on half a round trip being the acknowledgement's way, which it is not where that meets the rest of
# the broadcast on the wire: up to a fifth of a way here.
set -u
test -n "$SMPIRUN" || exit 77
dir=sim/layer.dir

# run OUT HOW PER_STEP SIZE...
run() {
    out=$1
    shift
    rm -rf $dir
    COLLPROF_OUTPUT=$dir COLLPROF_REPORT=no timeout "${CHECK_LIMIT:-400}" \
        "$srcdir/tests/sim/run.sh" cluster ${ranks:-8} sim/layer "$@" >"$out" 2>&1 ||
        { echo "FAIL: $algorithm $*: status $?"; cat "$out"; exit 1; }
}

# Without --thorough only those that differ most.
algorithms="binomial_tree flat chain"
[ -z "${CHECK_THOROUGH:-}" ] ||
    algorithms="binomial_tree NTSL scatter_LR_allgather flat chain"
for algorithm in $algorithms; do
    case ${CHECK_THOROUGH:-}$algorithm in
    *chain) late='' ;; # only what --bcast sees
    1[!f]*) late="never constant random alternating pipelined" ;;
    *flat) late=constant ;;
    *) late="constant alternating pipelined" ;;
    esac
    case $algorithm in
    linear | flat | chain) COLLPROF_BCAST=$algorithm SMPI_OPTIONS= ;;
    *) COLLPROF_BCAST= SMPI_OPTIONS="--cfg=smpi/bcast:$algorithm" ;;
    esac
    plain=$SMPI_OPTIONS
    export COLLPROF_BCAST SMPI_OPTIONS COLLPROF_ACK
    for per_step in 1 4; do
        COLLPROF_ACK=0 SMPI_OPTIONS=$plain
        run sim/layer.truth never $per_step 256 65536
        [ -z "$COLLPROF_BCAST" ] ||
            python3 "$srcdir/tests/sim/layer.py" $algorithm seen $per_step sim/layer.truth \
                sim/layer.truth $dir/profile.json || exit 1
        for how in $late; do
            # Looking for a message is to cost the same every time.
            SMPI_OPTIONS="$plain --cfg=smpi/test:2e-7 --cfg=smpi/grow-injected-times:no"
            COLLPROF_ACK=100
            run sim/layer.out $how $per_step 256 65536
            python3 "$srcdir/tests/sim/layer.py" $algorithm $how $per_step sim/layer.truth \
                sim/layer.out $dir/profile.json || exit 1
        done
    done
done

# By the defaults of collprof and the simulator.
algorithm=default
for how in never constant; do
    COLLPROF_BCAST='' SMPI_OPTIONS='' COLLPROF_ACK=0
    run sim/layer.truth never 1 256 65536
    COLLPROF_ACK=10
    run sim/layer.out $how 1 256 65536
    python3 "$srcdir/tests/sim/layer.py" default $how 1 sim/layer.truth sim/layer.out $dir/profile.json || exit 1
done

# What is injected is in no time of the application's calls: each mode beside the run without.
COLLPROF_BCAST='' SMPI_OPTIONS= COLLPROF_ACK=0
run sim/layer.out steps 1 4096
cp $dir/profile.json sim/layer.plain.json
for mode in COLLPROF_ACK=10 COLLPROF_BENCHMARK=direct; do
    export "${mode?}"
    run sim/layer.out steps 1 4096
    ./collprof report --format=csv --table=operations $dir >sim/layer.csv || exit 1
    python3 "$srcdir/tests/sim/apart.py" $mode sim/layer.plain.json $dir/profile.json sim/layer.csv || exit 1
    COLLPROF_ACK=0 COLLPROF_BENCHMARK=''
done

# A clock that takes 20 us to read shows whether holds, which begin and end in a reading, are taken off.
algorithm=binomial_tree
COLLPROF_BCAST='' COLLPROF_ACK=100
SMPI_OPTIONS="--cfg=smpi/bcast:$algorithm --cfg=smpi/wtime:2e-5"
run sim/layer.out never 1 256 65536
python3 "$srcdir/tests/sim/layer.py" $algorithm slow_clock 1 sim/layer.out sim/layer.out $dir/profile.json || exit 1

# Of more than 2 GiB, too: copying these takes seconds a rank.
[ -n "${CHECK_THOROUGH:-}" ] || exit 0
SMPI_OPTIONS= COLLPROF_ACK=100
ranks=2 CHECK_LIMIT=1200
export CHECK_LIMIT
run sim/layer.out huge 1 0
unset CHECK_LIMIT ranks
python3 "$srcdir/tests/mpi/profile.py" $dir/profile.json findings ack bytes=2400000000 , rows=1 broadcasts=8 ||
    { echo "FAIL: broadcasts of 2.4 GB are not acknowledged"; exit 1; }
