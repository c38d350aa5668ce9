#!/bin/bash
# What people and other programs are given of recorded profiles and results is what it was: pages, tables, comparisons, what
# gnuplot is told to draw, answers to wrong command lines, line by line as in tests/recorded. After a change that was meant: build, `tests/recorded.sh --record`, and
# read the difference.
set -u
export LC_ALL=C TZ=UTC COLUMNS=100 NO_COLOR=1
source=$(cd "${srcdir:-$(dirname "$0")/..}" && pwd)
build=$(cd "${top_builddir:-$source/build}" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
for format in sqlite otf2; do
    "$build/collprof" export --help | grep -q "^  $format " || { echo "built without $format"; exit 77; }
done
unset $(env | sed -n 's/^\(COLLPROF_[A-Z_]*\)=.*/\1/p')
cd "$work" || exit 1
for profile in "$source"/tests/profiles/*.json; do
    mkdir "$(basename "$profile" .json)"
    cp "$profile" "$(basename "$profile" .json)/profile.json"
done
mkdir -p out empty
"$build/collprof" report --html=page.html "$source/tests/results/bcast.json" >told && grep -q dygraphs page.html ||
    { echo "built without dygraphs"; exit 77; }
python3 - <<'PY'
import json
doubled = lambda x: {k: 2 * v if k.endswith("_ns") and isinstance(v, (int, float)) else doubled(v) for k, v in x.items()} \
    if isinstance(x, dict) else list(map(doubled, x)) if isinstance(x, list) else x
json.dump(doubled(json.load(open("known/profile.json"))), open("empty/known2", "w"))
PY
mkdir known2 && mv empty/known2 known2/profile.json
printf '#!/bin/sh\ncat >>"%s/script"\necho "drawn by a stand-in: IEND</svg>"\n' "$work" >gnuplot && chmod +x gnuplot
export GNUPLOT="$work/gnuplot"
printf '#!/bin/sh\necho "shown: $1" >>"%s/seen"\n' "$work" >viewer
printf '#!/bin/sh\nprintf "plot x\\n     ^\\nno such thing\\n\\n" >&2; exit 1\n' >complains
printf '#!/bin/sh\necho "<svg>"\n' >cuts
printf '#!/bin/sh\ncat "%s/tests/results/bcast.json"\n' "$source" >bench
printf '#!/bin/sh\necho "$COLLPROF_OUTPUT $COLLPROF_REPORT" >>order; mkdir -p "$COLLPROF_OUTPUT" && cp "$1/profile.json" "$COLLPROF_OUTPUT"\n' >run
chmod +x viewer complains cuts bench run
mkdir bin && cp viewer bin/xdg-open

# Of pages neither style nor script, which have tests of their own, and a line for each thing.
page() { python3 -c 'import re, sys; print(re.sub(r"(?=<(tr|section|li|dt|h2|text|path|rect|details|p)\b)", "\n", re.sub(r"(?s)<(style|script)>.*?</\1>", "", sys.stdin.read())))'; }
collprof() { timeout 60 "$build/collprof" "$@" </dev/null; }
# The answer to a command line, and its status.
answer() { echo "\$ collprof $*"; collprof "$@" 2>&1; echo "status $?"; }

for run in aborted traced transport known; do
    collprof report --width=80 --top=20 $run >out/$run.report
    collprof report --html=page.html $run >told 2>&1 && page <page.html >out/$run.html
    collprof export --output=csv $run >told && tail -n +1 csv/* >out/$run.csv
    rm -r csv
done
for run in aborted known; do
    collprof export --format=perfetto --output=trace $run >told && sed 's/},/},\n/g' trace >out/$run.perfetto
done
for result in "$source"/tests/results/*.json; do
    collprof report --html=page.html --force "$result" >told && page <page.html >"out/$(basename "$result" .json).html"
done
# Of several numbers of ranks, and with intervals.
python3 - "$source/tests/results/bcast.json" <<'PY' >several.json
import json, sys
results = json.load(open(sys.argv[1]))
rows = results["tables"]["statistics"]["rows"]
rows += [{**r, "ranks": 2 * r["ranks"], "value": 2 * r["value"]} for r in rows]
for r in rows:
    r.update(low=0.9 * r["value"], high=1.2 * r["value"])
json.dump(results, sys.stdout)
PY
collprof report --html=page.html --force several.json >told && page <page.html >out/several.html
for picture in durations ranks arrivals sizes matrix; do
    for run in aborted known; do
        rm -f script
        collprof plot --picture=$picture --output=picture.svg --force $run >told 2>&1
        cat told script >out/$run.$picture 2>told2
    done
done
for file in pairs.log overlap.json; do
    rm -f script
    collprof plot --output=picture.svg --force "$source/tests/results/$file" >told 2>&1
    cat told script >out/${file%.*}.plot 2>told2
done
# Of several the slowest pair has the same colour.
rm script
awk '/^[^#]/ { $5 *= 3 } 1' "$source/tests/results/pairs.log" >tripled.log
collprof plot --output=several.svg "$source/tests/results/pairs.log" tripled.log >told
grep -E '^set (title|cbrange)' script >out/pairs.scales
collprof export --output=out/pairs.csv "$source/tests/results/pairs.log" >told
collprof report --json --only=Bcast traced >out/traced.json
collprof export --format=json known >out/known.json
collprof export --format=sqlite --output=database transport >told &&
    python3 - >out/transport.sql <<'PY'
import sqlite3
database = sqlite3.connect("database")
for name, statement in database.execute("SELECT name, sql FROM sqlite_master").fetchall():
    print(statement, *database.execute("SELECT * FROM " + name), sep="\n")
PY
for two in "traced transport" "known known2"; do
    for format in text markdown junit json; do
        collprof compare --width=80 --format=$format $two >out/${two% *}.compare.$format 2>&1
    done
    collprof compare --format=html $two | page >out/${two% *}.compare.html
done
collprof compare --format=html traced transport -- known | page >out/three.compare.html
{
    answer report --explain --top=2 traced
    answer report --only=Allreduce --rank=1 transport
    answer report --sort=calls --top=3 --width=80 traced
    answer report --sort=mean --top=3 known
    answer report --exp --nothing traced
    answer export traced known
    answer export --format=perfetto --output=trace known
    answer export --format=perfetto --output=trace first
    answer export --table=requests transport
    answer list .
    answer report nowhere
    answer report empty
    answer report --rank=7 traced
    answer report --only=Nothing traced
    answer report --sort=nothing traced
    answer report --top=0 traced
    answer report --width=79 traced
    answer report --base-round=traced/profile.json traced
    answer report --comm=nobody traced
    answer report --region=nowhere traced
    answer report --json --html traced
    answer report one two
    answer export --format=nothing traced
    answer export --table=nothing traced
    answer export --table=operations --format=sqlite traced
    answer export --output=/nonexistent/file --format=json traced
    answer plot --picture=nothing traced
    answer plot --from=2 --to=1 --picture=timeline traced
    answer plot --ranks=9 --picture=timeline traced
    answer plot --top=x traced
    answer plot --output=picture.gif --picture=ranks traced
    answer plot --output=picture.png traced
    answer compare traced
    answer compare traced nowhere
    answer compare --format=nothing traced transport
    answer compare --figure=nothing traced transport
    answer compare --fail-above=x traced transport
    answer compare --fail-above=1 traced transport
    answer compare traced -- transport -- aborted
    rm script
    answer repeat -n 0 true
    answer repeat
    answer launches
    answer run
    answer run --nothing true
    answer run --stack-depth=x true
    answer report --sotr=calls traced
    answer export --fromat=csv traced
    answer export --table=operatoins traced
    answer export --table=waits known
    answer export --table=transport traced
    answer export --output=tables traced
    echo mine >tables/ranks.csv
    answer export --output=tables traced
    answer export --output=tables --force traced
    answer export --output=tables traced
    echo mine >traced/report.html
    answer report --html traced
    answer report --html --force traced
    answer report --html traced
    answer report --html=page.html transport/profile.json
    answer report transport/profile.json
    answer export --output=matrices transport/profile.json
    answer report --base-round=nowhere traced
    answer list nowhere
    answer list empty
    answer compare --top=1 --width=80 traced known
    answer compare traced empty
    answer compare --format=junit --fail-above=1 known known2
    answer plot --picture=ranks empty
    answer plot --picture=matrix traced
    answer plot --top=1 --output=one.svg traced
    answer plot --picture=ranks --overlap=x traced
    answer plot --overlap=$source/tests/results/overlap.json --output=map.svg known
    sed -n '/^plot/,$p' script
    answer report --exp --top=1 traced
    answer compare --figure=calls traced transport
    answer compare -- traced
    answer compare traced transport --
    answer compare traced traced known
    answer compare traced -- traced known
    cp -r traced first-2
    echo more >first-2/more
    answer list first
    COLUMNS= answer report --color=always --top=1 traced
    BROWSER="$work/viewer:other" answer plot --picture=ranks --output=shown.svg --show known
    BROWSER= PATH="$work/bin:$PATH" answer plot --picture=ranks --output=by-default.svg --show known
    BROWSER=nowhere answer plot --picture=ranks --output=shown.svg --show known
    answer plot --picture=ranks --output=signed.png known
    tail -c 60 signed.png | tr '\0' '\n'
    GNUPLOT=nowhere answer plot --picture=ranks --output=none.svg known
    GNUPLOT=$work/complains answer plot --picture=ranks --output=none.svg known
    GNUPLOT=$work/cuts answer plot --picture=ranks --output=none.svg known
    ls *.svg
    answer launches -n 2 -o two ./bench
    answer launches -n 2 -o two ./bench
    answer launches -n 2 -o three ./nowhere
    answer launches -n 2 -o three false
    answer launches -n 1 ./bench
    answer launches --format=csv "$source/tests/results/bcast.json" several.json
    answer launches "$source/tests/results/bcast.json" "$source/tests/results/collective.json"
    answer launches --format=png "$source/tests/results/bcast.json"
    answer launches one.json
    printf '{"schema":\n\n]' >broken.json
    answer report --html=page.html broken.json
    answer repeat -n 2 -w 1 -o kept ./run traced
    answer repeat -n 5 -w 0 -o both --against='./run known' ./run known2
    answer repeat -o kept true
    answer repeat -o fails false
    answer repeat -o bare true
    answer repeat -o missing ./nowhere
    cat order
    answer help report
    answer help plot extra
    answer help nothing
    answer nothing
    answer --nothing
} >out/answers
sleep 0.5 # a viewer is not waited for
cat seen >out/seen
sed -i -E "s/: [0-9.]+ s$/: SECONDS s/; s|$work|WORK|g; s/mpiexec\.[a-z]+/mpiexec/g; s|$source|SOURCE|g; s/collprof [0-9]+\.[0-9]+\.[0-9]+/collprof VERSION/g; s/\"(collprof|version)\": ?\"[0-9.]+\"/\"\1\":\"VERSION\"/g" out/*
if [ "${1:-}" = --record ]; then
    mkdir -p "$source/tests/recorded"
    cp out/* "$source/tests/recorded/"
    exit 0
fi
diff -r -U1 "$source/tests/recorded" out >difference && exit 0
head -n 60 difference
exit 1
