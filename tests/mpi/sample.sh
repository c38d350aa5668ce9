#!/bin/sh
# Protects --sample: functions get their share of the time between calls, from the kernel's samples and from a timer's,
# for C and Python; a program with handlers and timers of its own does the same, and keeps its signals.
. "${srcdir:-.}/tests/mpi/lib.sh"
test -n "$mpis" || skip "no MPI with a layer and a compiler"
test "$(uname -m)" = x86_64 || skip "samples are for x86-64"
# shellcheck disable=SC2046,SC2086 # the first of a list
with_mpi $(echo $mpis | cut -d" " -f1)
cat >sample.c <<'END_C'
#include "deny_sampling.h"
#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
static volatile double x;
static volatile sig_atomic_t prof, real_time;
static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void spin(double s)
{
    for (double end = cpu() + s; cpu() < end;)
        for (int i = 0; i < 1000; i++)
            x += sin(x + i);
}
static __attribute__((noinline)) void work(double s)
{
    spin(s);
    x++; /* no tail call */
}
static __attribute__((noinline)) void other(double s)
{
    spin(s);
    x--; /* no twin of work */
}
static void on_prof(int s)
{
    __atomic_fetch_add(&prof, s == SIGPROF, __ATOMIC_RELAXED); /* it may run in any thread */
}
static void on_real_time(int s)
{
    __atomic_fetch_add(&real_time, s > 0, __ATOMIC_RELAXED);
}
static void *call(void *tag)
{
    char out = 0, in;
    MPI_Sendrecv(&out, 1, MPI_BYTE, 0, (int)(long)tag, &in, 1, MPI_BYTE, 0, (int)(long)tag, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
    return NULL;
}
static void call_in_threads(int n)
{
    static pthread_t thread[1000];
    for (long i = 0; i < n; i++)
        pthread_create(&thread[i], NULL, call, (void *)i);
    for (int i = 0; i < n; i++)
        pthread_join(thread[i], NULL);
}
int main(int argc, char **argv)
{
    int rank, provided, one = 1, wrong = 0;
    const struct itimerval each = {{0, 20000}, {0, 20000}};
    if (argc > 1 && *argv[1])
        deny_sampling();
    if (argc > 1 && !strcmp(argv[1], "handles"))
        for (int s = SIGRTMIN; s <= SIGRTMAX; s++)
            signal(s, on_real_time);
    signal(SIGPROF, on_prof);
    setitimer(ITIMER_PROF, &each, NULL);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 2) {
        call_in_threads(atoi(argv[2]));
        MPI_Finalize();
        return 0;
    }
    for (int i = 0; i < 5; i++) {
        MPI_Bcast(&one, 1, MPI_INT, 0, MPI_COMM_WORLD);
        other(0.02);
        work(rank ? 0.1 : 0.02);
        MPI_Allreduce(MPI_IN_PLACE, &one, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    struct sigaction now;
    sigaction(SIGPROF, NULL, &now);
    wrong = !prof || real_time || now.sa_handler != on_prof;
    MPI_Finalize();
    if (wrong)
        printf("rank %d: SIGPROF %d times, other signals %d times\n", rank, (int)prof, (int)real_time);
    return wrong;
}
END_C
cat >sample.py <<'END_PY'
import math, time
from mpi4py import MPI

def spin(s):
    end, x = time.thread_time() + s, 0
    while time.thread_time() < end:
        for i in range(1000):
            x += math.sin(x + i)

def work(s):
    spin(s)

def other(s):
    spin(s)

for i in range(5):
    MPI.COMM_WORLD.Barrier()
    other(0.02)
    work(0.1 if MPI.COMM_WORLD.rank else 0.02)
    MPI.COMM_WORLD.Barrier()
END_PY
cat >check.py <<'END_PY'
# What each rank spent in work() and other(), between the calls; the time is processor time, so load does not matter.
import json, sys
p = json.load(open(sys.argv[1] + "/profile.json"))
spent, inside = {}, 0
for row in p["samples"]:
    names = [f.get("function") for f in p["sites"][row["stack"]]["frames"]] if row["stack"] is not None else []
    for name in ("work", "other"):
        if name in names:
            spent[row["rank"], name] = spent.get((row["rank"], name), 0) + row["ns"] / 1e9
            calls = [p["operations"][row[key]]["name"] for key in ("from_operation", "operation") if row[key] is not None]
            inside += row["ns"] if calls in (["MPI_Bcast", "MPI_Allreduce"], ["MPI_Barrier", "MPI_Barrier"]) else 0
for (rank, name), right in {(0, "work"): 0.1, (1, "work"): 0.5, (0, "other"): 0.1, (1, "other"): 0.1}.items():
    found = spent.get((rank, name), 0)
    assert abs(found - right) <= 3 * (right * 0.01) ** 0.5, (rank, name, found, spent)
assert inside > 0.9e9 * sum(spent.values()), (inside, spent)
END_PY
$MPICC -O2 -g -fomit-frame-pointer -I"$source/tests/unit" -o sample sample.c -lm || fail "does not compile"
run() # DIRECTORY COMMAND...
{
    at=$1
    shift
    timeout 60 $MPIEXEC -n 2 "$collprof" run --yield --sample --report=no -o "$at" "$@" 2>err || { cat err; fail "$at: status $?"; }
}
run kernel ./sample
python3 check.py kernel || fail "samples of the kernel"
run timer ./sample deny
python3 check.py timer || fail "samples of a timer"
run handles ./sample handles
"$collprof" report handles | grep -q "^ - nothing was sampled (--sample): no signal is free" || fail "without a free signal"
run empty ./sample "" 1
"$collprof" report empty | grep -q "^ - nothing was sampled (--sample): ranks compute" || fail "nothing to sample"
# Threads that call MPI, gprof and sanitizers: ends as without the profiler, which is in no leak and no race.
# A frame of the profiler has its source line; one without may be of a component that Open MPI has unloaded. What
# libunwind does when a thread ends crashes under ThreadSanitizer, with samples or without: see --stack in the manual.
for flags in -O2 -pg -fsanitize=address -fsanitize=thread; do
    # shellcheck disable=SC2086 # no flag, too
    $MPICC -g $flags -I"$source/tests/unit" -o flags sample.c -lm -lpthread 2>err ||
        { [ "$flags" != -O2 ] || fail "no program"; continue; }
    threads=1000
    [ $flags != -fsanitize=thread ] || threads=0
    timeout 60 $MPIEXEC -n 1 ./flags "" $threads >bare 2>&1
    bare=$?
    [ $bare != 124 ] || fail "$flags: no end without the profiler"
    for how in "" deny; do
        timeout 60 $MPIEXEC -n 1 "$collprof" run --sample --report=no -o flags.dir ./flags "$how" $threads >out 2>&1
        status=$?
        [ $status = $bare ] && ! grep -E '(src|wrappers)/[a-z_/]*\.c:[0-9]' out || { head -50 out; fail "$flags $how: status $status, without $bare"; }
    done
done
"$collprof" report --table=samples --format=csv kernel | grep -q 'sample.c:[0-9]* work' || fail "table"
# mpi4py is built for one MPI.
extension=$(python3 -c 'import mpi4py, glob; print(glob.glob(mpi4py.__path__[0] + "/MPI.*.so")[0])' 2>/dev/null) || exit 0
case $(ldd "$extension") in *libmpi.so.40*) mpi=openmpi ;; *) mpi=mpich ;; esac
case $mpis in *$mpi*) ;; *) exit 0 ;; esac
with_mpi $mpi
run python python3 sample.py
python3 check.py python || fail "samples of Python"
