#!/bin/sh
# Protects the report of real runs: call sites by file and line under ASLR, in inlined functions,
# without debug information and stripped; the same page again from the directory; crashed runs.
collprof=$top_builddir/collprof
sites=$top_builddir/tests/mpi/sites
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
unset $(env | sed -n 's/^\(COLLPROF_[A-Z_]*\)=.*/\1/p')
fail() {
    echo "FAIL: $*"
    failed=1
}
has() { # FILE WORD
    grep -q -- "$2" "$1" || { fail "no '$2' in:"; cat "$1"; }
}
run() { # DIR PROGRAM ARGUMENTS
    out=$1
    shift
    $MPIEXEC -n 2 $collprof run -o "$out" "$@" > "$out.txt" 2>&1 < /dev/null
}
line() {
    grep -n "mark: $1" "$srcdir/tests/mpi/sites.c" | cut -d: -f1
}

run "$work/a" $sites || fail "status $?"
has "$work/a.txt" "sites.c:$(line plain) plain_broadcast"
has "$work/a.txt" "sites.c:$(line inlined) inlined_broadcast"
has "$work/a.txt" 'MPI_Bcast *100 ' # one site of 2 x 50 calls, wherever it was loaded
ls "$work/a" | grep -q ledger && fail "raw records of a run that ended well were left"

# The page again is the page.
sed -n '/^collprof: /,$p' "$work/a.txt" > "$work/page"
$collprof report "$work/a" > "$work/again" || fail "report: status $?"
cmp -s "$work/page" "$work/again" || { fail "another page:"; diff "$work/page" "$work/again"; }
$collprof report --format=json "$work/a" > "$work/json" || fail "report --format=json: status $?"
has "$work/json" '"schema": "collprof-profile/2"'
$collprof report --format=csv --table=call_sites "$work/a" > "$work/csv" || fail "report --format=csv --table=call_sites: status $?"
head -n 1 "$work/csv" | grep -q '^operation,calls,.*,call_site$' || fail "a table does not begin with its header"
[ "$(grep -c '^operation,' "$work/csv")" = 1 ] || fail "one table is several"
has "$work/csv" '^MPI_Bcast,100,.*,sites.c:'"$(line plain)"' plain_broadcast'
for caller in first second; do
    has "$work/csv" "sites.c:$(line barrier) inlined_barrier < sites.c:$(line $caller) $caller"
done
cp -r "$work/a/." "$work/a-same"
$collprof compare "$work/a" "$work/a-same" > "$work/compared" || fail "compare: status $?"
has "$work/compared" 'undecided with 1 + 1 runs'
$collprof report --list "$work/a" > "$work/listed" || fail "report --list: status $?"
has "$work/listed" 'a-same .* complete'
$collprof report --format=perfetto -o "$work/trace" "$work/a" 2> "$work/untraced" && fail "a trace of a run without one"
has "$work/untraced" 'collprof run --trace'
$collprof report --format=csv "$work/a" > "$work/exported" || fail "csv: status $?"
$collprof export --table=operations "$work/a" > "$work/table" || fail "export --table: status $?"
sed -n '/^# table: operations$/,/^$/p' "$work/exported" | grep -v -e '^#' -e '^$' | cmp -s - "$work/table" ||
    fail "--table is not the same table"
$collprof plot "$work/a" > "$work/drawn" || { fail "plot: status $?"; cat "$work/drawn"; }
has "$work/drawn" 'a/report.html: open it in a browser'
has "$work/a/report.html" '"name":"ranks"'

# Less to go by: symbols alone, then not even these. The calls stay apart.
sites_binary=$sites
[ -x "$top_builddir/tests/mpi/.libs/sites" ] && sites_binary=$top_builddir/tests/mpi/.libs/sites
if command -v strip > /dev/null; then
    strip -g -o "$work/symbols" "$sites_binary"
    strip -o "$work/stripped" "$sites_binary"
    run "$work/b" "$work/symbols"
    has "$work/b.txt" 'plain_broadcast+0x'
    $collprof report --full "$work/b" > "$work/b.txt"
    has "$work/b.txt" 'no debug information in symbols'
    run "$work/c" "$work/stripped"
    has "$work/c.txt" 'stripped+0x'
    # A program built anew is not the one that ran.
    run "$work/d" --report=no --keep "$work/symbols"
    rm "$work/d/profile.json"
    cp "$top_builddir/collprof" "$work/symbols"
    $collprof report --full "$work/d" > "$work/d.txt"
    has "$work/d.txt" 'symbols has changed since the run'
fi

# However rank 1 ends, both leave a record, and the status is what it is without us.
for end in kill term abort exit; do
    # Where one rank ends by itself and the launcher ends the other, the launcher's own status is
    # that of either, as it happens: it has to be one that also occurs without collprof, the rare ones
    # in one of three runs.
    for run in 1 2 3; do
        run "$work/$end" $sites $end
        status=$?
        for try in 1 2 3 4 5 6 7 8 9 10; do
            $MPIEXEC -n 2 $sites $end > /dev/null 2>&1
            alone=$?
            [ $status -eq $alone ] && break 2
        done
    done
    [ $status -eq $alone ] || fail "$end: status $status, which never is without collprof"
    $collprof report --full "$work/$end" > "$work/page" || fail "report after $end: status $?"
    has "$work/page" 'made from the raw'
    has "$work/page" 'on 2 ranks'
    grep -q 'no record of' "$work/page" && { fail "after $end a record is missing"; cat "$work/page"; }
    has "$work/page" "sites.c:$(line plain)"
done
$collprof report --full "$work/kill" | grep -q 'rank[s 0,]* 1: killed or cut off' || fail "kill is not said"
$collprof report --format=json "$work/kill" > "$work/kill.json" || fail "report --format=json after kill: status $?"
$collprof report --full "$work/term" | grep -q 'ended by signal 15' || fail "SIGTERM is not said"
$collprof report --full "$work/abort" | grep -q 'rank 1: called MPI_Abort with error code 7' || fail "abort"
$collprof report --full "$work/exit" | grep -q 'rank 1: exited without MPI_Finalize' || fail "exit"

# Every key of a profile is in its manual page: of these profiles, and of all that are declared.
python3 - "$srcdir/man/collprof-profile.5" "$srcdir/src/profile/fields.c" "$work"/*/profile.json \
    "$work"/kill.json <<'EOF' || fail "keys of profile.json are missing in collprof-profile(5)"
import json, re, sys
page, declared = (open(name).read() for name in sys.argv[1:3])
keys = set(re.findall(r'FIELD\(\w+, \w+, "(\w+)"', declared))
def collect(value):
    if isinstance(value, dict):
        keys.update(value)
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        collect(inner)
for name in sys.argv[3:]:
    collect(json.load(open(name)))
assert "verdict" in keys and len(keys) > 100, len(keys)
named = set(re.findall(r"\w+", "\n".join(l for l in page.split("\n") if re.match(r"\..*\bLi\b", l))))
missing = sorted(keys - named)
print("not in the page:", missing) if missing else None
sys.exit(bool(missing))
EOF
exit $failed
