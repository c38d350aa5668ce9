#!/bin/sh
# What else the machine does while a benchmark measures is said in the row and in the header: six other
# processes on the two processors that two ranks have.
. "${srcdir:-.}/tests/mpi/lib.sh"
test -r /proc/thread-self/schedstat || skip "this kernel does not count it"
two=$(taskset -pc $$ | sed 's/.*: //' | tr , '\n' |
    awk -F- '{ for (i = $1; i <= ($2 == "" ? $1 : $2); i++) print i }' | head -2 | paste -sd, -)
case $two in *,*) ;; *) skip "one processor" ;; esac
others=
trap 'kill $others 2>/dev/null; rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
fail() { echo "FAIL: $*"; cat scenario report bcast collective; exit 1; }
for other in 1 2 3 4 5 6; do
    timeout 900 taskset -c "$two" sh -c 'while :; do :; done' &
    others="$others $!"
done
CHECK_LIMIT=180 taskset -c "$two" "$MPIEXEC" -n 2 "$built/bench/collbench-scenario" -s3 --comp=50000 --operation=ibroadcast --budget=2 -i 3 -x 1 \
    --stop=fixed >scenario 2>&1 || fail "scenario: status $?"
grep -q '^#   .*rank [01] was not scheduled for [1-9][0-9]* % of the time' scenario || fail "scenario: not told"
# A rank that waits in MPI_Finalize for another one has not lost the processor in the run.
echo 'sleep(rank ? 2 : 0);' | write_program late
$MPICC late.c -o late || fail "late.c"
taskset -c "${two%%,*}" "$MPIEXEC" -n 2 "$collprof" run --report=no -o run ./late || fail "late: status $?"
"$collprof" report run >report 2>&1 || fail "late: no report"
holds run <<END || fail "late: contention after the run"
for r in p["ranks"]:
    print(r["rank"], r["wall_seconds"], r["delayed_ns"])
    assert r["delayed_ns"] <= 1e9 * r["wall_seconds"] + 1e8
END
# Each row with what is remarked on it.
rows() { sed ':a;N;$!ba;s/\n#   */ /g' "$1"; }
# A few ms may pass between two slices of the scheduler: small batches, so that the budget ends them.
for run in bcast:2000:barrier,ol,held,direct collective:100:direct; do
    bench=${run%%:*} methods=${run##*:} batch=${run#*:} said=
    for try in 1 2 3 4 5; do
        CHECK_LIMIT=180 taskset -c "$two" "$MPIEXEC" -n 2 "$built/bench/collbench-$bench" --method="$methods" \
            --sizes=8 --stop=paper --budget=1 -i "${batch%:*}" >"$bench" 2>&1 || fail "$bench: status $?"
        grep '^# processors: CPU contention is unknown: ranks that yield' $bench && exit 77 # Open MPI, on two halves of a core
        grep -q '^# processors: rank [01] was runnable but not scheduled for [1-9][0-9]* % of the run' $bench &&
            rows $bench | grep -qE '^  [a-z]+ +2 +8 .*unreliable: rank [01] was not scheduled for [1-9][0-9]* % of the time' &&
            said=yes && break
    done
    [ -n "$said" ] || fail "$bench: the header or the row says nothing"
done
# What differs in such a row may do so for that alone: no verdict on any method.
rows bcast | grep 'unreliable: rank' | grep -E 'wrong|violated|says otherwise' && fail "a verdict in a row that was disturbed"
exit 0
