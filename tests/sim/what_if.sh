#!/bin/sh
# Protects predictions of changes, and serialisation and transfer: programs drawn by seeds are really changed and run again
# in the simulator. --thorough: 20 more by a new seed, which is printed.
set -u
test -n "$SMPIRUN" || exit 77
seeds="1 3 5 7 9 13"
first=$(date +%s)
[ -z "${CHECK_THOROUGH:-}" ] || seeds="$seeds $(seq "$first" $((first + 19)))"
# shellcheck disable=SC2086 # many seeds
python3 "$srcdir/tests/sim/what_if.py" "$srcdir/tests/sim/run.sh" ./collprof sim/what_if sim/what_if.dir $seeds
status=$?
rm -rf sim/what_if.dir*
exit $status
