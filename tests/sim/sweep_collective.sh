#!/bin/sh
# Collectives by the default options on platforms drawn at random: see sweep_collective.py. Four
# cases, thirty where CHECK_THOROUGH is set.
set -u
test -n "$SMPIRUN" || exit 77
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
cases=4 ranks=10
[ "${CHECK_THOROUGH:-}" = 1 ] && cases=30 ranks=16
exec timeout 400 python3 "$srcdir/tests/sim/sweep_collective.py" 0 $cases $ranks 60
