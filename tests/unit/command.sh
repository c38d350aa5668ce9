#!/bin/sh
# Protects the command line: what is refused, with which word and status, before anything starts;
# what of the environment reaches the application; that its exit status is what comes out.
collprof=$top_builddir/collprof
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
unset $(env | sed -n 's/^\(COLLPROF_[A-Z_]*\)=.*/\1/p')

# expect STATUS WORD COMMAND...: the status, and the word on standard output or error; with as=-F, by the letter.
as=
expect() {
    wanted=$1 word=$2
    shift 2
    "$@" > "$work/out" 2>&1 < /dev/null
    status=$?
    if [ $status -ne $wanted ] || ! grep -q $as -e "$word" "$work/out"; then
        echo "FAIL: $*: status $status, wanted $wanted with '$word':"
        cat "$work/out"
        failed=1
    fi
}

expect 2 "unknown command 'reprot': did you mean report" $collprof reprot
expect 127 'No such file' $collprof ./no-such-program
expect 0 'one two' $collprof echo one two
expect 0 'Usage: collprof .run' $collprof --help
expect 0 'collprof [0-9]' $collprof --version
for command in run report compare repeat scale info; do
    expect 0 "Usage: collprof $command" $collprof $command -h
    expect 0 'collprof [0-9]' $collprof $command --version
    expect 2 "unknown option --nonsense: .collprof $command --help. lists all" $collprof $command --nonsense
done

# Before anything starts, and naming what is known.
printf lcpprof1 > "$work/rank-0.ledger"; touch "$work/canary.sh" && cat > "$work/canary.sh" <<END
#!/bin/sh
touch "$work/started"
END
chmod +x "$work/canary.sh"
expect 2 'did you mean --output?' $collprof run --outptu=x "$work/canary.sh"
expect 2 "--stack is '9': expected a number from 0 to 8" $collprof run --stack=9 "$work/canary.sh"
expect 2 'expected: native, binomial.*, grid' $collprof run --bcast=nonsense "$work/canary.sh"
expect 2 'unknown variable COLLPROF_STAK; collprof-run(1) lists all' env COLLPROF_STAK=1 $collprof run "$work/canary.sh"
expect 2 'no application: use: collprof run' $collprof run
expect 2 'starts the ranks: use: mpiexec' $collprof run mpiexec -n 2 true
# What warms up is not among run-*, which the manual compares.
expect 0 "$work/repeated/run-\*" $collprof repeat -n 2 -o "$work/repeated" \
    sh -c 'mkdir "$COLLPROF_OUTPUT" && touch "$COLLPROF_OUTPUT/profile.json"'
# An application's own --tuned=... is not ours: nothing is compared.
expect 0 "$work/own/run-\*" $collprof repeat -n 1 -o "$work/own" \
    sh -c 'mkdir "$COLLPROF_OUTPUT" && touch "$COLLPROF_OUTPUT/profile.json"' app --tuned=yes
expect 2 'true is not profiled: use: collprof repeat mpiexec' $collprof repeat true
expect 1 'left no results in .*/file/warm' $collprof repeat -o "$work/file" sh -c 'echo mine >"$COLLPROF_OUTPUT"'
[ -s "$work/file/warm-up-run-1" ] || { echo "FAIL: a failed repeat loses a file"; failed=1; }
expect 1 'status 3 of' $collprof repeat -o "$work/repeated" sh -c 'exit 3' # and it is not in the way
[ ! -e "$work/repeated-2" ] || { echo "FAIL: a failed repeat leaves a directory"; failed=1; }
[ "$(cd "$work/repeated" && echo *)" = "run-1 run-2 warm-up-run-1" ] || { ls "$work/repeated"; failed=1; }
[ -e "$work/started" ] && { echo "FAIL: the application was started in spite of an error"; failed=1; }

expect 2 'expected: all, exact' $collprof run --tune=some "$work/canary.sh"
expect 0 'coll_tuned_use_dynamic_rules=1' $collprof run --tune=exact env

