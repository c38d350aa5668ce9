#!/bin/sh
# Protects what other programs read: profiles of every kind are read; results of benchmarks are what the
# installed schemas say, and no more than that; files of former versions are still read; pandas makes
# numbers of every column of figures; the manual page names the tables and columns that there are.
. "${srcdir:-.}/tests/mpi/lib.sh"

limit="timeout 120"
for python in python3 /usr/bin/python3 none; do
    $python -c "import jsonschema, pandas" 2>/dev/null && break
done
test $python != none || skip "no Python with jsonschema and pandas (python3-jsonschema, python3-pandas)"

run() # DIR OPTION... PROGRAM
{
    output=$1
    shift
    $limit $MPIEXEC -n 2 "$collprof" run --yield --report=no -o "$output" "$@" >log 2>&1 ||
        { cat log; fail "run $*: status $?"; }
}

run plain "$built/examples/heat" -s 20
run traced --trace "$built/examples/heat" -s 20
run transport --trace=transport "$built/examples/heat" -s 20
run ack --ack=100 "$built/tests/mpi/inject"
run benchmark --benchmark --benchmark-budget=0.2 "$built/examples/heat" -s 20
$limit $MPIEXEC -n 2 "$collprof" run --report=no -o crashed "$built/tests/mpi/sites" abort >log 2>&1
"$collprof" report --format=json crashed >crashed.json || fail "report of a run that was aborted"
if test "$CHECK_MPI" = mpich && case $mpis in *openmpi*) true ;; *) false ;; esac; then
    (
        with_mpi openmpi
        $MPICC -o sites-openmpi "$source/tests/mpi/sites.c" &&
            $limit mpiexec.openmpi -n 2 "$collprof" run --report=no -o openmpi ./sites-openmpi
    ) >log 2>&1 || { cat log; fail "Open MPI: status $?"; }
fi
tiny="--sizes=1K --budget=0.05"
for program in bcast collective pairs; do
    $limit $MPIEXEC -n 2 "$built/bench/collbench-$program" $tiny --yield --format=json \
        >$program.results 2>log || { cat log; fail "collbench-$program: status $?"; }
done
$limit $MPIEXEC -n 2 "$built/bench/collbench-overlap" --benchmark=sender --sizes=1K --comp=8 -i 3 --budget=0.05 \
    --format=json -o overlap.results >log 2>&1 || { cat log; fail "collbench-overlap: status $?"; }

"$collprof" export transport >log 2>&1 && "$collprof" export traced >log 2>&1 || { cat log; fail "export"; }
for old in "$source"/tests/profiles/*.json; do
    name=old-$(basename "$old" .json)
    mkdir "$name"
    cp "$old" "$name/profile.json"
    "$collprof" report --full "$name" >"$name/report" || fail "report of $old: status $?"
    "$collprof" export "$name" >log || fail "export of $old: status $?"
    grep -q Bcast "$name/report" || { cat "$name/report"; fail "report of $old"; }
done
grep -q '^CPU contention: unknown$' old-first/report && grep -q '; in each call unknown$' old-first/report || { cat old-first/report; fail "what was not recorded then"; }
"$collprof" report --format=json old-first >log && grep -Eq '"load": ?null' log && grep -Eq '"delayed_ns": ?null' log ||
    { grep -E '"(load|delayed_ns)"' log; fail "JSON of what was not recorded then"; }
"$collprof" compare old-first old-traced >log || { cat log; fail "compare with a file of a former version"; }

$python "$source/tests/mpi/data.py" "$source/src/results/results.schema.json" \
    "$source/man/collprof-export.1" || fail "what other programs read"
exit 0
