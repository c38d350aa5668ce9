#!/bin/sh
# Bad input to collbench-bcast: one clear line that names what was given, status 2, nothing on
# standard output, no file made. A user should not have to wait for a measurement to learn of it.
set -u
program=collbench-bcast options=
. "$srcdir/tests/mpi/bench.sh"

refuses 2 "cannot write $dir/absent/r.json" --output="$dir/absent/r.json"
refuses 2 "cannot write $dir" --output="$dir"

# Under a launcher that no MPI here answers to: one rank reports it. The program for it is sought beside the file itself,
# not the link that it was called by.
export SLURM_STEP_ID=0 SLURM_STEP_NUM_TASKS=2
SLURM_PROCID=0 "$bench" --sizes=8 >out 2>err
[ $? -eq 2 ] && [ "$(wc -l <err)" = 1 ] && [ ! -s out ] &&
    grep -q 'fits srun: its 2 processes would run alone or stop: use: srun --mpi=pm' err || fail "srun"
SLURM_PROCID=1 "$bench" >out 2>err
[ $? -eq 2 ] && [ ! -s out ] && [ ! -s err ] || fail "rank 1 reports it, too"
unset SLURM_STEP_ID SLURM_STEP_NUM_TASKS
ln -s "$(cd "${bench%/*}" && pwd)/collbench-bcast" link
./link --version | grep -q ' (collprof) ' || fail "called by a link"
rm link
cp "$bench" collbench-bcast
./collbench-bcast >out 2>err # An installation, where there is one, is used: quickstart makes one.
case $? in
127) grep -q '/collbench-bcast: .*use: make install' err || fail "alone" ;;
2) grep -q 'needs at least 2 ranks' err || fail "alone, installed" ;;
*) fail "alone: status" ;;
esac
rm collbench-bcast
ls | grep -vx 'out\|err' && fail "files were left behind"
exit 0
