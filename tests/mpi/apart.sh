#!/bin/sh
# Runs that meet: two in one directory, one inside another, one after another, one in a directory
# that somebody else has prepared. None touches what is not its own.
. "${srcdir:-.}/tests/mpi/lib.sh"
strange=$built/tests/mpi/strange
go=$dir/go

# Two at once: each has its records and its profile; the first one lists the second.
GO=$go layered 2 shared "$strange" waiting >out1 2>err1 &
first=$!
for try in $(seq 600); do
    test -n "$(ls shared/rank-* 2>/dev/null)" && break
    sleep 0.1
done
layered 2 shared "$strange" longjmp >out2 2>err2 || { cat err2; fail "second: status $?"; }
touch "$go"
wait $first || { cat err1; fail "first: status $?"; }
test ! -s err1 || { cat err1; fail "first: something was said"; }
grep -q 'shared is in use by another run: this run writes to shared-2' err2 || { cat err2; fail "second: not said where"; }
profile shared calls MPI_Barrier=40
profile shared-2 calls MPI_Barrier=200
"$collprof" report shared | tr -s ' \n' ' ' | grep -q 'other runs have written beside this one meanwhile: shared-2' ||
    fail "the second run is not listed"
test -z "$(ls -A shared shared-2 | grep -v -e profile.json -e : -e '^$')" || fail "left over: $(ls -A shared shared-2)"

# Both from the start, several times: whoever comes second goes beside.
for round in 1 2 3; do
    layered 2 race "$strange" longjmp >out1 2>err1 &
    first=$!
    layered 2 race "$strange" longjmp >out2 2>err2 || { cat err2; fail "race: status $?"; }
    wait $first || { cat err1; fail "race: status of the other $?"; }
    cmp out1 out2 || fail "race: other output"
    profile race calls MPI_Barrier=200
done

# One that comes and goes while the ranks of another are still starting: all of these take part.
"$MPIEXEC" -n 1 "$collprof" run --yield --report=no -o between "$strange" longjmp : \
    -n 1 sh -c "while [ ! -e '$dir/start' ]; do sleep 0.1; done; exec '$collprof' run --yield --report=no -o between '$strange' longjmp" >out1 2>err1 &
first=$!
for try in $(seq 300); do
    ls between*.ranks >/dev/null 2>&1 && break
    sleep 0.1
done
layered 2 between "$strange" longjmp >out2 2>err2 || { cat err2; fail "between: status $?"; }
touch start
wait $first || { cat err1; fail "between: status of the first $?"; }
test ! -s err1 || { cat err1; fail "between: something was said"; }
profile between calls MPI_Barrier=200
test -z "$(ls | grep '[.]ranks$')" || fail "a list of ranks stays"

# A run inside a run.
INNER="$MPIEXEC -n 2 $strange longjmp >/dev/null" layered 2 outer "$strange" nested >out 2>err ||
    { cat err; fail "nested: status $?"; }
if grep -q 'inner run failed' out; then
    echo "a launcher that cannot be started from a rank: not tested"
else
    profile outer calls MPI_Barrier=40
    profile outer-2 calls MPI_Barrier=200
fi

# One that dies leaves records, which the next run moves away, and nothing else.
mkdir dead
echo mine >dead/rank-1.ledger
echo '{"mine": 1}' >dead/data.json
layered 2 dead "$built/tests/mpi/ends" kill >out 2>err
ls dead/rank-00000*.ledger >/dev/null || fail "no records of a run that was killed"
layered 2 dead "$strange" longjmp >out 2>err || fail "after a dead one: status $?"
profile dead calls MPI_Barrier=200
test "$(ls dead | sed 's/-.*[0-9]$//' | tr '\n' ' ')" = "before data.json profile.json rank-1.ledger " ||
    fail "left: $(ls dead)"
test "$(ls dead/before-* | sed 's/-.*//' | sort -u)" = rank || fail "kept: $(ls dead/before-*)"

# Somebody's own profile.json is not taken for ours.
mkdir theirs
echo '{"name": "settings"}' >theirs/profile.json
layered 2 theirs "$strange" longjmp >out 2>err || fail "own profile.json: status $?"
grep -q settings theirs/profile.json || fail "somebody's own profile.json was overwritten"
profile theirs-2 calls MPI_Barrier=200

# Nor what is no file at all.
for kind in mkfifo mkdir; do
    mkdir no-$kind
    $kind no-$kind/profile.json
    layered 2 no-$kind "$strange" longjmp >out 2>err || fail "$kind: status $?"
    test ! -f no-$kind/profile.json || fail "$kind: what was there is gone"
    profile no-$kind-2 calls MPI_Barrier=200