# Of many ranks one speaks.
PMI_RANK=1 $collprof run --nonsense true > "$work/out" 2>&1
[ $? -eq 2 ] && [ ! -s "$work/out" ] || { echo "FAIL: rank 1 speaks, too"; failed=1; }

# As a shell would.
expect 127 'No such file' $collprof run "$work/none"
touch "$work/plain"
expect 126 'denied' $collprof run "$work/plain"
expect 3 '' $collprof run sh -c 'exit 3'
expect 0 '--stack=9' $collprof run echo --stack=9
expect 0 '--stack' $collprof run -- echo --stack
# A signal's death stays one.
$collprof run sh -c 'kill -TERM $$' 2> /dev/null
[ $? -eq 143 ] || { echo "FAIL: death by a signal does not come through"; failed=1; }

# The library is preloaded into the application, before what was there; variables carry options.
expect 0 'libcollprof.so:libm.so.6$' env LD_PRELOAD=libm.so.6 $collprof run printenv LD_PRELOAD
expect 0 '^7$' $collprof run --stack=7 printenv COLLPROF_STACK
expect 0 '^8$' env COLLPROF_STACK=7 $collprof run --stack=8 printenv COLLPROF_STACK
expect 0 'libcollprof-transport.so$' $collprof run --yield printenv LD_PRELOAD
expect 0 '^1$' $collprof run --yield printenv OMPI_MCA_mpi_yield_when_idle
expect 0 '^none$' $collprof run sh -c 'printenv _COLLPROF_LOADER || echo none'
# A program without MPI leaves nothing behind.
(cd "$work" && "$OLDPWD/$collprof" run true 2> /dev/null || $collprof run true)
[ -e "$work/collprof.out" ] && { echo "FAIL: a program without MPI made collprof.out"; failed=1; }

echo 'int main(void) { return 0; }' > "$work/static.c"
if ${CC:-cc} -static -o "$work/static" "$work/static.c" 2> /dev/null; then
    expect 0 'statically linked' $collprof run "$work/static"
fi
expect 0 'may start several programs' $collprof run "$work/canary.sh"
for interpreter in sh '-S A=1 sh -e'; do
    echo "#!/usr/bin/env $interpreter" > "$work/env.sh" && chmod +x "$work/env.sh"
    expect 0 'may start several programs' $collprof run "$work/env.sh"
done
# An MPI that there is no layer for, linked with or brought by a library that is.
if ${CC:-cc} -shared -fPIC -Wl,-soname,libmpi.so.99 -o "$work/libmpi.so.99" "$work/static.c" 2> /dev/null; then
    set -- -Wl,--no-as-needed -Wl,-rpath,"$work"
    ${CC:-cc} -shared -fPIC -o "$work/libvia.so" "$work/static.c" "$@" "$work/libmpi.so.99"
    ${CC:-cc} -o "$work/linked" "$work/static.c" "$@" "$work/libmpi.so.99"
    ${CC:-cc} -o "$work/brought" "$work/static.c" "$@" "$work/libvia.so"
    for program in linked brought; do
        expect 2 "$program is linked with libmpi.so.99, which this" $collprof run "$work/$program"
    done
fi

# What newcomers type, and what they are told to type.
absolute=$(realpath $collprof)
touch "$work/app" "$work/script.py"
typed() { (cd "$work" && eval "$absolute $1"); }
as=-F
while IFS='|' read -r wanted answer line; do
    expect "$wanted" "$answer" typed "$line"
