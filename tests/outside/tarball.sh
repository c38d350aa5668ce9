#!/bin/sh
# The tarball has all that the build, the unit tests and the format check need: make distcheck, with these tests.
[ "${CHECK_THOROUGH:-}" = 1 ] || { echo "only with ./check --thorough"; exit 77; }
build=$(cd "$top_builddir" && pwd)
log=$PWD/tarball.log
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u TESTS -u CHECK_THOROUGH \
    make -C "$build" distcheck -j2 TESTS='tests/unit/base tests/format.sh tests/floors.sh' >"$log" 2>&1 && {
    rm -f "$log"
    exit 0
}
grep -nE 'error|Error|No such file|No rule' "$log" | head -20
tail -n 20 "$log"
exit 1
