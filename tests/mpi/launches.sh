#!/bin/sh
# Several launches of a benchmark: one after the other into a file, or by collprof launches, with the same
# table of what is between them; in another order each time, and rows as listed.
set -u
command -v python3 >/dev/null || exit 77
case $top_builddir in /*) ;; *) top_builddir=$PWD/$top_builddir ;; esac
bench=$top_builddir/bench/collbench-bcast
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
fail() { echo "FAIL: $*"; cat "$scratch"/err; exit 1; }
measured="--method=barrier --algorithm=binomial,flat -m 8:1K --stop=fixed -i 3 --budget=0.1 --samples"
for seed in 11 11 12; do
    timeout 60 "$MPIEXEC" -n 2 "$bench" $measured --seed=$seed --append -o "$scratch/all.json" 2>"$scratch/err" ||
        fail "--append: status $?"
done
python3 - "$scratch/all.json" <<'PY' || fail "what --append wrote"
import json, sys
d = json.load(open(sys.argv[1]))
launches = d["launches"] + [d]
assert len(launches) == 3
order = [[(s["algorithm"], s["size"]) for s in l["samples"]] for l in launches]
rows = [[(r["algorithm"], r["size"]) for r in l["tables"]["methods"]["rows"]] for l in launches]
assert order[0] == order[1] != order[2] and sorted(order[0]) == sorted(order[2]), order
assert all(r == [(a, 8 * 2 ** i) for a in ("binomial", "flat") for i in range(8)] for r in rows), rows
assert "--seed=12" in d["header"]["order"]
for r, row in zip(d["tables"]["between_launches"]["rows"], d["tables"]["methods"]["rows"]):
    assert r["launches"] == 3 and r["figure"] == "barrier" and r["row"].endswith(" size %d" % row["size"])
    values = [l["tables"]["methods"]["rows"][rows[0].index((row["algorithm"], row["size"]))]["barrier"] for l in launches]
    assert abs(r["mean"] - sum(values) / 3) < 1e-6 * r["mean"] and r["low"] <= r["mean"] <= r["high"], (r, values)
PY
"$top_builddir/collprof" launches "$scratch/all.json" --format=csv >/dev/null 2>"$scratch/err" &&
    fail "an option behind the files was taken"
"$top_builddir/collprof" launches --format=csv "$scratch/all.json" >"$scratch/csv" 2>"$scratch/err" || fail "files: status $?"
[ "$(grep -c '^binomial ranks 2 size .*,barrier,3,' "$scratch/csv")" -eq 8 ] || fail "not the launches of the file"

(cd "$scratch" && timeout 120 "$top_builddir/collprof" launches -n 2 "$MPIEXEC" -n 2 "$bench" $measured \
    >text 2>err) || fail "collprof launches: status $?"
[ "$(grep -c '^  flat ranks 2 size .* barrier  *2 ' "$scratch/text")" -eq 8 ] || { cat "$scratch/text"; fail "text"; }
[ -s "$scratch/collprof.launches/launch-2.json" ] || fail "results are not kept"

# Nothing is measured where it could not be added.
echo '{}' >"$scratch/other.json"
"$MPIEXEC" -n 2 "$bench" $measured --append -o "$scratch/other.json" 2>"$scratch/err" && fail "appended to anything"
grep -q 'other.json: it is no result' "$scratch/err" || fail "no reason"
[ "$(cat "$scratch/other.json")" = '{}' ] || fail "somebody's file is gone"
"$MPIEXEC" -n 2 "$top_builddir/bench/collbench-collective" --append -o "$scratch/all.json" 2>"$scratch/err"
[ $? -eq 2 ] && grep -q 'of another program' "$scratch/err" || fail "appended another program's"
(cd "$scratch" && "$top_builddir/collprof" launches -o new nowhere.json 2>err) && fail "a file that is not there"
(cd "$scratch" && "$top_builddir/collprof" launches -o new ./nothing-here 2>err) && fail "a command that is not there"
[ ! -d "$scratch/new" ] || fail "an empty directory is left"
"$MPIEXEC" -n 2 "$bench" $measured --append 2>"$scratch/err" && fail "appended to standard output"
exit 0
