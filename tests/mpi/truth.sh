#!/bin/sh
# Held OL_i against the shared clock on two processors: see truth.c.
if $MPIEXEC --version 2>&1 | grep -q "Open MPI\|OpenRTE"; then
    bind="--bind-to core"
else
    bind="-bind-to core"
fi
# shellcheck disable=SC2086
exec $MPIEXEC -n 2 $bind "$top_builddir/tests/mpi/truth"
