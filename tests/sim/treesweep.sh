#!/bin/sh
# Trees on platforms drawn at random, by the default options: see trees.py. Six cases, twenty-four where
# CHECK_THOROUGH is set.
set -u
test -n "$SMPIRUN" || exit 77
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
cases=6 ranks=8
[ "${CHECK_THOROUGH:-}" = 1 ] && cases=24 ranks=12
exec timeout 500 python3 "$srcdir/tests/sim/trees.py" 4 $cases $ranks 60
