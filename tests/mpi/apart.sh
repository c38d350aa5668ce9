#!/bin/sh
# Runs that meet: two in one directory, one inside another, one after another, one in a directory
# that somebody else has prepared. None touches what is not its own.
. "${srcdir:-.}/tests/mpi/lib.sh"
strange=$built/tests/mpi/strange
go=$dir/go

# Two at once: each has its records and its profile; the first one lists the second.
GO=$go layered 2 shared "$strange" waiting >out1 2>err1 &
first=$!
for try in $(seq 100); do
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
done
profile race calls MPI_Barrier=200

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