done <<'END'
2|use: mpiexec -n N collprof ./app|
2|use: mpiexec ... collprof run APPLICATION|mpiexec -n 2 ./app
2|use: mpirun ... collprof run APPLICATION|run mpirun -np 2 ./app
127|did you mean ./app?|app
2|use: srun ... collprof run APPLICATION|srun -n 4 ./app
2|expected a number of seconds|--watchdog ./app
126|did you mean --report=./app?|run --report ./app
2|use: --table=NAME|report --table
2|expected: operations, call_sites|report --table=calls
2|expected one directory, not|report html collprof.out
1|use: mpiexec -n N collprof ./app, or another directory|where 123
2|--from and --to are for --format=html|report --from=1
2|would replace a profile|report -o x/profile.json
127|did you mean --trace=calls?|run --trace calls ./app
127|did you mean --report=no?|--report no ./app
2|did you mean compare?|compair a b
2|use: --output=DIR|-o
0|--trace is passed to echo: if it is meant for collprof, put it before|run echo --trace
2|did you mean --help?|--hlp
2|unknown option --msg: `collprof report --help`|report --msg
2|use: mpiexec -n N collprof run ./app|-n 4 ./app
127|`collprof --help` lists commands|clean
126|use: collprof run python3 ./script.py|run ./script.py
2|use: collprof repeat -n 5 mpiexec|repeat 5 mpiexec -n 2 ./app
126|. is a directory: expected a program|run .
2|did you mean --bcast=grid?|run --grid ./app
2|use: collprof report --full|--full ./app
2|use: collprof report --format=html|run --format=html ./app
0|Usage: collprof report|help report
2|did you mean --format=csv?|report --csv
2|app is not profiled: use: collprof repeat mpiexec|repeat ./app
2|expected: text, json, csv, html, openmetrics, perfetto, otf2|report --format=pdf
2|--table is for --format=text or csv|report --format=json --table=ranks
1|use: mpiexec -n N collprof ./app, or another directory|report none
1|expected a directory of a run, or a log of collbench-pairs: canary.sh|report canary.sh
2|rank-0.ledger is the raw record of one rank: use the directory|report --format=html rank-0.ledger
1|use: mpiexec -n N collprof ./app, or another directory|compare none
2|use: A... -- B...|compare a b c
2|no runs after the --: use: A... -- B...|compare a --
2|expected a percentage such as 5%|compare --fail-above a b
2|no command: use: collprof repeat mpiexec|repeat
2|--from is not before --to|plot --from=2 --to=1
2|unexpected argument 'all': see `collprof info --help`|info all
END

