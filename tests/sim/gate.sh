#!/bin/sh
# Protects what compare names as the cause, and that it names nothing where there is nothing, in
# simulations whose every work is drawn with a seed: rank 2 of four works 300 us longer before the
# second of two sums. Also the exit status and the formats.
set -eu
test -n "$SMPIRUN" || exit 77
root=sim/gate.dir
rm -rf $root
mkdir $root

fail()
{
    echo "FAIL: $*"
    exit 1
}

# run NAME LATE_US SEED: the simulator loads every run from a file of another name.
run()
{
    COLLPROF_OUTPUT=$root/$1 COLLPROF_REPORT=no timeout 60 "$srcdir/tests/sim/run.sh" \
        cluster 4 sim/late 60 3000 2 "$2" 500 "$3" >$root/out 2>&1 || { cat $root/out; fail "$1"; }
    sed -i 's/late_[0-9]*_0\.so/late/g' $root/$1/profile.json
}

# compared STATUS ARGUMENT...: in $root/said.
compared()
{
    want=$1 got=0
    shift
    timeout 60 ./collprof compare "$@" >$root/said 2>$root/errors || got=$?
    test $got = "$want" || { cat $root/said $root/errors; fail "status $got, not $want: $*"; }
}

rounds=1
test "${CHECK_THOROUGH:-0}" = 0 || rounds=5
for round in $(seq $rounds); do
    for i in 1 2 3 4 5; do
        run base-$i 0 $((100 * round + i))
        run late-$i 300 $((100 * round + 10 + i))
        run same-$i 0 $((100 * round + 20 + i))
    done
    compared 0 $root/base-? -- $root/same-?
    grep -q "outside of MPI\|takes longer\|wait longer" $root/said && { cat $root/said; fail "a cause of nothing"; }
    compared 0 $root/base-? -- $root/late-?
    grep -q "^Rank 2 spends more time outside of MPI" $root/said ||
        { cat $root/said; fail "rank 2 is not the first cause"; }
done

# The gate. The run itself hardly grew; rank 2's part in it grew by 4 %.
compared 3 --fail-above=2% $root/base-? -- $root/late-?
grep -q "^Limit of 2 %: failed" $root/said || fail "the reason of the failure"
compared 0 --fail-above=20% $root/base-? -- $root/late-?
compared 0 --fail-above=2% $root/late-? -- $root/base-?
compared 4 --fail-above=0.1% $root/base-? -- $root/same-?
grep -q "^Limit of 0.1 %: undecided" $root/said || fail "what is not known is not undecided"
compared 0 --fail-above=10% $root/base-? -- $root/same-?
compared 4 --fail-above=2% $root/base-1 -- $root/late-1
grep -q "about 5 runs a side would decide" $root/said || fail "a gate of one run"
compared 2 --fail-above=many $root/base-? -- $root/late-?
compared 2 $root/base-1 $root/base-2 $root/base-3
compared 2 $root/base-1 $root/base-2 -- $root/base-2 $root/base-3
grep -q "are the same run" $root/errors || fail "a run given twice"
compared 2 -- $root/base-1
compared 2 $root/base-1 --
compared 0 $root/base-1 $root/late-1
grep -q "undecided with 1 + 1 runs" $root/said || fail "one run tells"

command -v python3 >/dev/null || exit 0
compared 3 --format=json --fail-above=2% $root/base-? -- $root/late-?
python3 - $root/said <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
assert d["schema"] == "collprof-comparison/3", d
found = {f["key"]: f for f in d["findings"]}
assert "gate_failed" in found and "outside" in found, found
first = d["tables"]["changes"]["rows"][1]
assert (first["rank"], first["detected"]) == (2, "yes"), first
assert first["low"] <= first["change"] <= first["high"]
assert d["tables"]["changes"]["rows"][0]["p"] > 2 / 252 - 1e-9 and first["p"] <= 0.01
END
