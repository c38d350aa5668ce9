#!/bin/sh
# What doc/claims.md quotes is what is measured: made again, without what takes long; --thorough: all.
test -n "$SMPIRUN" || exit 77
command -v python3 >/dev/null || { echo "no python3"; exit 77; }
short=short
[ "${CHECK_THOROUGH:-}" = 1 ] && short=
exec python3 "$srcdir/tests/sim/claims.py" "$srcdir/doc/claims.in" "$srcdir/doc/claims.md" --check $short
