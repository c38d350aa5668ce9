#!/bin/sh
# Protects earlier runs: one that is in the directory of a new run is kept, the oldest of them go,
# one that may be living is left alone, and what is the user's own stays. collprof list shows them.
. "${srcdir:-.}/tests/mpi/lib.sh"
test -n "$mpis" || skip "no MPI with a layer and a compiler"
# shellcheck disable=SC2046,SC2086 # the first of a list
with_mpi $(echo $mpis | cut -d" " -f1)
cat >app.c <<'END'
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 1); i++)
        MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 2) {
        for (int i = 0; access(argv[2], F_OK) && i < 600; i++)
            usleep(100000);
    }
    MPI_Finalize();
}
END
$MPICC -o app app.c || fail "does not compile"

# run N ARGUMENT...: N barriers, in out
run()
{
    timeout 100 $MPIEXEC -n 2 "$collprof" run -o out $options ./app "$@" 2>said || { cat said; fail "status $?"; }
}
# barriers DIR: of the run there
barriers()
{
    python3 - "$1/profile.json" <<'END'
import json, sys
p = json.load(open(sys.argv[1]))
print(sum(e["calls"] for e in p["entries"] if p["operations"][e["operation"]]["name"] == "MPI_Barrier") // 2)
END
}
kept() { ls -d out/before-* 2>/dev/null | wc -l; }

options=
run 1
! grep -q "is kept" said || fail "a run was kept where there was none"
run 2
grep -q "^collprof: the run that was in out is kept in out/before-[0-9]*-[0-9]*; collprof list" said ||
    { cat said; fail "no word of the run before"; }
test "$(kept)" = 1 && test "$(barriers out/before-*)" = 1 && test "$(barriers out)" = 2 || fail "the run before"
options=--keep-runs=2
for n in 3 4 5; do
    sleep 1.1 # they are named by the second
    run $n
done
test "$(kept)" = 2 || fail "$(kept) are kept, not 2"
test "$(for d in out/before-*; do barriers $d; done | xargs)" = "3 4" || fail "others than the latest two are kept"
touch "$(ls -d out/before-* | head -1)/mine"
first=$(ls -d out/before-* | head -1)
sleep 1.1
run 6
test -f "$first/mine" && ! test -e "$first/profile.json" || fail "a file of the user's in a run that went"
options=--keep-runs=0
run 7
test "$(for d in out/before-*/profile.json; do barriers "${d%/*}"; done | xargs)" = "4 5" || fail "--keep-runs=0 removes what is kept, or keeps"
test "$(barriers out)" = 7 || fail "the last run"

# Runs that ended in the same second, and one that says it ended long ago: the last one is kept.
rm -r out
options=--keep-runs=1
for n in 1 2 3 4 5; do
    run $n
    touch -d "@$((n < 5 ? 1700000000 : 1600000000))" out/profile.json
    test $n = 1 || test "$(kept):$(barriers out/before-*)" = "1:$((n - 1))" || fail "not the run before is kept, at $n"
done
run 6
test "$(kept):$(barriers out/before-*)" = 1:5 || fail "not the run before is kept, which has an older date"

timeout 100 $MPIEXEC -n 2 "$collprof" run -o dead --report=no sh -c 'exec ./app 1 never' & launched=$!
for i in $(seq 100); do ls dead/rank-*.ledger >/dev/null 2>&1 && break; sleep 0.2; done
# While it lives, another run leaves it alone.
timeout 100 $MPIEXEC -n 2 "$collprof" run -o dead --report=no ./app 9 2>said || fail "beside a living run"
test "$(barriers dead-2)" = 9 && ! ls -d dead/before-* 2>/dev/null || fail "a living run was moved"
touch never
wait $launched

mkdir dead-2/before-20200101-000000
cp dead-2/profile.json dead-2/before-20200101-000000
"$collprof" list out dead >shown 2>said || { cat said; fail "list: status $?"; }
for line in "^ *out  .* 2 .*complete.*app$" "^ *out/before-.* 2 .*complete" "^ *dead-2  .*complete" "^ *dead-2/before-2020"; do
    grep -q "$line" shown || { cat shown; fail "list lacks '$line'"; }
done
mkdir empty
! "$collprof" list empty >shown 2>said && grep -q "^collprof list: empty: no run in it" said || fail "list of nothing"
! "$collprof" list nowhere >shown 2>said && grep -q "^collprof list: nowhere: No such" said || fail "list of nowhere"
