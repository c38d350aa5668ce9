#!/bin/sh
# Protects the verdict on runs that hang, from the wrappers to the sentence: five cases by a fixed seed, and twenty by
# a new one with ./check --thorough. `make truth-verdict` has 400.
set -u
test -n "$SMPIRUN" || exit 77
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
seed=1 first=0 count=5
[ "${CHECK_THOROUGH:-}" != 1 ] || { seed=$(date +%s) first=$((seed % 21)) count=20; }
exec timeout 300 python3 "$srcdir/tests/sim/stuck.py" "$seed" "$first" "$count"
