#!/bin/sh
# Protects the report of real runs: call sites by file and line under ASLR, in inlined functions,
# without debug information and stripped; the same page again from the directory; crashed runs.
. "${srcdir:-.}/tests/mpi/lib.sh"
sites=$built/tests/mpi/sites
work=$dir
has() { # FILE WORD
    grep -q -- "$2" "$1" || { cat "$1"; fail "no '$2' in $1"; }
}
run() { # DIR PROGRAM ARGUMENTS
    out=$1
    shift
    $MPIEXEC -n 2 $collprof run -o "$out" "$@" > "$out.txt" 2>&1 < /dev/null
}
line() {
    grep -n "mark: $1" "$source/tests/mpi/sites.c" | cut -d: -f1
}

run "$work/a" $sites || fail "status $?"
has "$work/a.txt" "sites.c:$(line plain) plain_broadcast"
has "$work/a.txt" "sites.c:$(line inlined) inlined_broadcast"
has "$work/a.txt" 'MPI_Bcast *100 ' # one site of 2 x 50 calls, wherever it was loaded
ls "$work/a" | grep -q ledger && fail "raw records of a run that ended well were left"

# The page again is the page.
sed -n '/^collprof: /,$p' "$work/a.txt" > "$work/page"
$collprof report a > "$work/again" || fail "report: status $?"
diff "$work/page" "$work/again" || fail "another page"
$collprof report --format=csv --table=call_sites "$work/a" > "$work/csv" || fail "report --format=csv --table=call_sites: status $?"
has "$work/csv" '^MPI_Bcast,100,.*,sites.c:'"$(line plain)"' plain_broadcast'
for caller in first second; do
    has "$work/csv" "sites.c:$(line barrier) inlined_barrier < sites.c:$(line $caller) $caller"
done
$collprof report --format=csv "$work/a" > "$work/exported" || fail "csv: status $?"
$collprof export --table=operations "$work/a" > "$work/table" || fail "export --table: status $?"
sed -n '/^# table: operations$/,/^$/p' "$work/exported" | grep -v -e '^#' -e '^$' | cmp -s - "$work/table" ||
    fail "--table is not the same table"

# Less to go by: symbols alone, then not even these. The calls stay apart.
sites_binary=$sites
[ -x "$built/tests/mpi/.libs/sites" ] && sites_binary=$built/tests/mpi/.libs/sites
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
    cp "$built/collprof" "$work/symbols"
    $collprof report --full "$work/d" > "$work/d.txt"
    has "$work/d.txt" 'symbols has changed since the run'
fi

# Where rank 1 was killed both ranks have left a record: see ends.sh.
run "$work/kill" $sites kill
$collprof report --full "$work/kill" > "$work/page" || fail "report after a kill: status $?"
for word in 'made from the raw' 'on 2 ranks' "sites.c:$(line plain)" 'rank[s 0,]* 1: killed or ended without'; do
    has "$work/page" "$word"
done
$collprof report --format=json "$work/kill" > "$work/kill.json" || fail "report --format=json after kill: status $?"

# Every key of a profile is in its manual page: of these profiles, and of all that are declared.
python3 - "$source/man/collprof-profile.5" "$source/src/profile/rows.h" "$work"/*/profile.json \
    "$work"/kill.json <<'EOF' || fail "keys of profile.json are missing in collprof-profile(5)"
import json, re, sys
page, declared = (open(name).read() for name in sys.argv[1:3])
keys = set(re.findall(r'^[A-Z]+\([^"\n/]*"(\w+)"', declared, re.M))
def collect(value):
    if isinstance(value, dict):
        keys.update(value)
        value.pop("numbers", None) # of a finding, named like in its text; findings differ from run to run
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else []:
        collect(inner)
for name in sys.argv[3:]:
    collect(json.load(open(name)))
assert "verdict" in keys and len(keys) > 100, len(keys)
named = set(re.findall(r"\w+", "\n".join(l for l in page.split("\n") if re.match(r"\..*\b(Li|Ss)\b", l))))
missing = sorted(keys - named)
print("not in the page:", missing) if missing else None
sys.exit(bool(missing))
EOF
exit 0
