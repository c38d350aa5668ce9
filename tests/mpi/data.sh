#!/bin/sh
# Protects what other programs read: profiles of every kind and of former versions are read; pandas makes
# numbers of every column of figures.
. "${srcdir:-.}/tests/mpi/lib.sh"

limit="timeout 120"
for python in python3 /usr/bin/python3 none; do
    $python -c "import pandas" 2>/dev/null && break
done
test $python != none || skip "no Python with pandas (python3-pandas)"

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
for traced in transport traced; do
    "$collprof" report --format=csv -o $traced.csv $traced || fail "csv of $traced: status $?"
done
for old in "$source"/tests/profiles/*.json; do
    name=old-$(basename "$old" .json)
    mkdir "$name"
    cp "$old" "$name/profile.json"
    "$collprof" report --full "$name" >"$name/report" || fail "report of $old: status $?"
    "$collprof" report --format=csv "$name" >"$name.csv" || fail "csv of $old: status $?"
    grep -q Bcast "$name/report" || { cat "$name/report"; fail "report of $old"; }
done
grep -q '^profiler overhead: unknown in each call$' old-first/report || { cat old-first/report; fail "what was not recorded then"; }
"$collprof" report --format=json old-first >log && grep -Eq '"delayed_ns": ?null' log ||
    { grep '"delayed_ns"' log; fail "JSON of what was not recorded then"; }
"$collprof" compare old-first old-traced >log || { cat log; fail "compare with a file of a former version"; }

$python "$source/tests/mpi/data.py" || fail "what other programs read"
exit 0
