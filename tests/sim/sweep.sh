#!/bin/sh
# Broadcast latencies by the default options on platforms drawn at random: see sweep.py. Ten cases,
# forty where CHECK_THOROUGH is set.
set -u
test -n "$SMPIRUN" || exit 77
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
cases=10 ranks=16
[ "${CHECK_THOROUGH:-}" = 1 ] && cases=40 ranks=20
exec timeout 400 python3 "$srcdir/tests/sim/sweep.py" 0 $cases $ranks 60
