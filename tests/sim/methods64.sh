#!/bin/sh
# methods.sh with 64 ranks: fewer algorithms and repetitions.
exec "$srcdir/tests/sim/methods.sh" 64
