#!/bin/sh
# Protects who waits, and who does not wait any longer: away from a terminal a benchmark says once a minute how far it is;
# what it has measured when it is ended stays, and a line says where; so does a line of an application that is ended.
. "${srcdir:-.}/tests/mpi/lib.sh"
test "$CHECK_MPI" != openmpi || skip "Open MPI's launcher may be gone before it has passed on the last words"

cat >press.py <<'PY'
# press.py CONDITION COMMAND...: Ctrl-C for the command's process group once the shell's condition holds
import os, signal, subprocess, sys, time
command = subprocess.Popen(sys.argv[2:], start_new_session=True, stdin=subprocess.DEVNULL)
end = time.time() + 100
while time.time() < end and command.poll() is None and subprocess.call(sys.argv[1], shell=True) != 0:
    time.sleep(0.1)
pressed = command.poll() is None
if pressed:
    os.killpg(command.pid, signal.SIGINT)
try:
    command.wait(20)
except subprocess.TimeoutExpired:
    os.killpg(command.pid, signal.SIGKILL)
sys.exit(not pressed)
PY

# The launcher itself: timeout(1), which launch.sh puts before it, would press again. A launcher that is
# interrupted may lose what its processes say last: once in three times it has to come through.
press() # LINE CONDITION PROGRAM...: until it has said LINE
{
    line=$1 condition=$2
    shift 2
    for try in 1 2 3; do
        rm -rf *.part app
        python3 press.py "$condition" $LAUNCHER -n 2 "$@" >out 2>err || { cat out err; fail "not there to be ended"; }
        grep -q "$line" err && return
    done
    cat out err
    fail "not said: $line"
}

# Half a minute of measuring, if nobody comes in between, on a quiet machine, too: every row takes its budget.
bench="$built/bench/collbench-bcast --yield --sizes=8:1M --budget=1 --stop=fixed --repetitions=10000000"
press '^collbench-bcast: interrupted: results so far are in file.part$' \
    "grep -qs '^  native' file.part" $bench -o file
rows=$(sed -n 's/^# interrupted: \([1-9][0-9]*\) of 18 were measured$/\1/p' file.part)
test "$(grep -c '^  native' file.part)" = $((2 * rows)) || { cat file.part; fail "$rows rows are not in file.part"; }
test ! -e file || fail "half of the results look like all"

# Without a file there is one in TMPDIR.
export TMPDIR=$PWD
press 'interrupted: results so far are in .*/collbench-bcast-[0-9]*.part$' "ls collbench-bcast-*.part >/dev/null 2>&1" \
    $bench --format=json
python3 -c 'import glob, json
assert json.load(open(glob.glob("collbench-bcast-*.part")[0]))["tables"]["methods"]["rows"]' || fail "JSON so far"

press '^collprof: rank 0 ends before its MPI_Finalize: `collprof report app` shows what was recorded$' "ls app/*.ledger >/dev/null 2>&1" \
    "$collprof" run --yield -o app "$built/examples/heat" -s 1000000
"$collprof" report app >report || fail "report of what was ended"
grep -q 'ended by signal' report || { cat report; fail "not said how it ended"; }

# A clock that goes a thousand times too fast makes minutes of seconds.
cat >hasten.c <<'C'
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *t)
{
    static long first;
    int error = (int)syscall(SYS_clock_gettime, clock, t);
    if (error || (clock != CLOCK_MONOTONIC && clock != CLOCK_MONOTONIC_RAW))
        return error;
    first = first ? first : t->tv_sec;
    long long ns = 1000 * ((t->tv_sec - first) * 1000000000LL + t->tv_nsec);
    t->tv_sec = first + ns / 1000000000;
    t->tv_nsec = ns % 1000000000;
    return 0;
}
C
if ${CC:-cc} -shared -fPIC -o hasten.so hasten.c 2>/dev/null; then
    limit="timeout 120"
    $limit $MPIEXEC -n 2 env LD_PRELOAD="$PWD/hasten.so" "$built/bench/collbench-collective" --yield --sizes=8:256 --budget=50 \
        --operation=allreduce,barrier,alltoall -o results >out 2>err || { cat err; fail "hastened: status $?"; }
    grep -q '^collbench-collective: [1-9][0-9]* of 18$' err || { cat err; fail "no line a minute"; }
    test -z "$(grep " of 18$" err | sort | uniq -d)" || fail "every rank says how far it is"
    test -s results && test ! -e results.part || fail "a part is left"
fi
exit 0
