#!/bin/sh
# Protects the command lines of collbench-pairs and collbench-tree: what they write is read again, and what is wrong is said in one line.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }

pairs=bench/collbench-pairs tree=bench/collbench-tree
$MPIEXEC -n 4 $pairs --yield -i 10 --log-file="$dir/pairs.log" >"$dir/out" || fail pairs
[ "$(grep -c '^[^#]' "$dir/pairs.log")" = 10 ] || fail "10 lines of pairs"
[ "$(sed -n 2p "$dir/pairs.log")" = "# Processors: 4 MsgLen 64 Repeats: 10" ] || fail "the log's head"
grep -q "^# Pairs of ranks" "$dir/out" || fail "no table of pairs"
$MPIEXEC -n 3 $pairs --yield -i 5 --order=paper --log-file="$dir/paper.log" >"$dir/out" || fail paper
[ "$(awk 'NF == 6 && !/^#/' "$dir/paper.log" | wc -l)" = 6 ] || fail "the paper's columns"

# Refused: status 2, one line with the reason, nothing written.
refuse() {
    expected=$1
    shift
    "$@" >"$dir/stdout" 2>"$dir/stderr"
    status=$?
    [ $status -eq 2 ] || fail "status $status of $*"
    [ "$(grep -vc 'not meaningful' "$dir/stderr")" = 1 ] || fail "not one line of $*: $(cat "$dir/stderr")"
    grep -q -e "$expected" "$dir/stderr" || fail "no '$expected' of $*: $(cat "$dir/stderr")"
    [ -s "$dir/stdout" ] && fail "output of $*"
}

for log in pairs paper; do
    ./collprof report --format=html "$dir/$log.log" >"$dir/out" && grep -q '"kind":"heat"' "$dir/$log.html" || fail "a page of $log.log"
done
$tree --latencies="$dir/pairs.log" --format=json >"$dir/tree.out" || fail "a prediction from a log"
grep -q '"schema": "collbench-tree/2"' "$dir/tree.out" || fail "JSON"
"$MPIEXEC" -n 2 env LD_PRELOAD="$PWD/tests/mpi/.libs/libturns.so" "$tree" --algorithm=flat --sizes=1K:1K -i 3 -x 1 --stop=fixed --format=csv >"$dir/few" 2>&1 &&
    [ "$(grep -c '^2,1024.*few_samples' "$dir/few")" -eq 2 ] || fail "remarks: $(cat "$dir/few")"
grep 'of zeros' "$dir/few" && fail "the root sends memory that nobody has written"
$MPIEXEC -n 4 $tree --yield --latencies="$dir/pairs.log" --sizes=0:4K --step=6 --algorithm=grid,flat -i 10 --budget=0.2 \
    --format=json >"$dir/run.out" || fail "running trees"
grep -q "MPI_Bcast" "$dir/run.out" || fail "no comparison"
./collprof report --format=html -o "$dir/t.html" "$dir/run.out" >"$dir/out" || fail "pictures of trees: status $?"
# From a log it is unknown whether pairs share a path: no arrival is predicted, so no timeline of the tree is drawn.
grep -q '"kind":"lines"' "$dir/t.html" || fail "a picture of times"
grep -q '"arrows":"tree_messages' "$dir/t.html" && fail "arrivals that are unknown"

refuse "it is for 4 ranks, there are 2" $MPIEXEC -n 2 $tree --latencies="$dir/pairs.log"
refuse "No such file" $tree --latencies=/no/such/log
sed 's/^\(vm\|[^#]*\) 001 /\1 901 /;' "$dir/pairs.log" >"$dir/bad.log"
refuse "bad.log: line [0-9]*: two ranks" $tree --latencies="$dir/bad.log"
exit $failed
