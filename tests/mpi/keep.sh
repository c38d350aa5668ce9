#!/bin/sh
# Protects the directories of runs: each is a new one, that of a living run is left alone, and what is the
# user's own stays. collprof report --list shows them.
. "${srcdir:-.}/tests/mpi/lib.sh"
test -n "$mpis" || skip "no MPI with a layer and a compiler"
# shellcheck disable=SC2046,SC2086 # the first of a list
with_mpi $(echo $mpis | cut -d" " -f1)
write_program app <<'END'
    for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 1); i++)
        MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 2) {
        for (int i = 0; access(argv[2], F_OK) && i < 600; i++)
            usleep(100000);
    }
END
$MPICC -o app app.c || fail "does not compile"

# run N ARGUMENT...: N barriers, in out
run()
{
    timeout 100 $MPIEXEC -n 2 "$collprof" run -o out ./app "$@" 2>said || { cat said; fail "status $?"; }
}
# barriers DIR: of the run there
barriers()
{
    holds "$1" <<'END'
print(sum(e["calls"] for e in p["entries"] if p["operations"][e["operation"]]["name"] == "MPI_Barrier") // 2)
END
}
runs() { for d in out-????????; do barriers "$d"; done 2>/dev/null | sort -n | xargs; }

# Each run is a new one, whose directory the name leads to.
for n in 1 2; do
    run $n
    test "$(barriers out)" = $n || fail "not the last run, after $n"
done
test "$(runs)" = "1 2" || fail "there are the runs $(runs)"

# What is not collprof's is left alone, and where the run is is said.
for kind in mkdir touch "ln -s empty"; do
    rm -rf out
    $kind out
    run 8
    grep -q "^collprof: .*out exists and is not a link that collprof has made: this run is in out-........$" said ||
        { cat said; fail "$kind: not said where the run is"; }
done
rm -rf out

timeout 100 $MPIEXEC -n 2 "$collprof" run -o dead --report=no sh -c 'exec ./app 1 never' & launched=$!
for i in $(seq 100); do ls dead/rank-*.ledger >/dev/null 2>&1 && break; sleep 0.2; done
alive=$(readlink dead)
# While it lives, another run leaves it alone.
timeout 100 $MPIEXEC -n 2 "$collprof" run -o dead --report=no ./app 9 2>said || fail "beside a living run"
test "$(barriers dead)" = 9 && ls $alive/rank-*.ledger >/dev/null 2>&1 || fail "a living run was removed"
cp -r $alive early-12345678
touch never
wait $launched
test "$(barriers $alive)" = 1 || fail "the living run is not whole"
# A run that ended before all of its ranks had left MPI_Init has no link; one that is made later leads elsewhere.
"$collprof" where early >shown 2>&1 && grep -q "when the run ended" shown || { cat shown; fail "where without a link"; }
"$collprof" report early >shown 2>&1 && grep -q "raw records in early-12345678" shown || { cat shown; fail "report without a link"; }
ln -s $alive early
"$collprof" report early >shown 2>&1 && ! grep -q early-12345678 shown || { cat shown; fail "report of a link"; }

{ "$collprof" report --list dead; "$collprof" report --list out; } >shown 2>said
for line in "^ *dead  .* 2 .*complete.*app$" "^ *dead-[0-9a-f]*  .* 2 .*complete" "^ *out-[0-9a-f]*  .* 2 .*complete"; do
    grep -q "$line" shown || { cat shown; fail "list lacks '$line'"; }
done
mkdir empty
! "$collprof" report --list empty >shown 2>said && grep -q "empty: contains no run" said || fail "list of nothing"
! "$collprof" report --list nowhere >shown 2>said && grep -q "nowhere: contains no run" said || fail "list of nowhere"

# Wherever the application goes before its MPI_Init.
mkdir away
timeout 100 $MPIEXEC -n 2 "$collprof" run -o here --report=no sh -c 'cd away && exec ../app 3' 2>said || fail "away"
test "$(barriers here)" = 3 || fail "DIR follows the application"


# However many ranks there are, each does as much with files of the run; only the first does more.
command -v strace >/dev/null || exit 0
for ranks in 2 8; do
    rm -rf calls.* traced traced-*
    timeout 200 $MPIEXEC -n $ranks strace -f -ff -qq -e trace=file,getdents64 -o calls \
        "$collprof" run --yield -o traced --report=no ./app 1 >said 2>&1 || { cat said; fail "under strace"; }
    for file in calls.*; do grep -c "traced-.*/\|traced-[^/]*\"" "$file"; done | grep -v '^0$' | sort -n | uniq >made.$ranks
    test "$(wc -l <made.$ranks)" -le 4 || { cat made.$ranks; fail "$ranks ranks: not as much each"; }
done
# A record may be opened once more, to grow.
test "$(tail -n 1 made.8)" -le $(($(tail -n 1 made.2) + 2)) || { cat made.2 made.8; fail "file calls of a rank grow with the ranks"; }
