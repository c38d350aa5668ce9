#!/bin/bash
# The watchdog reports a run that is stuck, and ends it only where it can never go on: with its own status.
# Runs that go on are left alone, nothing of it stays, and the application does not see it.
. "${srcdir:-.}/tests/mpi/lib.sh"

run() # OPTION... -- PROGRAM...: status, out and err
{
    timeout 60 $MPIEXEC -n 4 "$collprof" run --yield --report=no -o out "$@" >out.txt 2>err
    status=$?
}

says() # WHAT TEXT
{
    tr -s '\n ' ' ' <err | grep -q "collprof watchdog: .*$2" || fail "$mpi, $1: $(cat err)"
}

is_ended() # WHAT
{
    test $status = 5 || fail "$mpi: $1 ends with status $status: $(cat err)"
}

is_gone()
{
    for try in $(seq 50); do
        pgrep -f "$collprof run .*$PWD/" >left || return 0
        sleep 0.1
    done
    fail "$mpi: a watchdog stays: $(cat left)"
}

# Each case has a program of its own name.
program()
{
    ln "$dir/$1" "$1"
    program=$PWD/$1
}

# The run of a program that goes on.
left_alone() # PROGRAM OPTIONS [ARGUMENT...]
{
    program "$1"
    options=$2
    shift 2
    run $options "$program" "$@"
    test $status = 0 && ! grep -q watchdog err || fail "a run that goes on: status $status: $(cat out.txt err)"
    is_gone
}

# Hopeless, and ended with the watchdog's status.
deadlock()
{
    program stuck-$mpi
    run --watchdog=2 --watchdog-abort "$program" 1
    is_ended "a deadlock"
    says "the deadlock" "a deadlock of 2 of 4 ranks"
    says "the line" "stuck.c:[0-9]* receive_first"
    says "the end" "ended with status 5"
    test "$(grep -c 'a deadlock' err)" = 1 || fail "$mpi: reported twice: $(cat err)"
    "$collprof" report out >report
    sed 1q report | grep -q '^when the run ended, a deadlock of 2 of 4 ranks' || fail "$mpi: the report: $(cat report)"
    run --watchdog=1 --watchdog-abort "$program" 5
    says "the time in another call than MPI_Finalize" "nothing has moved for [1-9].*: [2-4] of 4 ranks can never continue: an awaited message"
    is_gone
}

stopped()
{
    program stuck-$mpi
    run --watchdog=1 --watchdog-abort "$program" 14
    is_ended "a stopped rank"
    says "the stopped rank" "rank 1: stopped"
    # A rank that computes may go on: a notice, and no end.
    until_reported 11 "rank 1, awaited in MPI_Barrier .*: computing"
}

# Starts PROGRAM with NUMBER, and kills it some time after the watchdog has reported TEXT.
until_reported() # NUMBER TEXT
{
    timeout 60 $MPIEXEC -n 4 "$collprof" run --yield --report=no -o out --watchdog=1 --watchdog-abort "$program" $1 >out.txt 2>err &
    while kill -0 $! && ! tr -s '\n ' ' ' <err | grep -q "collprof watchdog: .*$2"; do
        sleep 0.2
    done
    sleep 2
    says "a report" "$2"
    kill -0 $! && ! grep -q 'is ended' err || fail "$mpi: a rank that may go on was ended: $(cat err)"
    pkill -9 -f "^$program"
    wait $!
    is_gone
}

for mpi in $quick_mpis; do
    with_mpi "$mpi"
    $MPICC -g -O1 -o "stuck-$mpi" "$source/examples/stuck.c" 2>/dev/null || fail "$mpi: stuck.c does not build"
    for case in deadlock stopped; do
        beside $case-$mpi $case
    done
    join
done

# One rank's status is its own.
write_program self <<'END'
    int value;
    MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
END
$MPICC -o self self.c || fail "self.c does not build"
one_rank()
{
    timeout 60 $MPIEXEC -n 1 "$collprof" run --report=no -o out --watchdog=1 --watchdog-abort "$dir/self" >out.txt 2>err
    test $? = 5 || fail "one rank: $(cat out.txt err)"
}

# Ranks that do without one that has ended are not ended. (Open MPI would end them itself.)
write_program alone <<'END'
    if (rank == 1)
        _exit(0);
    sleep(4);
    if (rank == 0)
        printf("went on\n");
    fflush(stdout);
    _exit(0);
END
without_one()
{
    mpicc.mpich -o alone ../alone.c || fail "alone.c does not build"
    timeout 60 mpiexec.mpich -disable-auto-cleanup -n 3 "$collprof" run --report=no -o out --watchdog=1 \
        --watchdog-abort ./alone >out.txt 2>err
    grep -q 'went on' out.txt && ! grep -q watchdog err || fail "ranks that do without one: $(cat out.txt err)"
}

# What goes on is left alone. A rank that is stopped for less than the time is none to report.
write_program pause <<'END'
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
END
$MPICC -o pause pause.c || fail "pause.c does not build"
goes_on()
{
    left_alone pause "--watchdog=3 --watchdog-abort"
    ! test -s out.txt || fail "a run that goes on: $(cat out.txt)"
}
# Stops of 0.8 s, one after the other, are none of 2 s.
write_program again <<'END'
    char wake[100];
    snprintf(wake, sizeof wake, "(sleep 0.8; kill -CONT %d) >/dev/null 2>&1 &", (int)getpid());
    for (int i = 0; i < 5; i++) {
        if (rank == 1 && system(wake) == 0)
            raise(SIGSTOP);
        MPI_Barrier(MPI_COMM_WORLD);
    }
END
$MPICC -o again again.c || fail "again.c does not build"
# Who has waited long at a call site may do so again, for 20 times as long.
write_program patient <<'END'
    for (int i = 0; i < 2; i++) {
        usleep(rank == 1 ? (i ? 6000000 : 500000) : 0);
        MPI_Barrier(MPI_COMM_WORLD);
    }
END
$MPICC -o patient patient.c || fail "patient.c does not build"
$MPICC -O1 -o heat "$source/examples/heat.c" -lm || fail "heat.c does not build"

# The launcher does not wait for it. A shell's program is its rank's.
shell()
{
    program pause
    run --watchdog=30 sh -c "sleep 0.1; $program; true"
    test $status = 0 || fail "a program of a shell: status $status: $(cat err)"
    is_gone
}
for case in one_rank goes_on $(case " $mpis " in *" mpich "*) echo without_one ;; esac); do
    beside $case $case
done
beside stopped_again left_alone again "--watchdog=2 --watchdog-abort"
beside waited_before left_alone patient --watchdog=2
join
beside shell shell
beside heat_goes_on left_alone heat --watchdog=5 -s 20
join

# Without a launcher, which may lose the last words of its processes.
"$collprof" run --watchdog-abort "$dir/pause" >out.txt 2>err
status=$?
test $status = 2 && grep -q 'use: --watchdog=60' err || fail "no time: status $status: $(cat err)"
exit 0
