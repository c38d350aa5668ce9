#!/bin/sh
# Protects what --ack says of any application: programs drawn by fixed seeds (drawn.c), under one
# broadcast after the other. A latency is that of the same broadcast alone within 1 %, or the row says
# what it is not; lateness is right within 1 %, and so is what --bcast saw. The acknowledged figure rests on half a round
# trip being the acknowledgement's way, which it is not where that meets the rest of the broadcast on the wire: up to a
# twentieth of a way here. Once with all broadcasts acknowledged that may be, and costs that are alike, and once by the
# defaults of collprof and the simulator.
set -u
test -n "$SMPIRUN" || exit 77
dir=sim/drawn.dir
set="--cfg=smpi/test:2e-7 --cfg=smpi/grow-injected-times:no"

# run OUT SEED calm|late
run() {
    rm -rf $dir
    COLLPROF_OUTPUT=$dir COLLPROF_REPORT=no timeout 100 \
        "$srcdir/tests/sim/run.sh" cluster 8 sim/drawn "$2" "$3" >"$1" 2>&1 ||
        { echo "FAIL: $algorithm, seed $2, $3: status $?"; cat "$1"; exit 1; }
}

# judge late|calm|slow-clock
judge() {
    python3 "$srcdir/tests/sim/drawn.py" "seed $seed, $algorithm, share $share" sim/drawn.calm "$1" sim/drawn.late \
        $dir/profile.json || exit 1
}

touch sim/drawn.late
seeds="1 2 3 4 5 6"
[ -z "${CHECK_THOROUGH:-}" ] || seeds="$(seq 1 30) 4010 4026"
for seed in $seeds; do
    case $((seed % 6)) in
    0) algorithm=flat ;;
    1) algorithm=binomial_tree ;;
    2) algorithm=NTSL ;;
    3) algorithm=scatter_LR_allgather ;;
    4) algorithm=chain ;;
    5) algorithm=default ;;
    esac
    for settings in "$set" ""; do
        SMPI_OPTIONS=$settings COLLPROF_BCAST='' share=10
        [ -z "$settings" ] || share=100
        case $algorithm in
        flat | chain) COLLPROF_BCAST=$algorithm ;;
        default) ;;
        *) SMPI_OPTIONS="$settings --cfg=smpi/bcast:$algorithm" ;;
        esac
        export COLLPROF_BCAST SMPI_OPTIONS
        COLLPROF_ACK=0 run sim/drawn.calm "$seed" calm
        [ -z "$COLLPROF_BCAST" ] || judge calm
        COLLPROF_ACK=$share run sim/drawn.late "$seed" late
        judge late
    done
done

# A clock that takes 20 us to read shows whether holds, which begin and end in a reading, are taken off.
algorithm=binomial_tree seed=1
COLLPROF_BCAST='' SMPI_OPTIONS="--cfg=smpi/bcast:$algorithm --cfg=smpi/wtime:2e-5"
COLLPROF_ACK=100 run sim/drawn.late $seed calm
judge slow-clock
