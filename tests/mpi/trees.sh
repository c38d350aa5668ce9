#!/bin/sh
# Protects the command lines of collbench-pairs and collbench-tree: what they write is read again, and what is wrong is said in one line.
program=collbench-tree options=
. "$srcdir/tests/mpi/bench.sh"
pairs=$built/bench/collbench-pairs tree=$bench

$MPIEXEC -n 4 $pairs --yield -i 10 --log-file=pairs.log >out || fail pairs
[ "$(grep -c '^[^#]' pairs.log)" = 10 ] || fail "10 lines of pairs"
[ "$(sed -n 2p pairs.log)" = "# Processors: 4 MsgLen 64 Repeats: 10" ] || fail "the log's head"
grep -q "^# Pairs of ranks" out || fail "no table of pairs"
$MPIEXEC -n 3 $pairs --yield -i 5 --order=paper --log-file=paper.log >out || fail paper
[ "$(awk 'NF == 6 && !/^#/' paper.log | wc -l)" = 6 ] || fail "the paper's columns"
for messages in persistent $([ "$CHECK_MPI" != mpich ] || echo partitioned); do
    $MPIEXEC -n 2 $pairs --messages="$messages" --sizes=1:64 -i 5 --format=csv >out || fail "$messages"
    [ "$(grep -cE '^[01],[01],[0-9]+,[0-9.]+,' out)" = 14 ] && grep -q "^# messages: $messages" out || fail "rows of $messages"
done
for log in pairs paper; do
    "$collprof" report --format=html "$log.log" >out && grep -q '"kind":"heat"' "$log.html" || fail "a page of $log.log"
done
$tree --latencies=pairs.log --format=json >tree.out || fail "a prediction from a log"
grep -q '"schema": "collbench-tree/3"' tree.out && grep -q 'Nothing was run: only one rank' tree.out || fail "JSON"
"$MPIEXEC" -n 2 env LD_PRELOAD="$turns" "$tree" --algorithm=flat --sizes=1K:1K -i 3 -x 1 --stop=fixed --format=csv >few 2>&1 &&
    [ "$(grep -c '^2,1024.*few_samples' few)" -eq 2 ] || fail "remarks: $(cat few)"
grep 'of zeros' few && fail "the root sends memory that nobody has written"
$MPIEXEC -n 4 $tree --yield --latencies=pairs.log --sizes=0:4K --step=6 --algorithm=grid,flat -i 10 --budget=0.2 \
    --format=json >run.out || fail "running trees"
grep -q "MPI_Bcast" run.out || fail "no comparison"
"$collprof" report --format=html -o t.html run.out >out || fail "pictures of trees: status $?"
# From a log it is unknown whether pairs share a path: no arrival is predicted, so no timeline of the tree is drawn.
grep -q '"kind":"lines"' t.html || fail "a picture of times"
grep -q '"arrows":"tree_messages' t.html && fail "arrivals that are unknown"

bench=$pairs
[ "$CHECK_MPI" = mpich ] || refuses 2 "this MPI library has no partitioned messages" --messages=partitioned
bench=$tree
refuses 2 "the log is for 4 ranks, but 2 run" --latencies=pairs.log
sed 's/^\(vm\|[^#]*\) 001 /\1 901 /;' pairs.log >bad.log
refuses 1 "bad.log: line " --latencies=bad.log
grep -q 'line [0-9]*: expected two ranks' err || fail "a rank that there is not"
exit 0
