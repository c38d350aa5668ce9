#!/bin/sh
# Tuning on platforms drawn at random: see tune.py. Four cases, twenty where CHECK_THOROUGH is set.
set -u
test -n "$SMPIRUN" || exit 77
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
cases=4
[ "${CHECK_THOROUGH:-}" = 1 ] && cases=20
exec timeout 400 python3 "$srcdir/tests/sim/tune.py" 1 $cases 8 60
