#!/bin/sh
# How often compare names the cause on this machine, and how often one of nothing: rank 1 of two
# works 300 us longer before the second of two sums, five runs a side in alternation.
# CHECK_COMPARISONS=20 for the figures of the manual; thorough: 3. Minutes, so not in a plain check.
. "${srcdir:-.}/tests/mpi/lib.sh"
test "${CHECK_THOROUGH:-0}" != 0 || skip "only in a thorough check: real runs, by the dozen"
comparisons=${CHECK_COMPARISONS:-3}
test -n "$mpis" || skip "no MPI with a layer and a compiler"
# shellcheck disable=SC2086 # the first of a list
with_mpi $(echo $mpis | cut -d" " -f1)
program=$dir/late
$MPICC -g -O1 -o late "$source/tests/sim/late.c" -lm || fail "does not compile"
late="timeout 60 $MPIEXEC -n 2 $collprof run --yield $program 100 600 1 300 50 1"
equal="timeout 60 $MPIEXEC -n 2 $collprof run --yield $program 100 600 1 0 50 1"

named=0 invented=0
for i in $(seq "$comparisons"); do
    for kind in late equal; do
        eval "command=\$$kind"
        # shellcheck disable=SC2086 # a command and its arguments
        timeout 600 "$collprof" repeat -o $kind-$i --against="$equal" -- $command >said 2>errors ||
            { cat said errors; fail "repeat"; }
        cp said said-$kind-$i
    done
    { grep -q "Rank 1 spends more time outside of MPI" said-late-$i &&
        grep -q "In Allreduce at late.c:[0-9]* second_sum ranks wait longer" said-late-$i; } && named=$((named + 1))
    ! grep -q "outside of MPI: \|wait longer\|wait shorter\|takes longer\|takes shorter\|: slower\|: faster" said-equal-$i || { invented=$((invented + 1)); cat said-equal-$i; }
    rm -rf late-$i equal-$i
done
echo "of $comparisons comparisons with a late rank, $named named it first; of $comparisons equal ones, $invented named anything"
test $((20 * named)) -ge $((13 * comparisons)) || { cat said-late-*; fail "the late rank is not found"; }
test $((10 * invented)) -le $((4 * comparisons)) || fail "causes of nothing"
