#!/bin/bash
# Every program of examples/stuck.c hangs (or is slow), and `collprof where` says of what kind that is, whether
# it is proven, which ranks are at fault, and in which function of the program. Then all ranks are killed, and
# the report begins with the same.
. "${srcdir:-.}/tests/mpi/lib.sh"

judge()
{
    python3 - "$@" <<'PY'
import json, sys
_, path, kind, proven, ranks, function = sys.argv
v = json.load(open(path))
v = v["findings"]["verdict"][0] if "findings" in v else v
def ask(what, got, want):
    if got != want:
        sys.exit(f"{what}: {got}, expected {want}: {v['text']}")
ask("kind", v["kind"], kind)
ask("proven", v["proven"], proven == "yes")
if ranks != "-":
    ask("ranks", ",".join(map(str, v["ranks"])), ranks)
if not any(function in g["text"] for g in v["groups"]):
    sys.exit(f"no {function} in {v['groups']}")
PY
}

end_all()
{
    for pid in $(pgrep -f "^$dir/stuck"); do kill -9 "$pid" 2>/dev/null; done
    wait "$launcher" 2>/dev/null
}

check() # NUMBER KIND PROVEN RANKS FUNCTION [BOUND]: with - for what follows
{
    number=$1
    shift
    rm -rf out*
    limit= $MPIEXEC -n 4 "$collprof" run --yield -o out "$dir/stuck" "$number" >log 2>&1 &
    launcher=$!
    good=no
    for try in $(seq 60); do
        sleep 0.5
        "$collprof" where --format=json out >now.json 2>err || continue
        judge now.json "$@" >why 2>&1 && { good=yes; break; }
    done
    end_all
    test $good = yes || fail "$mpi, stuck $number: $(cat why err)"
}

for mpi in $mpis; do
    with_mpi "$mpi"
    $MPICC -g -O1 -o stuck "$source/examples/stuck.c" 2>/dev/null || fail "$mpi: stuck.c does not build"
    check 1 cycle yes 0,1 receive_first
    "$collprof" report --format=json out >dead.json || fail "no report of killed ranks"
    judge dead.json cycle yes 0,1 receive_first || fail "$mpi: the report of what was killed"
    "$collprof" report out >dead.txt
    ! grep -qE 'Parallel efficiency|computes|balance the work|as many ranks' dead.txt ||
        fail "$mpi: beside the verdict the report has findings: $(cat dead.txt)"
    sed 1q dead.txt | grep -q 'when the run ended, a deadlock of 2 of 4 ranks' ||
        fail "$mpi: the report does not begin with it"
    # The next one, whose rank 2 does not call MPI_Init: it is asked about, not the one before it.
    limit= $MPIEXEC -n 4 "$collprof" run -o out sh -c \
        "test \"\$PMI_RANK\$OMPI_COMM_WORLD_RANK\" != 2 || sleep 1000; exec $dir/stuck 1" >log 2>&1 &
    launcher=$!
    for try in $(seq 60); do
        "$collprof" where out >now.txt 2>err && grep -q 'rank 2: no record' now.txt && break
        sleep 0.5
    done
    pkill -9 -f "^sleep 1000"
    end_all
    grep -q 'rank 2: no record' now.txt || fail "$mpi: in MPI_Init: $(cat now.txt err)"
    check 3 unmatched yes 0,1 other_tag
    check 7 mismatch yes 0,1,2,3 other_collective
    check 10 unmatched yes 0,1 one_request
    check 18 moving no - slow
    test "$mpi" = "${mpis##* }" && test "$mpi" != "${mpis# }" && continue
    check 2 cycle yes 0,1,2,3 send_first
    check 4 unmatched yes 0,1 other_communicator
    check 5 unmatched yes 1 partner_finished
    check 6 missing yes 3 missing_member
    check 8 mismatch yes - other_root
    check 9 crossed yes 0,1,2,3 crossed
    check 11 computes no 1 computes
    check 12 computes no 1 sleeps
    check 13 polling no - polls
    check 14 stopped yes 1 stops
    # Open MPI ends such a program by an error.
    test "$mpi" = openmpi || check 15 mismatch yes - crossed_requests
    check 16 unmatched yes 0 any_source
    check 17 unmatched yes 1,2 ring
done

mkdir empty
"$collprof" where empty >out.txt 2>err && fail "an empty directory has no verdict"
grep -q 'no record' err || fail "an empty directory: $(cat err)"
