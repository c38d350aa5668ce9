#!/bin/sh
# The files of src/tune are read by the MPI library: the algorithm that they name is used, for the ranks and sizes that they
# name alone. collbench-collective --tune finds an algorithm where the library's choice is slow, and writes such a file.
set -u
tune=$top_builddir/tests/mpi/tune bench=$top_builddir/bench/collbench-collective collprof=$top_builddir/collprof turns=$PWD/tests/mpi/.libs/libturns.so
scratch=$(mktemp -d) || exit 99
trap 'rm -rf "$scratch"' EXIT
fail() { echo "FAIL: $*"; cat "$scratch/out" "$scratch/err"; exit 1; }

# What each rank's reduction consists of, with the files in force if a directory is given.
show() # RANKS OPERATION BYTES [DIRECTORY]
{
    ( [ $# -lt 4 ] || . "$4/env.sh"
    "$MPIEXEC" -n "$1" "$tune" show "$2" "$3" 2>"$scratch/err" )
}
is() # WHAT FOUND EXPECTED
{
    echo "$1: $2"
    [ "$2" = "$3" ] || fail "$1: expected $3"
}
# The directory has a blank: a shell reads it.
dir="$scratch/a b"
case $CHECK_MPI in
mpich)
    "$tune" write "$dir" "MPICH 4.0.2" MPI_Reduce_scatter_block 4 1024 pairwise 3 0 || fail write
    is "MPICH's choice" "$(show 4 MPI_Reduce_scatter_block 1024)" "2x3072 2x3072 2x3072 2x3072"
    is "pairwise" "$(show 4 MPI_Reduce_scatter_block 1024 "$dir")" "3x3072 3x3072 3x3072 3x3072"
    differs=COLLPROF_STACK=3
    slow="env TURNS_VARIABLE=MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM TURNS_SLOW=0 LD_PRELOAD=$turns" bytes=1024
    ;;
openmpi)
    "$tune" write "$dir" "Open MPI v4.1.4" MPI_Allreduce 4 1024 ring 4 0 || fail write
    is "ring" "$(show 4 MPI_Allreduce 1024 "$dir")" "3x768 3x768 3x768 3x768"
    for bytes in 1023 1025; do
        is "$bytes bytes" "$(show 4 MPI_Allreduce $bytes "$dir")" "$(show 4 MPI_Allreduce $bytes)"
    done
    is "3 ranks" "$(show 3 MPI_Allreduce 1024 "$dir")" "$(show 3 MPI_Allreduce 1024)"
    "$tune" write "$dir" "Open MPI v4.1.4" MPI_Reduce_scatter_block 4 1024 basic_linear 1 0 || fail write
    is "basic_linear" "$(show 4 MPI_Reduce_scatter_block 1024 "$dir")" "1x4096 1x4096 1x4096 0x0"
    differs=OMPI_MCA_coll_tuned_use_dynamic_rules=0
    slow="env OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_allreduce_algorithm=5
        OMPI_MCA_coll_tuned_allreduce_algorithm_segmentsize=64" bytes=1048576
    ;;
esac
# So does a run with --tuned, after the directory was moved and the file edited, and takes nothing else from there.
named=$(show 4 MPI_Reduce_scatter_block 1024 "$dir")
mv "$dir" "$scratch/moved" && dir=$scratch/moved && cp -r "$dir" "$scratch/good" && cp -r "$dir" "$scratch/damaged"
echo "export TUNE_FOREIGN=1" >>"$dir/env.sh" && echo edited >"$dir/tuned.sum"
run() # OPTION
{
    "$MPIEXEC" -n ${ranks:-4} ${bad:-} "$collprof" run --yield --report=no --output="$scratch/run" "$@" 2>"$scratch/err"
}
is "--tuned" "$(run --tuned="$dir" "$tune" show MPI_Reduce_scatter_block 1024)" "$named"
# That the algorithm of a rule is in use is seen in the messages, if the transport is.
seen() # OPERATION [OPTION]
{
    operation=$1
    shift
    run --trace=transport "$@" "$tune" show "$operation" 1024 >/dev/null
    "$collprof" report --table=algorithms --format=csv "$scratch/run" | sed -n "s/^$operation,4,1024,1,\([^,]*\).*/\1/p"
}
if pkg-config --exists "ucx >= 1.13"; then
    export OMPI_MCA_pml=ucx OMPI_MCA_pml_ucx_tls=any OMPI_MCA_pml_ucx_devices=any
    case $CHECK_MPI in
    mpich)
        is "in use by default" "$(seen MPI_Reduce_scatter_block)" "recursive halving"
        is "in use by the rule" "$(seen MPI_Reduce_scatter_block --tuned="$dir")" pairwise
        ;;
    openmpi)
        "$tune" write "$scratch/seen" "Open MPI v4.1.4" MPI_Allreduce 4 1024 ring 4 0 || fail write
        is "in use by default" "$(seen MPI_Allreduce)" "recursive doubling"
        is "in use by the rule" "$(seen MPI_Allreduce --tuned="$scratch/seen")" ring
        ;;
    esac
    "$collprof" report "$scratch/run" | grep -q '^Algorithms detected from messages: .*MPI_' || fail "not on the first screen"
    unset OMPI_MCA_pml OMPI_MCA_pml_ucx_tls OMPI_MCA_pml_ucx_devices