# Runs that were recorded: what each command answers, in the first or any line, and which files it writes.
unset COLUMNS
for run in "$srcdir"/tests/profiles/*.json; do
    run=$(basename "$run" .json)
    mkdir "$work/$run" && cp "$srcdir/tests/profiles/$run.json" "$work/$run/profile.json"
done
mkdir "$work/empty" "$work/twice" && cp -r "$work/first" "$work/twice/a" && cp -r "$work/known" "$work/twice/b"
ln -s first "$work/same"
cp -r "$work/known" "$work/run[1]"
# Five runs, and five that take 4 % longer.
python3 - "$work" <<'END'
import json, os, sys
for side, longer in ("base", 1), ("slow", 1.04):
    for i in range(5):
        p = json.load(open(sys.argv[1] + "/known/profile.json"))
        for r in p["ranks"]:
            r["wall_seconds"] *= longer * (1 + 0.0005 * i)
        os.mkdir(f"{sys.argv[1]}/{side}-{i}")
        json.dump(p, open(f"{sys.argv[1]}/{side}-{i}/profile.json", "w"))
END
as=
while IFS='|' read -r wanted answer line; do
    expect "$wanted" "$answer" typed "$line"
done <<'END'
0|^Usage: collprof .run. .OPTION|help
0|^  where  *show where a run is stuck|-h
0|^collprof [0-9.]*$|-V
2|unknown option -v|-v
0|^  traced .* 2  3.07ms  complete .*sites$|report --list traced
0|^  run  .* state  *program$|report --list aborted
0|^  aborted .* 2  7.31ms  incomplete  sites$|report --list aborted
0|^  known  *- *4  *3.10s  complete|report --list known
0|^  twice/b .*known$|report --list twice/
0|^  run.1. .*known$|report --list 'run[1]'
1|empty: contains no run|report --list empty
2|--list print only text: leave out --format|report --list --format=json known
2|--what-if=slower:x,5: expected balance:SITE|report --what-if=slower:x,5 known
0|^From 2 to 4 ranks, computation scaling falls most: from 100.0 % to 0.0 %|scale traced known traced
3|^  *4 *3.10s  *0.00  *0.0%  *0.0%  *98.2%  *99.3%|scale --fail-below=50 traced known
0|^  *4  *3.10s  *1.00  *98.2%|scale --fail-below=98 known
3|^  *4  *3.10s  *1.00  *98.2%|scale --fail-below=99 known
0|^collprof top: the run has ended: 4 ranks reached MPI_Finalize, after 3.10 s$|top known
1|use: mpiexec -n N collprof ./app, or another directory|top none
1|known: the run has ended, and all ranks have reached MPI_Finalize|where known
0|^collprof: known on 4 ranks|report known
0|"schema":"collprof-profile/|report --format=json known
0|^3,3099959.625,34645.856,|report --format=csv --table=ranks known
0|^3,3099959.625,34645.856,|report --format=csv --table=ranks -o table.csv known; cat table.csv
0|table waits has no rows: use: collprof run --trace$|report --format=csv --table=waits known
0|table transport has no rows: use: collprof run --trace=transport$|export --table=transport known
0|^# table: regions$|report --format=csv known
0|^# parallel efficiency: |export known
1|cannot write /nowhere/none|export -o /nowhere/none known
0|^known/report.html: open it in a browser$|report --format=html known
0|^known/report.html: open|report --format=html known
2|known/report.html exists and was not written by|echo other >known/report.html; "$absolute" report --format=html known
0|^<!DOCTYPE html>|report --format=html -o - known
1|cannot write /nowhere/x|report -o /nowhere/x known
1|known: no trace: use records|report --format=perfetto known
1|known: no trace: use records|report --format=otf2 known
1|empty: no record that can be read|where empty
1|no timeline: the run was not traced|plot --from=0 -o none.html known
0|^p.html: open|plot -o p.html known
2|expected one directory, not 'known' and 'first'|plot known first
2|known/profile.json is a profile: use the directory of its run|report known/profile.json
2|x.json is a profile: use the directory of its run|cat known/profile.json >x.json; "$absolute" report x.json
2|known/profile.json is a profile: use the directory of its run|report --format=html -o x.html known/profile.json
0|^Run time: 3.10 s -> 5.08 ms, median change -3.09 s, -100 %|compare known first
0|^  -> about 5 runs per side would decide|compare known first
0|^A: 1 run: twice/b$|compare twice/b -- twice/a first
0|^B: 2 runs: twice/a, first$|compare twice/b -- twice/a first
2|repeated contains several runs: use: collprof compare A/run-\* -- B/run-\*|compare repeated known
0|^run,3099999.774,5083.983,|compare --format=csv known first
0|^<!DOCTYPE html>|compare --format=html known first
4|^Limit of 5 %: undecided|compare --fail-above=5% known first
3|^Limit of 2 %: failed|compare --fail-above=2% base-? -- slow-?
0|^Limit of 20 %: passed|compare --fail-above=20% base-? -- slow-?
0|^Limit of 2 %: passed|compare --fail-above=2% slow-? -- base-?
0|"schema": "collprof-comparison/3"|compare --format=json base-? -- slow-?
2|first and same are the same run: use each once|compare known first -- transport same
0|^A: 1 run: twice/b$|compare twice
1|none: No such file|compare first -- known none
2|--fail-above is for runs of applications|compare --fail-above=5% known/profile.json first/profile.json
END
for made in table.csv known/report.html p.html; do
    [ -s "$work/$made" ] || { echo "FAIL: no $made"; failed=1; }
done
[ -e "$work/x.html" ] || [ -e "$work/none.html" ] && { echo "FAIL: a page of nothing"; failed=1; }

# Commands in turn, with the first of each not counted; what each was given, and where its results are.
cat >"$work/collbench-made" <<'END'
#!/bin/sh
echo "$1 ${COLLBENCH_OUTPUT##*/} $COLLBENCH_FORMAT $COLLPROF_REPORT" >>turns
cp profile "$COLLBENCH_OUTPUT"
END
chmod +x "$work/collbench-made"
echo '{"schema": "collbench-none/1"}' >"$work/profile"
(cd "$work" && "$absolute" repeat -n 2 -o turned --against='./collbench-made b' ./collbench-made a) >"$work/out" 2>&1
diff - "$work/turns" <<'END' || { echo "FAIL: turns of repeat"; cat "$work/out"; failed=1; }
b warm-up-before-1.json json no
a warm-up-run-1.json json no
a run-1.json json no
b before-1.json json no
b before-2.json json no
a run-2.json json no
END

