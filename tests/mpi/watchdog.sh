#!/bin/bash
# The watchdog reports a run that is stuck, and ends it only where it can never go on: with its own status.
# Runs that go on are left alone, nothing of it stays, and the application does not see it.
. "${srcdir:-.}/tests/mpi/lib.sh"

run() # SECONDS OPTION... -- PROGRAM...: with a launcher of at most that time; status, out and err
{
    time=$1
    shift
    timeout "$time" $MPIEXEC -n 4 "$collprof" run --yield --report=no -o out "$@" >out.txt 2>err
    status=$?
}

says() # WHAT NUMBER TEXT
{
    tr -s '\n ' ' ' <err | grep -q "collprof watchdog: .*$3" || fail "$mpi, stuck $2, $1: $(cat err)"
}

# Where a launcher kills what is left when the first rank has ended, that is what it returns.
is_ended() # WHAT
{
    case $status in 5 | 9 | 137) ;; *) fail "$mpi: $1 ends with status $status: $(cat err)" ;; esac
}

is_gone()
{
    for try in $(seq 50); do
        pgrep -f "$collprof run .*$dir/" >left || return 0
        sleep 0.1
    done
    fail "$mpi, $1: a watchdog stays: $(cat left)"
}

for mpi in $mpis; do
    with_mpi "$mpi"
    $MPICC -g -O1 -o stuck "$source/examples/stuck.c" 2>/dev/null || fail "$mpi: stuck.c does not build"

    # Hopeless, and ended with the watchdog's status.
    run 60 --watchdog=2 --watchdog-abort "$dir/stuck" 1
    is_ended "a deadlock"
    says "the deadlock" 1 "a deadlock of 2 of 4 ranks"
    says "the line" 1 "stuck.c:[0-9]* receive_first"
    says "the end" 1 "ended with status 5"
    test "$(grep -c 'a deadlock' err)" = 1 || fail "$mpi: reported twice: $(cat err)"
    is_gone "a deadlock"
    run 60 --watchdog=1 --watchdog-abort "$dir/stuck" 14
    is_ended "a stopped rank"
    says "the stopped rank" 14 "rank 1: stopped"

    # A rank that computes may go on: a notice, and no end.
    run 8 --watchdog=1 --watchdog-abort "$dir/stuck" 11
    test $status = 124 || fail "$mpi: a rank that computes was ended: $(cat err)"
    says "who computes" 11 "rank 1, awaited in MPI_Barrier .*: computing"
    ! grep -q 'is ended' err || fail "$mpi: $(cat err)"
    pkill -9 -f "$dir/stuck"
    is_gone "a rank that computes"
done

# One rank's status is its own.
cat >self.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    int value;
    MPI_Init(&argc, &argv);
    MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
END
$MPICC -o self self.c || fail "self.c does not build"
timeout 60 $MPIEXEC -n 1 "$collprof" run --report=no -o out --watchdog=1 --watchdog-abort "$dir/self" >out.txt 2>err
test $? = 5 || fail "one rank: $(cat out.txt err)"

# Ranks that do without one that has ended are not ended. (Open MPI would end them itself.)
cat >alone.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        _exit(0);
    sleep(4);
    if (rank == 0)
        printf("went on\n");
    fflush(stdout);
    _exit(0);
}
END
case " $mpis " in *" mpich "*)
    mpicc.mpich -o alone alone.c || fail "alone.c does not build"
    timeout 60 mpiexec.mpich -disable-auto-cleanup -n 3 "$collprof" run --report=no -o out --watchdog=1 \
        --watchdog-abort "$dir/alone" >out.txt 2>err
    grep -q 'went on' out.txt && ! grep -q 'is ended' err || fail "ranks that do without one: $(cat out.txt err)" ;;
esac

# What goes on is left alone. A rank that is stopped for less than the time is none to report.
cat >pause.c <<'END'
#include <mpi.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 6; i++) {
        usleep(rank == 1 ? 500000 : 0);
        MPI_Barrier(MPI_COMM_WORLD);
        if (i == 2 && rank == 2) {
            pid_t child = fork(); /* wakes its parent */
            if (child == 0) {
                sleep(1);
                kill(getppid(), SIGCONT);
                _exit(0);
            }
            raise(SIGSTOP);
            waitpid(child, NULL, 0);
        }
    }
    if (waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD) /* the watchdog is no child of ours */
        printf("there is a child\n");
    MPI_Finalize();
    return 0;
}
END
$MPICC -o pause pause.c || fail "pause.c does not build"
run 60 --watchdog=3 --watchdog-abort "$dir/pause"
test $status = 0 && ! test -s out.txt || fail "a run that goes on: status $status: $(cat out.txt err)"
! grep -q watchdog err || fail "a run that goes on: $(cat err)"
# Stops of 0.8 s, one after the other, are none of 1 s.
cat >again.c <<'END'
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    char wake[100];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(wake, sizeof wake, "(sleep 0.8; kill -CONT %d) >/dev/null 2>&1 &", (int)getpid());
    for (int i = 0; i < 5; i++) {
        if (rank == 1 && system(wake) == 0)
            raise(SIGSTOP);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
END
$MPICC -o again again.c || fail "again.c does not build"
run 60 --watchdog=1 --watchdog-abort "$dir/again"
test $status = 0 && ! grep -q watchdog err || fail "a rank that is stopped again and again: status $status: $(cat err)"
$MPICC -O1 -o heat "$source/examples/heat.c" -lm || fail "heat.c does not build"
run 60 --watchdog=5 "$dir/heat" -s 20
test $status = 0 && ! grep -q watchdog err || fail "heat: status $status: $(cat err)"
is_gone "runs that go on"

# The launcher does not wait for it. A shell's program is its rank's.
run 60 --watchdog=30 sh -c "sleep 0.1; $dir/pause; true"
test $status = 0 || fail "a program of a shell: status $status: $(cat err)"
is_gone "a shell"
# Without a launcher, which may lose the last words of its processes.
"$collprof" run --watchdog-abort "$dir/pause" >out.txt 2>err
status=$?
test $status = 2 && grep -q 'use: --watchdog=60' err || fail "no time: status $status: $(cat err)"
exit 0