fi
# A run that tunes has right results, and keeps the library's choice.
is "--tune" "$(run --tune=all --tune-share=1000 "$tune" show MPI_Reduce_scatter_block 1024 3000)" \
    "$(show 4 MPI_Reduce_scatter_block 1024)"
is "--tune=exact" "$(run --tune=exact --tune-share=1000 "$tune" show MPI_Reduce_scatter_block 1024 100)" \
    "$(show 4 MPI_Reduce_scatter_block 1024)"
grep -q '"tune":' "$scratch/run/profile.json" && fail "--tune=exact measures a reduction"
# A run that was killed has kept what it measured: the report shows it, the next run takes it, another program does not.
ranks=2
again() # PROGRAM PERCENT
{
    run --tune=all --tune-share="$2" "$1" show MPI_Reduce_scatter_block 1024 30000 >/dev/null
}
TUNE_KILLED=1 again "$tune" 1000
"$collprof" report --table=tune --format=csv "$scratch/run" | grep '^MPI_Reduce_scatter_block' >"$scratch/killed" || fail "nothing is kept"
first=$(readlink "$scratch/run")
cp "$tune" "$scratch/other"
again "$scratch/other" 0.01
grep -q '"warnings":' "$scratch/run/profile.json" || fail "another program has no profile"
grep -q '[1-9] measurements of a run that did not end' "$scratch/run/profile.json" && fail "another program takes it"
ln -sfn "$first" "$scratch/run"
TUNE_KILLED=30000 again "$tune" 0.01
again "$tune" 0.01
"$collprof" report --table=tune --format=csv "$scratch/run" | grep '^MPI_Reduce_scatter_block' >"$scratch/out" || fail "it does not go on"
is "now, before and after" "$(cut -d, -f6 "$scratch/out")" "$(cut -d, -f6 "$scratch/killed")"
grep -q 'tune: 1 measurements of a run that did not end (.*) are used where the same calls occur' "$scratch/run/profile.json" || fail "it does not say that it goes on"
ln -sfn "$first" "$scratch/run"
run --tune=all --tune-share=0.01 "$tune" show MPI_Reduce_scatter_block 1024 30 >/dev/null
grep -q 'tune: 0 measurements of a run that did not end' "$scratch/run/profile.json" || fail "why nothing is continued"
# Damaged rules, and rules that one rank does not use, are used by none, and one line says so.
set -- "$collprof" run --yield --report=no --output="$scratch/run"
echo >>"$scratch/damaged/env.sh"
for other in --tuned="$dir" --tuned="$scratch/missing" --tuned="$scratch/damaged" --yield; do
    is "one rank has $other" "$("$MPIEXEC" -n 1 "$@" --tuned="$scratch/good" "$tune" show MPI_Reduce_scatter_block 1024 : \
        -n 3 "$@" "$other" "$tune" show MPI_Reduce_scatter_block 1024 2>"$scratch/out")" "$(show 4 MPI_Reduce_scatter_block 1024)"
    [ "$(grep -c 'tuned=.* is not used for .*: not all ranks have read the same files within 10 s' "$scratch/out")" -eq 1 ] || fail "$other: not one line"
    grep -q 'nothing was changed: --tuned=.* is not used for' "$scratch/run/profile.json" || fail "$other: not in the profile"
done
# Ranks of which one cannot or shall not tune: the library's choice stays for all, and one line says so.
set -- "$collprof" run --yield --report=no --output="$scratch/differ" --tune=all "$tune" show MPI_Allreduce 1024 2000
"$MPIEXEC" -n 1 "$@" : -n 1 env "$differs" "$@" >"$scratch/out" 2>"$scratch/err" || fail "ranks differ"
grep -qE 'nothing is injected|nothing was tuned .--tune.: 1 of 2 ranks have an MPI library whose algorithms' "$scratch/differ/profile.json" || fail "which differ"
# What a bad default loses is predicted, seen, and comes back. MPICH's own choice is made slow by 50 ms.
bad=$slow
run --tune=all --tune-share=1000 "$tune" show MPI_Allreduce $bytes 100 >/dev/null || fail "tuning"
"$collprof" repeat -n 4 --output="$scratch/gains" "$MPIEXEC" -n 2 $bad "$collprof" run --yield --report=no --tuned="$scratch/run" \
    "$tune" show MPI_Allreduce $bytes 20 >"$scratch/out" 2>"$scratch/err"
