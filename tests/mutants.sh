#!/bin/sh
# Tests of the tests: ten faults of tools/mutants, drawn from those that unit tests were seen to notice, must
# be noticed (`make mutants' tries them all). Only a fault that nobody noticed is a failure: where there is no
# room, time or compiler for a second build, it says so.
[ "${CHECK_THOROUGH:-}" = 1 ] || { echo "only with ./check --thorough"; exit 77; }
top=$(cd "$srcdir" && pwd) out=mutants.out
MUTANTS_DIR=$PWD/mutants-unit timeout -k 10 300 \
    "$top/tools/mutate" --random 10 --budget 180 >$out 2>&1
status=$?
cat $out
grep -q '^SURVIVES' $out && failed=1 || failed=0
noticed=$(grep -c '^noticed' $out)
rm -rf mutants-unit $out
[ $failed = 0 ] || exit 1
[ "$noticed" -gt 0 ] || { echo "no fault was tried (status $status)"; exit 77; }
