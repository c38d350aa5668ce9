#!/bin/sh
# Every installed program has --help, --version and a manual page that is well formed and names
# every option of --help.
. "${srcdir:-.}/tests/mpi/lib.sh"

check_page()
{
    page=$1
    shift
    test -f "$page" || { echo "no $page"; bad=1; return; }
    "$@" --help >help 2>err || { echo "$*: --help: status $?"; bad=1; }
    test ! -s err || { echo "$*: --help says something on stderr"; bad=1; }
    # As in the page's source, where a hyphen may be written \- and an option .Fl -name
    sed 's/\\-/-/g; s/\\f[BIRP]//g; s/Fl -/--/g' "$page" >plain
    for option in $(sed -nE 's/^ +(-., )?(--[a-z][a-z-]+).*/\2/p' help | grep -vE '^--(help|version|usage)$'); do
        grep -qF -e "$option" plain || { echo "$page does not name $option"; bad=1; }
    done
}

in_page() # WHERE THE NAMES ARE FROM
{
    test -s names || { echo "$1: no names"; bad=1; }
    while read -r name; do
        grep -qE -e "(^|[^a-z0-9_-])$name([^a-z0-9_-]|\$)" "$page" || { echo "$page does not name $name"; bad=1; }
    done <names
}

bad=0
for program in $bin_programs; do
    name=$(basename "$program")
    check_page "$built/pages/$name.1" "$built/$program"
    [ "$name" = collprof ] || tail -1 help | grep -qx "More options: man $name" || { echo "$name --help does not name its page"; bad=1; }
    "$built/$program" --version 2>&1 | grep -q '[0-9]\.[0-9]' || { echo "$name --version"; bad=1; }
done
for command in $("$built/collprof" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
    page=$built/pages/collprof-$command.1
    check_page "$page" "$built/collprof" "$command"
    sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESC/p' "$page" | grep '^\.Nm$' && { echo "$page: a synopsis without the subcommand"; bad=1; }
done
page=$built/pages/collprof-report.1
"$built/collprof" report --format=none 2>&1 | sed 's/.*expected: //; s/, /\n/g' >names
in_page "collprof report --format"
page=$built/pages/collbench-bcast.1
for option in benchmark bcast; do
    "$built/collprof" run --$option=none 2>&1 | sed 's/.*expected: //; s/, /\n/g' | grep -vxE 'all|grid' >names
    in_page "collprof run --$option"
done
# Members of profile.json, and keys of findings.
page=$built/pages/collprof-profile.5
{
    sed -nE 's,/\*.*,,; /^ *[A-Z]+\(|TABLE\(/s/[^"]*"([a-z_]+)"[^"]*/\1\n/gp' "$source/src/profile/fields.c" \
        "$source/src/profile/rows.h"
    sed -nE '/define LEDGER_SUMS/,/^$/s/ *X\(([a-z_]+)\)[ \\]*/\1\n/gp' "$source/src/record/layout.h"
} | grep -v '^$' >names
in_page rows.h
page=$built/pages/collprof-report.1
grep -hoE 'key = "[a-z_]+"' "$source"/src/report/*.c | sed 's/.*"\(.*\)"/\1/' | sort -u >names
in_page src/report
for page in "$built"/pages/*.[1-8]; do
    groff -ww -mandoc -Tutf8 -z "$page" 2>&1 | grep . && { echo "in $page"; bad=1; }
done
# Manuals are short: words as a reader sees them, with a first screen in each.
words=$(for page in "$built"/pages/*.[1-8]; do groff -mandoc -Tascii -P-cbou "$page" 2>/dev/null; done | wc -w)
[ "$words" -le 12000 ] || { echo "$words words of manuals: at most 12,000"; bad=1; }
grep -L '^\.Sh QUICKSTART' "$built"/pages/*.[1-8] | grep . && { echo "no quickstart"; bad=1; }
[ "$(wc -l <"$source/README.md")" -le 120 ] || { echo "README.md: at most 120 lines"; bad=1; }
exit $bad
