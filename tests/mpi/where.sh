#!/bin/bash
# Every program of examples/stuck.c hangs (or is slow), and `collprof where` says of what kind that is, whether
# it is proven, which ranks are at fault, and in which function of the program. Then all ranks are killed, and
# the report begins with the same.
. "${srcdir:-.}/tests/mpi/lib.sh"

judge()
{
    python3 - "$@" <<'PY'
import json, sys
_, path, kind, proven, ranks, function, *words = sys.argv
v = json.load(open(path))
v = v["findings"]["verdict"][0] if "findings" in v else v
def ask(what, got, want):
    if got != want:
        sys.exit(f"{what}: {got}, expected {want}: {v['text']}")
ask("kind", v["kind"], kind)
ask("proven", v["proven"], proven == "yes")
if ranks != "-":
    ask("ranks", ",".join(map(str, v["ranks"])), ranks)
if not any(function in g["text"] for g in v["groups"]):
    sys.exit(f"no {function} in {v['groups']}")
for word in words:
    if word.replace("+", " ") not in v["text"]:
        sys.exit(f"no {word}: {v['text']}")
PY
}

# until_right PROGRAM COMMAND...: repeats it, which asks about the run that is to come, then kills the ranks. Their
# command line begins with PROGRAM.
until_right()
{
    program=$1 good=no
    shift
    for try in $(seq 150); do
        "$@" && { good=yes; break; }
        sleep 0.2
    done
    for pid in $(pgrep -f "^$program"); do kill -9 "$pid" 2>/dev/null; done
    wait "$launcher" 2>/dev/null
    test $good = yes
}

ask()
{
    "$collprof" where --format=json out >now.json 2>err && judge now.json "$@" >why 2>&1
}

check() # NUMBER KIND PROVEN RANKS FUNCTION [WORDS]...: in the sentence, with + for spaces; ranks -: not judged
{
    ln "$dir/stuck-$mpi" stuck
    limit= nice $MPIEXEC -n 4 "$collprof" run --yield -o out "$PWD/stuck" "$1" >log 2>&1 &
    launcher=$!
    shift
    until_right "$PWD/stuck" ask "$@" || fail "$mpi, stuck: $(cat why err)"
}

# At the same time as others: ranks that wait give way to the command that is to answer.
checks() # NUMBER...
{
    for number; do
        beside "$mpi-$number" check $(sed -n "s/^$number /$number /p" "$dir/programs")
    done
    join
}

in_init()
{
    "$collprof" where out >now.txt 2>err && tr -s '\n ' ' ' <now.txt | grep -q 'has moved for .*: rank 2, awaited in MPI_Init: no record'
}

# A deadlock, which a report shows after the ranks were killed, too. The next run, whose rank 2 does not call
# MPI_Init: it is asked about, not the one before it.
first_and_next()
{
    check $(sed -n '/^1 /p' "$dir/programs")
    "$collprof" report --format=json out >dead.json || fail "no report of killed ranks"
    judge dead.json cycle yes 0,1 receive_first || fail "$mpi: the report of what was killed"
    "$collprof" report out >dead.txt
    ! grep -qE 'Parallel efficiency|computes|balance the work|as many ranks' dead.txt ||
        fail "$mpi: beside the verdict the report has findings: $(cat dead.txt)"
    sed 1q dead.txt | grep -q 'when the run ended, a deadlock of 2 of 4 ranks' &&
        grep -q '^Next: rank 0: look at MPI_Recv, at stuck.c:.* receive_first' dead.txt ||
        fail "$mpi: the report does not begin with it, and end with it"
    cat >late.sh <<END
test "\$PMI_RANK\$OMPI_COMM_WORLD_RANK" != 2 || exec -a "$PWD/sleep" sleep 1000
exec "$PWD/stuck" 1
END
    limit= $MPIEXEC -n 4 "$collprof" run -o out bash late.sh >log 2>&1 &
    launcher=$!
    until_right "$PWD/s" in_init || fail "$mpi: in MPI_Init: $(cat now.txt err)"
}

# Another user may not see which programs the processes run.
as_other_user()
{
    chmod -R a+rX . && setpriv --reuid=65534 --clear-groups "$collprof" where out >now.txt 2>err &&
        grep -q 'where: nothing has moved' now.txt
}