done

# Sessions, whose ranks do not talk to each other about it: the second run at a time goes beside, the
# third one keeps the first.
cat >session.c <<'END'
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    for (int i = 0; i < atoi(argv[1]); i++)
        MPI_Barrier(comm);
    for (int i = 0; argc > 2 && access(argv[2], F_OK) && i < 600; i++)
        usleep(100000);
    MPI_Group_free(&group);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return 0;
}
END
if $MPICC session.c -o session 2>compiled && plain 2 ./session 1 >out 2>&1; then
    layered 2 sessions ./session 7 "$dir/on" >out1 2>err1 &
    first=$!
    for try in $(seq 600); do
        test "$(ls sessions/rank-* 2>/dev/null | wc -l)" = 2 && break
        sleep 0.1
    done
    layered 2 sessions ./session 8 >out2 2>err2 || { cat err2; fail "second with sessions: status $?"; }
    layered 2 sessions "$strange" longjmp >out2 2>err2 || { cat err2; fail "beside sessions: status $?"; }
    touch on
    wait $first || { cat err1; fail "first with sessions: status $?"; }
    layered 2 sessions ./session 9 >out3 2>err3 || { cat err3; fail "third with sessions: status $?"; }
    for run in sessions/before-*=14 sessions-2/before-*=16 sessions-2=200 sessions=18; do
        # shellcheck disable=SC2086 # one name
        profile ${run%=*} ranks 2
        # shellcheck disable=SC2086
        profile ${run%=*} calls MPI_Barrier=${run#*=}
    done
    # Many at the same moment: each has a directory and a profile of its own, whose ranks are together.
    for size in 1 2; do
        for n in 1 2 3 4 5; do
            layered $size farm$size ./session $n "$dir/on$size" >farm.out.$n 2>&1 &
        done
        for try in $(seq 600); do
            test "$(ls farm$size/rank-* farm$size-*/rank-* 2>/dev/null | wc -l)" = $((5 * size)) && break
            sleep 0.1
        done
        touch on$size
        wait
        for n in 1 2 3 4 5; do
            found=
            for d in farm$size farm$size-[2-5]; do
                (profile $d calls MPI_Barrier=$((n * size)) && profile $d ranks $size) >/dev/null 2>&1 && found=$found$d
            done
            test -n "$found" || { cat farm.out.*; ls farm$size*; fail "no profile of session $n of many with $size ranks"; }
        done
    done
fi

# Links that lead elsewhere.
mkdir -p trap
echo precious >precious
ln -s ../precious trap/profile.json
ln -s ../precious trap/rank-000000.ledger
layered 2 trap "$strange" longjmp >out 2>err || fail "links: status $?"
test "$(cat precious)" = precious || fail "a file was overwritten through a link"

test "$(id -u)" = 0 && command -v setpriv >/dev/null || exit 0
chmod 755 "$dir"

# as_nobody COMMAND...
as_nobody()
{
    setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

# A rank that has changed its user since MPI_Init: its memory is closed to the others.
for who in 0 1 both; do
    case $who in both) unset CHANGING ;; *) export CHANGING=$who ;; esac
    layered 2 changed.$who "$strange" changed-user >out 2>err ||
        { cat err; fail "changed user, $who: status $?"; }
    "$collprof" report --json changed.$who >changed.json || fail "changed user, $who: no report"
    mkdir -p "changed.$who.json"
    mv changed.json "changed.$who.json/profile.json"
    profile changed.$who.json calls MPI_Barrier=4020
done

# A directory, or a link to one, that belongs to somebody else: nothing is written there.
mkdir prepared
chown 65534 prepared
ln -s "$dir/dead" linked
chown -h 65534 linked
for d in prepared linked; do
    before=$(ls -A $d)
    layered 2 $d "$strange" longjmp >out 2>err || fail "$d: status $?"
    grep -q "cannot write records to $d .* another user" err || { cat err; fail "$d: not said why"; }
    test "$(ls -A $d)" = "$before" || fail "$d: something was written"
done

# The other way round: what root has left is not touched, and why is said.
mkdir roots
chmod 755 roots
as_nobody test -x "$strange" || exit 0
as_nobody env LD_PRELOAD="$layer" COLLPROF_OUTPUT="$dir/roots" COLLPROF_REPORT=no HOME=/ \
    "$strange" longjmp >out 2>err || fail "nobody: status $?"
grep -q 'cannot write records to .*roots (rank 0: Permission denied)' err || { cat err; fail "nobody: not said why"; }
exit 0