# The first run of each pair is without our --tuned.
mkdir "$work/bin" && cat >"$work/bin/collprof" <<'END'
#!/bin/sh
mkdir "$COLLPROF_OUTPUT" && touch "$COLLPROF_OUTPUT/profile.json"
echo "${COLLPROF_OUTPUT##*/} $COLLPROF_TUNED $*" >>"${0%/*}/turns"
END
chmod +x "$work/bin/collprof"
(cd "$work" && COLLPROF_TUNED=z "$absolute" repeat -n 1 -o pairs bin/collprof --tuned=x -o y run ./app --tuned=own) >"$work/out" 2>&1
diff - "$work/bin/turns" <<'END' || { echo "FAIL: pairs of repeat --tuned"; cat "$work/out"; failed=1; }
warm-up-before-1  -o y run ./app --tuned=own
warm-up-run-1 z --tuned=x -o y run ./app --tuned=own
run-1 z --tuned=x -o y run ./app --tuned=own
before-1  -o y run ./app --tuned=own
END

# Readers.
expect 1 'No such file' $collprof report "$work/none"
expect 1 'neither profile.json nor a record' $collprof report "$work"
expect 2 'expected a number of rows from 1' $collprof report --top=0 a
mkdir "$work/cut" && printf '{"schema": "collprof-profile/' > "$work/cut/profile.json"
expect 1 'the file is truncated: use a complete copy' $collprof report "$work/cut"
: > "$work/cut/profile.json"
expect 1 'the file is truncated: use a complete copy' $collprof report "$work/cut"
echo other > "$work/cut/profile.json"
expect 1 "expected near 'other'" $collprof report "$work/cut"
expect 1 'empty: contains no run' $collprof compare "$work/empty"
expect 1 'no earlier run to compare' $collprof compare "$work/first"
expect 2 'did you mean --format?$' $collprof report --fromat=csv a
echo nonsense > "$work/nonsense.log"
expect 1 'nonsense.log' $collprof plot "$work/nonsense.log"
printf '%s\n' '# Testing Hostname: vm' '# Processors: 2 MsgLen 64 Repeats: 100' \
    '# ProcName1:rank   ProcName2:rank   AvgCommTime(usecs) StdDev' \
    'vm 000   vm 001          10.44   0.12' > "$work/pairs.log"
expect 0 '^10.440 0.000' $collprof report "$work/pairs.log"
expect 0 'pairs.html' $collprof plot "$work/pairs.log"
grep -q '"kind":"heat"' "$work/pairs.html" || { echo "FAIL: no picture of a log of latencies"; failed=1; }
expect 0 'languages  *C, ' $collprof info
[ "$(grep -c 'its layer  */.*/libcollprof-layer.so$' "$work/out")" = "$(ls $top_builddir/layers/*/libcollprof-layer.so | wc -l)" ] &&
    grep -q 'library  */.*/libcollprof.so$' "$work/out" ||
    { echo "FAIL: collprof info:"; cat "$work/out"; failed=1; }
[ -w /dev/full ] && expect 1 'No space left' sh -c "$collprof info > /dev/full"
exit $failed
