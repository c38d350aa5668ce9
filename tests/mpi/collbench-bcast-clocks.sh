#!/bin/sh
# Ranks whose clocks truly differ, as those of two hosts do: rank 1 lives in a time namespace
# 1000 s ahead. "direct" compares the two clocks, "held" never does: they have to agree within
# what the program states as its clocks' bound, and a few tenths of a microsecond.
set -u
bench=$top_builddir/bench/collbench-bcast
out=$(mktemp) || exit 99
trap 'rm -f "$out"' EXIT
[ "$(nproc)" -ge 2 ] || { echo "needs two processors"; exit 77; }
unshare --time --monotonic 1000 --fork true 2>/dev/null || { echo "no time namespaces"; exit 77; }

apart()
{
    "$MPIEXEC" --bind-to hwthread -n 1 "$bench" "$@" : \
        -n 1 unshare --time --monotonic 1000 --fork "$bench" "$@" >"$out" ||
        { echo "FAIL: status $?"; cat "$out"; exit 1; }
}
apart --method=repro-window --sizes=8 --budget=0.3 --format=csv
grep -q 'clocks agree within [0-9]' "$out" || { cat "$out"; echo "FAIL: repro-window's clocks"; exit 1; }

for try in 1 2 3 4 5 6 7 8; do
    apart --method=held,direct --sizes=8:1K --budget=0.5 --format=csv
    grep -q '^# clocks: 2, made one within' "$out" || { echo "FAIL: not two clocks"; exit 1; }
    awk -F, '
        /clocks agree within/ { split($0, word, " "); for (i in word) if (word[i] == "within") bound = word[i + 1] }
        /^native,.*,held,/ { held[++n] = $5 }
        /^native,.*,direct,/ { direct[n] = $5 }
        END {
            for (i = 1; i <= n; i++) {
                off = direct[i] - held[i]
                if (off < 0) off = -off
                if (!(held[i] > 0) || off > bound + 0.3) exit 1
            }
            exit !(n == 8 && bound > 0 && bound < 20)
        }' "$out" && exit 0
done
grep '^# processors: rank' "$out" && exit 77
echo "FAIL: direct and held do not agree within the bound of the clocks"
cat "$out"
exit 1
