#!/bin/sh
# methods.sh with 64 ranks: fewer repetitions.
exec "$srcdir/tests/sim/methods.sh" 64
