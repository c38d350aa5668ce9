#!/bin/bash
# Reports of recorded profiles are, line by line, what tests/recorded holds. After an intended
# change: build, run `tests/recorded.sh --record`, and read the difference.
set -u
export LC_ALL=C TZ=UTC COLUMNS=80
source=$(cd "${srcdir:-$(dirname "$0")/..}" && pwd)
build=$(cd "${top_builddir:-$source/build}" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset $(env | sed -n 's/^\(COLLPROF_[A-Z_]*\)=.*/\1/p')
cd "$work" || exit 1
mkdir out
for profile in "$source"/tests/profiles/*.json; do
    mkdir "$(basename "$profile" .json)"
    cp "$profile" "$(basename "$profile" .json)/profile.json"
done
for run in aborted traced known; do
    timeout 60 "$build/collprof" report $run >out/$run.report 2>&1
done
timeout 60 "$build/collprof" report --full known 2>&1 | head -n 40 >>out/known.report
timeout 60 "$build/collprof" report --table=transport transport >out/transport.report 2>&1
[ "${1:-}" != --record ] || exec cp out/* "$source/tests/recorded/"
diff -r -U1 "$source/tests/recorded" out >difference && exit 0
head -n 60 difference
exit 1
