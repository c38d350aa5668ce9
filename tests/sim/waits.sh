#!/bin/sh
# Protects the names and the times of wait states, and the matching they rest on: situations whose
# waits are known, in the simulator, where time is exact.
set -u
test -n "$SMPIRUN" || exit 77
status=0

# What "In short" calls it; of a healthy program, nothing.
named()
{
    case $1 in
    late_sender) echo "is for rank 0, which sends late[.]" ;;
    late_receiver) echo "is for rank 1, which receives late[.]" ;;
    big_message) echo "which receives late; big messages, of 4 MiB, wait for their receive" ;;
    late_root) echo "is for rank 2, which is its root and comes late[.]" ;;
    early_root) echo "is for rank 3, which comes late to a root that is early[.]" ;;
    n_to_n) echo "is for rank 1, which comes late[.]" ;;
    diffuse_procedure) echo "; no rank alone is: 4 are waited for[.] - The pattern is a diffuse procedure: " ;;
    random_barrier) echo "; no rank alone is: 4 are waited for[.] - The pattern is a random barrier: " ;;
    intensive_server) echo "is for rank 0, which sends late; it serves 3 ranks, which send to it and wait" ;;
    small_messages) echo "sends small messages one by one: 2,000 of 8 B from rank 0 to rank 1" ;;
    esac
}
says()
{
    words=$(./collprof report sim/waits.dir 2>&1 | tr -s ' \n' ' ')
    [ $1 = small_messages ] || ! echo "$words" | grep "small messages" || { echo "FAIL: $1: they are none"; return 1; }
    [ $1 != healthy ] || ! echo "$words" | grep "of the waiting in" || { echo "FAIL: $1: a finding"; return 1; }
    want=$(named $1)
    [ -z "$want" ] || echo "$words" | grep -q "$want" || { echo "FAIL: $1: not said: $want"; ./collprof report sim/waits.dir | head -30; return 1; }
}

for situation in $(python3 "$srcdir/tests/sim/waits.py" names); do
    rm -rf sim/waits.dir
    # A send is nothing to the simulator unless it is told: 1 us.
    export SMPI_OPTIONS=
    case $situation in small_messages | there_and_back) SMPI_OPTIONS="--cfg=smpi/os:0:1e-6:0" ;; esac
    COLLPROF_OUTPUT=sim/waits.dir COLLPROF_TRACE=calls COLLPROF_REPORT=no \
        timeout 60 "$srcdir/tests/sim/run.sh" cluster 4 sim/waits $situation >sim/waits.out 2>&1 ||
        { echo "FAIL: $situation: status $?"; cat sim/waits.out; status=1; continue; }
    python3 "$srcdir/tests/sim/waits.py" $situation sim/waits.dir/profile.json || status=1
    says $situation || status=1
done
# 256 ranks take seconds, and nothing is lost between them.
rm -rf sim/waits.dir
COLLPROF_OUTPUT=sim/waits.dir COLLPROF_TRACE=calls COLLPROF_REPORT=no \
    timeout 120 "$srcdir/tests/sim/run.sh" cluster 256 sim/waits healthy >sim/waits.out 2>&1 ||
    { echo "FAIL: 256 ranks: status $?"; status=1; }
grep -q '"sends":10240,"receives":10240,"matched":10240,"contradictions":0,' sim/waits.dir/profile.json ||
    { echo "FAIL: of 256 ranks not all messages are matched"; status=1; }
rm -rf sim/waits.dir
exit $status
