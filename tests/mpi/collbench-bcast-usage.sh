#!/bin/sh
# Bad input to collbench-bcast: one clear line that names what was given, status 2, nothing on
# standard output, no file made. A user should not have to wait for a measurement to learn of it.
set -u
bench=$top_builddir/bench/collbench-bcast
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
failed=0
fail() { echo "FAIL: $*"; sed 's/^/    /' "$scratch/err"; failed=1; }

# refused RANKS 'PHRASE' ARGUMENT...: PHRASE is what the line has to say.
refused() {
    ranks=$1 phrase=$2
    shift 2
    # One rank needs no launcher, and the launcher's own time.
    if [ "$ranks" = 1 ]; then set -- "$bench" "$@"; else set -- "$MPIEXEC" -n "$ranks" "$bench" "$@"; fi
    timeout 60 "$@" >"$scratch/out" 2>"$scratch/err"
    status=$?
    grep '^collbench-bcast: ' "$scratch/err" >"$scratch/said"
    [ $status -eq 2 ] || fail "$*: status $status, not 2"
    [ "$(wc -l <"$scratch/said")" -eq 1 ] || fail "$*: not said in one line"
    grep -qF -- "$phrase" "$scratch/said" || fail "$*: does not say '$phrase'"
    grep -q '^#' "$scratch/out" && fail "$*: results all the same"
}

for sizes in 9:8 3G ''; do
    refused 1 "--sizes is '$sizes'" --sizes="$sizes"
done
refused 2 "--fresh: the loops of other suites" --fresh --as=osu
refused 1 "unknown method 'best': expected: all, send-latency, rounds," --method=held,best
refused 2 "--root is '2'" --root=2
refused 1 "1 are running" --ranks=2:4
refused 2 "cannot write $scratch/absent/r.json" --output="$scratch/absent/r.json"
refused 2 "cannot write $scratch" --output="$scratch"
refused 1 "unknown option --metod: did you mean --method?" --metod=all

# Under a launcher that no MPI here answers to: one rank says so. The program for it is sought beside the file itself,
# not the link that it was called by.
export SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=2
SLURM_PROCID=0 refused 1 'srun has started 2 processes, and each would run alone or stop in MPI_Init: use: srun --mpi=pm' --sizes=8
SLURM_PROCID=1 "$bench" >"$scratch/out" 2>&1
[ $? -eq 2 ] && [ ! -s "$scratch/out" ] || fail "rank 1 speaks, too: $(cat "$scratch/out")"
unset SLURM_STEP_ID SLURM_STEP_NUM_TASKS
ln -s "$(cd "${bench%/*}" && pwd)/collbench-bcast" "$scratch/link"
"$scratch/link" --version | grep -q ' (collprof) ' || fail "called by a link"
rm "$scratch/link"
cp "$bench" "$scratch/collbench-bcast"
"$scratch/collbench-bcast" >"$scratch/out" 2>&1
[ $? -eq 127 ] && grep -q '/collbench-bcast: .*use: make install' "$scratch/out" || fail "alone: $(cat "$scratch/out")"
rm "$scratch/collbench-bcast"

# Nothing is sent in a broadcast of nothing: who left before the root came has no latency.
timeout 60 "$MPIEXEC" -n 2 "$bench" --sizes=0:0 --method=direct --budget=0.2 --format=csv >"$scratch/out" 2>&1 ||
    fail "nothing to send: status $?"
grep -q '^native' "$scratch/out" || fail "nothing to send: no row"
grep -qE '^native,2,0,direct,([0-9.]*,){0,2}-' "$scratch/out" && fail "a negative latency: $(cat "$scratch/out")"

ls "$scratch" | grep -vx 'out\|err\|said' && fail "files were left behind"
exit $failed
