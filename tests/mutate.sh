#!/bin/sh
# Tests of the tests: ten faults, drawn with a new seed that is printed, against the unit tests that link the changed
# files. Single survivors are expected (`make mutate' draws 100 and states the share); fewer than three noticed of ten
# means that unit tests do not look any more.
[ "${CHECK_THOROUGH:-}" = 1 ] || { echo "only with ./check --thorough"; exit 77; }
out=mutate.out
timeout -k 10 900 "$srcdir/tools/mutate" --units --count=10 --seconds=400 >$out 2>&1
status=$?
cat $out
tried=$(sed -n 's/.* of \([0-9]*\) noticed.*/\1/p' $out) noticed=$(sed -n 's/^\([0-9]*\) of .*/\1/p' $out)
rm -f $out
[ $status -lt 2 ] && [ -n "$tried" ] || exit 1
[ "$tried" -ge 5 ] || { echo "only $tried faults in the time"; exit 77; }
[ "$noticed" -ge 3 ]
