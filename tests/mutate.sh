#!/bin/sh
# Tests of the tests: up to ten faults, drawn with a new seed that is printed, against the unit tests that link the
# changed files. Survivors are expected (`make mutate' draws 100, runs other tests too and states the share); none noticed
# means that unit tests do not look any more.
[ "${CHECK_THOROUGH:-}" = 1 ] || { echo "only with ./check --thorough"; exit 77; }
out=mutate.out
timeout -k 10 900 "$srcdir/tools/mutate" --units --count=10 --seconds=240 >$out 2>&1
status=$?
cat $out
tried=$(sed -n 's/.* of \([0-9]*\) noticed.*/\1/p' $out) noticed=$(sed -n 's/^\([0-9]*\) of .*/\1/p' $out)
rm -f $out
[ $status -lt 2 ] && [ -n "$tried" ] || exit 1
[ "$tried" -ge 5 ] || { echo "only $tried faults in the time"; exit 77; }
[ "$noticed" -ge 1 ]
