#!/bin/sh
# Many communicators, and attributes that notice every copy of one: with whatever is injected, under every MPI, a program
# prints the same and ends the same, and nothing is measured on a communicator that was hardly used.
. "${srcdir:-.}/tests/mpi/lib.sh"

# On 1100 of them at a time all is said to be the same; that 500 cost nothing is said by counts.
for mpi in $quick_mpis; do
    with_mpi $mpi
    $MPICC -g -o comms "$source/tests/mpi/comms.c" >compiled 2>&1 || { cat compiled; fail "$mpi: does not compile"; }
    for program in "many 1100" "callbacks"; do
        # shellcheck disable=SC2086 # two words
        plain 2 ./comms $program >want 2>err || { cat err; fail "$mpi, $program: status without the layer"; }
        grep -q right want || fail "$mpi, $program: wrong without the layer"
        for mode in ACK=100 BENCHMARK=direct,held BCAST=chain BCAST=grid; do
            rm -rf out
            # shellcheck disable=SC2086
            timeout 120 $MPIEXEC -n 2 env LD_PRELOAD="$layer $yielding" COLLPROF_$mode COLLPROF_BENCHMARK_BUDGET=10 \
                COLLPROF_OUTPUT=out COLLPROF_REPORT=no ./comms $program >got 2>err ||
                { cat got err; fail "$mpi, $program, $mode: status $?"; }
            cmp want got || { cat got err; fail "$mpi, $program, $mode: other output"; }
            # The last communicator is used: it is measured from its fifth call on.
            case $program,$mode in
            many*,BENCH*) profile out findings benchmark operation=MPI_Bcast , rows=1 ;;
            many*,BCAST*) profile out findings broadcast bytes=4 , rows=1 calls=17 ;;
            esac
        done
    done

    # Copies of MPI_COMM_WORLD: each of the first three of a call site by its name, freed or not; different
    # names of the others by a word.
    rm -rf out
    timeout 60 $MPIEXEC -n 4 env LD_PRELOAD="$layer $yielding" COLLPROF_OUTPUT=out COLLPROF_REPORT=no ./comms names \
        >got 2>err || { cat got err; fail "$mpi, names: status $?"; }
    python3 - >rows <<'PY'
import collections, json
p = json.load(open("out/profile.json"))
used, rows = {e["communicator"] for e in p["entries"]}, collections.Counter()
for i, c in enumerate(p["communicators"]):
    frames = p["sites"][c["created_at"]]["frames"] if c["created_at"] is not None else []
    at = next((f["function"] for f in frames if f.get("file", "").endswith("comms.c")), "")
    if i in used:
        rows[c["name"] or "(no name)", c["size"], c["created_at"], at] += c["created"]
print(*sorted(f"{name} {size} {made} {at}".rstrip() for (name, size, _, at), made in rows.items()), sep="\n")
PY
    cat >want <<'ROWS'
(no name) 2 2 names
(no name) 4 1 copy
(several names) 4 6 names
(several names) 4 77 names
MPI_COMM_WORLD 4 1
later 4 1 names
m0 4 1 names
m1 4 1 names
m2 4 1 names
n0 4 1 names
n1 4 1 names
n2 4 1 names
output 4 1 copy
solver 4 2 copy
step 4 9 names
ROWS
    LC_ALL=C sort want | diff - rows || { cat rows; fail "$mpi, names: others"; }
    # What the layer waits for while a communicator is freed is no time of MPI_Comm_free.
    timeout 60 $MPIEXEC -n 2 env LD_PRELOAD="$layer $yielding" COLLPROF_BCAST=chain COLLPROF_OUTPUT=freed COLLPROF_REPORT=no \
        ./comms late >got 2>err || { cat got err; fail "$mpi, late: status $?"; }
    holds freed <<'PY' || fail "$mpi: the layer's own waiting is in MPI_Comm_free"
free = [e for e in p["entries"] if p["operations"][e["operation"]]["name"] == "MPI_Comm_free"]
print([(e["calls"], e["time_ns"]) for e in free])
assert sum(e["calls"] for e in free) == 6 and sum(e["time_ns"] for e in free) < 1e8
PY
    # A run that was killed: what a rank was in, and on which communicator.
    $MPIEXEC -n 2 env LD_PRELOAD="$layer $yielding" COLLPROF_OUTPUT=died COLLPROF_REPORT=no ./comms killed >got 2>err
    $collprof report --full died >said 2>&1 || { cat said; fail "$mpi, killed: no report"; }
    tr -s ' \n' ' ' <said | grep -q 'rank 1: in MPI_Recv [^;]*, solver)' || { cat said; fail "$mpi, killed: no name"; }
    rm -rf died
    $collprof report --format=csv --table=collectives out | grep '2 ranks from .*comms.c' >said || fail "$mpi: not found by its place"
    grep -q Barrier said || { cat said; fail "$mpi: another communicator"; }
done
exit 0
