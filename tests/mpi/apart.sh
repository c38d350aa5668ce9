#!/bin/sh
# Runs that meet: two in one directory, one inside another, one after another, one in a directory
# that somebody else has prepared. None touches what is not its own.
. "${srcdir:-.}/tests/mpi/lib.sh"
strange=$built/tests/mpi/strange
go=$dir/go

# one_of NAME CHECK...: one of the runs of NAME holds that, and its ranks are two.
one_of()
{
    name=$1
    shift
    for d in "$name"-????????; do
        (profile "$d" ranks 2 && profile "$d" "$@") >/dev/null 2>&1 && return 0
    done
    ls -l . "$name"*
    fail "no run of $name: $*"
}

# Two at once: each has its records and its profile.
GO=$go layered 2 shared "$strange" waiting >out1 2>err1 &
first=$!
for try in $(seq 600); do
    test -n "$(ls shared/rank-* 2>/dev/null)" && break
    sleep 0.1
done
layered 2 shared "$strange" longjmp >out2 2>err2 || { cat err2; fail "second: status $?"; }
profile shared calls MPI_Barrier=200
touch "$go"
wait $first || { cat err1; fail "first: status $?"; }
test ! -s err1 && test ! -s err2 || { cat err1 err2; fail "something was said"; }
one_of shared calls MPI_Barrier=40
one_of shared calls MPI_Barrier=200
test -z "$(ls -A shared-* | grep -v -e profile.json -e : -e '^$')" || fail "left over: $(ls -A shared-*)"

# One that comes and goes while the ranks of another are still starting: all of these take part.
"$MPIEXEC" -n 1 "$collprof" run --yield --report=no -o between "$strange" longjmp : \
    -n 1 sh -c "while [ ! -e '$dir/start' ]; do sleep 0.1; done; exec '$collprof' run --yield --report=no -o between '$strange' longjmp" >out1 2>err1 &
first=$!
for try in $(seq 300); do
    ls between-*/rank-* >/dev/null 2>&1 && break
    sleep 0.1
done
layered 2 between "$strange" longjmp >out2 2>err2 || { cat err2; fail "between: status $?"; }
touch start
wait $first || { cat err1; fail "between: status of the first $?"; }
test ! -s err1 || { cat err1; fail "between: something was said"; }
test "$(for d in between-????????; do (profile $d ranks 2 && profile $d calls MPI_Barrier=200) && echo one; done | wc -l)" = 2 ||
    fail "between: not two whole runs"

# A run inside a run: the name leads to the one that ended last.
INNER="$MPIEXEC -n 2 $strange longjmp >/dev/null" layered 2 outer "$strange" nested >out 2>err ||
    { cat err; fail "nested: status $?"; }
profile outer calls MPI_Barrier=40
if grep -q 'inner run failed' out; then
    echo "a launcher that cannot be started from a rank: not tested"
else
    one_of outer calls MPI_Barrier=200
fi

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
    "$collprof" report --format=json changed.$who >changed.json || fail "changed user, $who: no report"
    mkdir -p "changed.$who.json"
    mv changed.json "changed.$who.json/profile.json"
    profile changed.$who.json calls MPI_Barrier=4020
done

# A name that belongs to somebody else is left alone.
mkdir prepared
chown 65534 prepared
ln -s "$dir/prepared" linked
chown -h 65534 linked
for d in prepared linked; do
    layered 2 $d "$strange" longjmp >out 2>err || fail "$d: status $?"
    grep -q "$d exists and is not a link that collprof has made: this run is in $d-" err || { cat err; fail "$d: not said"; }
    test -z "$(ls -A prepared)" || fail "$d: something was written"
    one_of $d calls MPI_Barrier=200
done

# The other way round: what root has left is not touched, and why is said.
mkdir roots
chmod 755 roots
as_nobody test -x "$strange" || exit 0
as_nobody env LD_PRELOAD="$layer" COLLPROF_OUTPUT="$dir/roots/roots" COLLPROF_REPORT=no HOME=/ \
    "$strange" longjmp >out 2>err || fail "nobody: status $?"
grep -q 'rank 0: cannot write records to .*roots-.*: Permission denied: this run is not recorded' err || { cat err; fail "nobody: not said why"; }
exit 0