tr '\n' ' ' <"$scratch/out" | grep -o 'Tuning predicted to save .* runs saved .*: 1 of 1 rules are kept' || fail "nothing comes back"
ranks=4 bad=
# A run that is too short says so.
run --tune=all "$tune" show MPI_Reduce_scatter_block 1024 >/dev/null
"$collprof" report "$scratch/run" | grep -q '^ - nothing was tuned (--tune): no tunable collective is called' || fail "too short"
run --tune=all --tune-share=0.01 "$tune" show MPI_Reduce_scatter_block 1024 100 >/dev/null
short="nothing was tuned (--tune): the run is too short: [0-9e+.]* s or more may be needed at --tune-share=0.01"
"$collprof" report --table=tune "$scratch/run" | grep -qx "The run has no tune: $short." || fail "no table, no reason"
# Rules of another library or version are not used.
for other in "Another MPI" "$(sed -n '1s/# library: \(.*[v ]\).*/\1/p' "$dir/env.sh")0.1"; do
    "$tune" write "$dir" "$other" MPI_Reduce_scatter_block 4 1024 basic_linear 1 0
    found=$(run --tuned="$dir" "$tune" show MPI_Reduce_scatter_block 1024)
    [ "$(grep -c "was written for $other, and is not used for .*: another library or version" "$scratch/err")" -eq 1 ] || fail "$other is not named once"
    is "of $other" "$found" "$(show 4 MPI_Reduce_scatter_block 1024)"
done
"$tune" write "$dir" "Other MPI" MPI_Allreduce 4 1024 ring 4 0 && fail "rules for an unknown library"
[ "$(cat "$dir/env.sh")" = "# library: Other MPI" ] || fail "settings for an unknown library"
tunes() # OPTION...
{
    "$MPIEXEC" -n 2 ${bad:-} "$bench" --yield --tune="$dir" "$@" >"$scratch/out" 2>"$scratch/err"
}
if [ "$CHECK_MPI" = mpich ]; then
    ( bad=$slow; tunes --operation=allreduce,scan --sizes=8K --budget=60 --format=csv ) || fail "tune: status $?"
    grep -qE '^allreduce,2,8192,punctual,[0-9]{5}[0-9.]*,[a-z_]+,,[0-9.]+,[0-9]{2}' "$scratch/out" || fail "nothing faster is found"
    grep -q '^export MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=[a-z]' "$dir/env.sh" || fail "nothing is written"
fi
# Whatever is found on a busy machine.
tunes --operation=broadcast --sizes=8:16 --arrivals=late:1,ramp --budget=0.2 -o "$scratch/found" || fail "broadcast: status $?"
grep -q '^# library: ' "$dir/env.sh" || fail "no env.sh"
# Without memory for any case the rules stay as they were.
cp -r "$dir" "$scratch/before"
( ulimit -v 4000000 && tunes --operation=alltoall --sizes=1500M ) || fail "no memory: status $?"
grep -q '^No case was measured: ' "$scratch/out" && diff -r "$scratch/before" "$dir" || fail "no memory: other rules"
refused() {
    phrase=$1
    shift
    "$MPIEXEC" -n 2 "$bench" "$@" >"$scratch/out" 2>"$scratch/err"
    status=$?
    [ $status -eq 2 ] || fail "$*: status $status, not 2"
    [ "$(grep '^collbench-collective: ' "$scratch/err" | grep -cF -- "$phrase")" -eq 1 ] || fail "$*: does not say '$phrase'"
}
refused "Not a directory" --tune="$scratch/found/x"
# The arrival times of a recorded run, if it has them for the operation and the number of ranks.
"$MPIEXEC" -n 4 "$bench" --yield --arrivals="$scratch/run" --operation=reduce-scatter,scan --sizes=8 --method=direct --budget=0.2 \
    --format=csv >"$scratch/out" 2>"$scratch/err"
is "recorded" "$(sed -n 's/^\(.*\),4,8,direct (recorded),[0-9].*/\1/p' "$scratch/out")" reduce-scatter
refused "no arrival times of these operations among as many ranks: use" --arrivals="$scratch/run"
refused "neither profile.json nor a record" --arrivals="$dir"
mkdir "$scratch/forged"
tr -d '\n' <"$scratch/run/profile.json" | sed 's/"late_ns": *\[[^]]*\]/"late_ns": [0, 1e300]/g' >"$scratch/forged/profile.json"
refused "no arrival times of these operations among as many ranks: use" --arrivals="$scratch/forged"
exit 0