another_user()
{
    chmod a+rx "$dir"
    ln "$dir/stuck-$mpi" stuck
    limit= $MPIEXEC -n 4 "$collprof" run --yield -o out "$PWD/stuck" 1 >log 2>&1 &
    launcher=$!
    until_right "$PWD/stuck" as_other_user || fail "$mpi: another user's run: $(cat now.txt err)"
}

cat >programs <<'END'
1 cycle yes 0,1 receive_first
2 cycle yes 0,1,2,3 send_first
3 unmatched yes 0,1 other_tag
4 unmatched yes 0,1 other_communicator
5 unmatched yes 1 partner_finished
6 missing yes 3 missing_member
7 mismatch yes 1 other_collective
8 mismatch yes 1 other_root
9 crossed yes 0,1,2,3 crossed
10 unmatched yes 0,1 one_request
11 computes no 1 computes
12 computes no 1 sleeps
13 polling no - polls
14 stopped yes 1 stops
15 mismatch yes - crossed_requests
16 unmatched yes 0 any_source
17 unmatched yes 1,2 ring
18 moving no - slow
19 polling no 0,1 tests polling+with+MPI_Test, for+MPI_Irecv+from+rank+0+(tag+4
20 polling no 0,1 probes polling+with+MPI_Improbe+from+rank+0+(tag+4
21 missing no 0,1,2,3 file wait+for+each+other in+MPI_Barrier in+MPI_File_open
22 computes no 1 lock rank+1,+awaited+in+MPI_Win_
23 unmatched yes 0,2 error an+awaited+message+is+not+sent
24 unmatched yes 0,1 other_receiver rank+2+has+1+message+of+tag+4+from+rank+1
25 cycle yes 0,1,2 mixed rank+0:+in+MPI_Recv rank+1:+in+MPI_Ssend rank+2:+in+MPI_Wait
26 missing no 0,1,2,3 fence wait+for+each+other in+MPI_Barrier in+MPI_Win_fence
END
for mpi in $quick_mpis; do
    with_mpi "$mpi"
    $MPICC -g -O1 -o "stuck-$mpi" "$source/examples/stuck.c" 2>/dev/null || fail "$mpi: stuck.c does not build"
    beside "$mpi-first" first_and_next
    checks 7 10 18
    # All others with ./check --thorough, for the first MPI.
    test "$mpi" = "${mpis##* }" && test "$mpi" != "${mpis# }" && continue
    checks 14 19 24
    test "${CHECK_THOROUGH:-}" = 1 || continue
    checks 2 3 4 5
    checks 6 8 9 11
    checks 12 20 21 22
    checks 23 25 26
    test "$(id -u)" != 0 || ! command -v setpriv >/dev/null || beside "$mpi-user" another_user
    join
    # Open MPI ends the program of crossed requests by an error.
    checks 13 16 17 $(test "$mpi" = openmpi || echo 15)
done

# What a rank outside of MPI is in; its process goes on.
asks_stack()
{
    "$collprof" where --stack out >now.txt 2>err &&
        tr -s ' \n' ' ' <now.txt | grep -q '! stack of rank 1: \(.*, \)\?computes at stuck.c:[0-9]*, main at stuck.c' &&
        ! grep -q 'stack of rank 0' now.txt && ! grep '^State:' "/proc/$(pgrep -f "^$PWD/stuck" | head -n 1)/status" | grep -qi stop
}
stacks()
{
    ln "$dir/stuck-$mpi" stuck
    limit= nice $MPIEXEC -n 2 "$collprof" run --yield -o out "$PWD/stuck" 11 >log 2>&1 &
    launcher=$!
    until_right "$PWD/stuck" asks_stack || fail "$mpi: the stack: $(cat now.txt err)"
}
test "$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)" != 0 || { beside stacks stacks; join; }

mkdir empty
"$collprof" where empty >out.txt 2>err && fail "an empty directory has no verdict"
grep -q 'no record' err || fail "an empty directory: $(cat err)"

mkdir ended
echo '{}' >ended/profile.json
"$collprof" where ended >out.txt 2>err && fail "a run that has ended has no verdict"
test "$(wc -l <err)" = 1 && grep -q 'the run has ended, .*use: collprof report ended' err || fail "a run that has ended: $(cat err)"
