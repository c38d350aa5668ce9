# What the tests of a bench program that $program names share: run takes $options, too. Sourced; a test runs in its own
# empty directory, which goes away with it.
. "$srcdir/tests/mpi/lib.sh"
bench=$built/bench/$program
turns=$built/tests/mpi/.libs/libturns.so
fail() { echo "FAIL: $*"; cat out err; exit 1; }
# Whatever is written as text has tables of 80 columns at most.
# shellcheck disable=SC2086 # several options
run() {
    n=$1
    shift
    $MPIEXEC -n "$n" "$bench" $options "$@" >out 2>err || return
    case $* in *--format*) return ;; esac
    ! grep -E '^#?  .{79}' out || fail "$*: a table of more than 80 columns"
}
# usage: refuses RANKS MESSAGE OPTION...
refuses() {
    n=$1 message=$2
    shift 2
    rm -f written
    run "$n" -o written "$@"
    test $? = 2 || fail "$*: status is not 2"
    test "$(grep -c . err)" = 1 || fail "$*: not one line"
    grep -qF -e "$message" err || fail "$*: not said: $message"
    test ! -e written && test ! -s out || fail "$*: something was written"
}
# usage: spoiled OPTION...: data that arrive wrong are reported, and by the status.
spoiled() {
    (
        export TURNS_SPOIL=1 LD_PRELOAD="$turns"
        run 2 "$@"
    )
    test $? = 1 && grep -q 'WRONG DATA in 1 of 1 cases' out || fail "wrong data are not reported"
}
