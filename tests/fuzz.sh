#!/bin/sh
# Every reader of files withstands 16 s of libFuzzer: `make fuzz'. One seed: whoever repeats this test
# tries much the same; what has not been tried is looked for by hand.
[ "${CHECK_THOROUGH:-}" = 1 ] || { echo "only with ./check --thorough"; exit 77; }
make -C "$top_builddir" fuzz FUZZ_SECONDS=16 FUZZ_SEED=1 >fuzz.out 2>&1
status=$?
cat fuzz.out
! grep -q '^fuzz: skipped' fuzz.out || status=77
rm -f fuzz.out
exit $status
