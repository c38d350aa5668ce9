#!/bin/sh
# MPIEXEC of the tests: the launcher with a time limit, so that a deadlock is a failure that says
# so and does not hold up the others. CHECK_LIMIT: seconds, for what needs longer.
exec timeout --verbose -k 10 "${CHECK_LIMIT:-150}" $LAUNCHER "$@" </dev/null
