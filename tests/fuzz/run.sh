#!/bin/sh
# run.sh READER...: fuzzes each for FUZZ_SECONDS in fuzz/, from files that the programs write now.
# A fault, a leak, 1 GiB or an input that takes 10 s ends it with status 1; the input is kept.
set -u
built=$(cd "$top_builddir" && pwd) || exit 1
cd "$built/fuzz" || exit 1
PATH=$built:$built/bench:$PATH
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe
fail() { echo "fuzz: $*"; exit 1; }

rm -rf seeds
for name; do mkdir -p "seeds/$name" "corpus/$name"; done
# layered NAME [VARIABLE=VALUE]
layered()
{
    $MPIEXEC -n 2 env LD_PRELOAD="$built/.libs/libcollprof.so $built/.libs/libcollprof-transport.so" \
        COLLPROF_OUTPUT="seeds/$1" COLLPROF_REPORT=no COLLPROF_KEEP=yes COLLPROF_MEMORY=1 ${2:-} \
        "$built/examples/heat" -s 5 >/dev/null || fail "no profile to begin with"
    for file in "seeds/$1"/rank-*.ledger; do mv "$file" "seeds/record/$1-${file##*/}"; done
    mv "seeds/$1/profile.json" "seeds/profile/$1.json"
}
layered plain
layered traced COLLPROF_TRACE=calls
$MPIEXEC -n 2 collbench-pairs -i 2 --sizes=64:1K --log-file=seeds/pairs/ours >/dev/null || fail "no pairs"
collprof report seeds/pairs/ours >/dev/null || fail "pairs that cannot be read"
$MPIEXEC -n 2 collbench-bcast --sizes=1K --budget=0.05 --format=json --output=seeds/launches/ours >/dev/null ||
    fail "no launches"
cp seeds/launches/ours seeds/document/ours
sed -n '/^scenario two/,/^\.Ed/{/^[.$]/!p}' "$built/pages/collbench-scenario.1" >seeds/scenario/ours
test -s seeds/scenario/ours || fail "no scenario in the manual"

status=0
for name; do
    cat seeds/$name/* | LC_ALL=C grep -aoE '[A-Za-z_/#][A-Za-z0-9_/:-]{2,30}' | sort -u | head -n 400 |
        sed 's/.*/"&"/' >"seeds/$name.words"
    timeout -k 10 $((FUZZ_SECONDS + 120)) "./$name" -max_total_time="$FUZZ_SECONDS" -seed="$FUZZ_SEED" -timeout=10 \
        -rss_limit_mb=1024 -malloc_limit_mb=1024 -dict="seeds/$name.words" -artifact_prefix="$name-" \
        -close_fd_mask=3 -print_final_stats=1 "corpus/$name" "seeds/$name" >"$name.log" 2>&1 || {
        grep -aE 'ERROR|runtime error|SUMMARY|    #[0-9]+ .* in .*/src/' "$name.log" | head -n 20
        echo "fuzz: $name: fails: $PWD/$name.log, and the input beside it"
        status=1
        continue
    }
    echo "fuzz: $name: $(sed -n 's/.*executed_units: *//p' "$name.log") inputs in $FUZZ_SECONDS s, no fault"
done
exit $status
