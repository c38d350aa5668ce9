#!/bin/bash
# What is wrong with a run that ends well is a finding each, with its call site; what only looks so is none.
. "${srcdir:-.}/tests/mpi/lib.sh"
limit="timeout 60"

findings() # RUN: of kind "verdict", a line each
{
    "$collprof" report --format=json "$1" | python3 -c '
import json, sys
for f in json.load(sys.stdin)["findings"].get("verdict", []):
    print(f["kind"], f["text"])'
}

expect() # RUN TEXT...: these and no others
{
    findings "$1" >found
    for text in "${@:2}"; do
        grep -qF "$text" found || fail "$mpi, $1: no $text: $(cat found)"
    done
    test "$(wc -l <found)" = $(($# - 1)) || fail "$mpi, $1: more: $(cat found)"
}

for mpi in $mpis; do
    with_mpi "$mpi"
    $MPICC -g -O1 -o ended "$source/tests/mpi/ended.c" >compiled 2>&1 || { cat compiled; fail "$mpi: does not build"; }
    for run in legal cancelled freed wrong missing; do
        rm -rf $run
        layered 4 $run ./ended $run >out 2>err || { cat out err; fail "$mpi, $run: status $?"; }
    done
    expect legal
    expect cancelled
    expect freed
    rm -rf fatal
    layered 4 fatal ./ended fatal >out 2>err && fail "$mpi: an error is not fatal"
    "$collprof" report fatal | tr -s '\n ' ' ' >found
    grep -q '^when the run ended, rank 2: ended by MPI after an error (MPI_ERRORS_ARE_FATAL), in MPI_Send to a rank' found ||
        fail "$mpi: a fatal error: $(cat found)"
    "$collprof" report --list fatal | grep -q 'incomplete (gone)' || fail "$mpi: not in the list"
    # One record is of another version, then all are.
    for record in fatal/rank-000000* fatal/rank-*; do
        printf '\1' | dd of="$record" bs=1 seek=8 conv=notrunc 2>err
        test -e one || "$collprof" where fatal >one || fail "$mpi: a record of another version"
    done
    grep -q 'rank 2: ended by MPI' one && grep -q '^! .*another version' one || fail "$mpi: of another version: $(cat one)"
    rm one
    "$collprof" where fatal >found 2>err && fail "$mpi: all are of another version"
    test "$(wc -l <err)" = 1 && grep -q 'no record .*another version' err || fail "$mpi: all of another version: $(cat err)"
    at=", at ended.c:"
    expect wrong \
        "unmatched 2 messages were never received: rank 0 in MPI_Send to rank 1 (tag 5, a communicator of 4 ranks)$at" \
        "unmatched 1 request was never completed: rank 1 in MPI_Irecv from rank 0 (tag 8, MPI_COMM_WORLD)$at" \
        "unmatched 1 request was never completed: rank 2 in MPI_Issend to rank 3 (tag 9, MPI_COMM_WORLD)$at" \
        "mismatch members of a communicator disagree about a collective: rank 0 in MPI_Allreduce number 2 of MPI_COMM_WORLD, 4 B, MPI_MAX" \
        "mismatch members of a communicator disagree about a collective: rank 0 in MPI_Bcast number 3 of MPI_COMM_WORLD with root 0, 4 B, 4-byte integers$at" \
        "mismatch members of a communicator disagree about a collective: rank 0 in MPI_Gather number 4 of MPI_COMM_WORLD with root 0, 12 B$at" \
        "mismatch a message was sent with one datatype and received with another: rank 0 in MPI_Send to rank 1 (tag 10, MPI_COMM_WORLD), 4-byte reals$at"
    grep -q 'but rank 1 in MPI_Allreduce .*, MPI_SUM' found || fail "$mpi: no other reduction: $(cat found)"
    grep -q 'but rank 1 in MPI_Bcast .*, 4-byte reals' found || fail "$mpi: no other type: $(cat found)"
    grep -q ', but rank 1 received 4-byte integers' found || fail "$mpi: no type of a receive: $(cat found)"
    "$collprof" report --full wrong | grep -q '4 calls returned an error: MPI_Send at ended.c' || fail "$mpi: no error"
    expect missing "unmatched 1 request was never completed: rank 1 in MPI_Irecv from rank 0 (tag 8, MPI_COMM_WORLD)$at" \
        "missing rank 0 has called 1 collective of a communicator, but rank 3 has called 2: rank 3 in MPI_Gather number 2 of a communicator of 4 ranks with root 0, 4 B$at"
done
