#!/bin/sh
# A profile that somebody else made: nothing in it is interpreted, by a shell, by a terminal
# or by a spreadsheet; and one that is damaged is refused with one line, not by a crash.
. "${srcdir:-.}/tests/mpi/lib.sh"

layered 2 good "$built/examples/heat" -s 20 >out 2>err || fail "no profile to begin with: $(cat err)"

# forged NAME PYTHON: good's profile.json as p, changed.
forged()
{
    mkdir -p "$1"
    python3 - "$1" "$2" <<'END' || fail "cannot forge $1"
import json, sys
p = json.load(open("good/profile.json"))
exec(sys.argv[2])
json.dump(p, open(sys.argv[1] + "/profile.json", "w"))
END
}

forged names '
for s in p["sites"]:
    for f in s["frames"]:
        f["function"] = "`touch executed`\033]0;title\007\n=cmd|calc"
        f.pop("file", None)
p["run"]["programs"] = ["/x/`touch executed`\033[2J"]
p["communicators"][0]["name"] = "=1+1\033[31m"
p["hosts"][0]["name"] = "$(touch executed)\033c"
p["warnings"] = ["\033[1mwarned\nNo MPI call was recorded"]'
for command in "report names" "report --format=csv --table=call_sites names" "report --format=csv names" \
    "compare names good"; do
    timeout 60 "$collprof" $command >shown 2>&1 || fail "$command: status $? $(cat shown)"
    if grep -q "$(printf '[\033\007]')" shown; then fail "$command: control characters"; fi
done
timeout 60 "$collprof" report --format=csv names | cut -d, -f1-4 >csv
if grep -E '(^|,)"?[=+@]' csv; then fail "a formula in a spreadsheet"; fi
(cd names && timeout 120 "$collprof" plot . >shown 2>&1) || fail "plot: $(cat names/shown)"
test -s names/report.html || fail "plot: no pictures"
find . -name executed | grep . && fail "a command in a name was executed"

# refused NAME PYTHON
refused()
{
    forged "$1" "$2"
    timeout 20 "$collprof" report "$1" >shown 2>&1
    status=$?
    test $status = 1 || { cat shown; fail "$1: status $status"; }
    test "$(wc -l <shown)" = 1 || { cat shown; fail "$1: not one line"; }
    grep -q '^collprof: ' shown || { cat shown; fail "$1: whose line?"; }
}
refused wrapped 'p["entries"][0]["site"] = 2**32'
refused far 'p["entries"][0]["operation"] = 10**6'
refused negative 'p["entries"][0]["calls"] = -1'
refused size-class 'p["entries"][0]["size_class"] = 200'
refused rank 'p["ranks"][0]["rank"] = -7'
refused ranks 'p["run"]["size"] = 2**40'
refused frames 'p["sites"][-1]["frames"] *= 20'
refused sample-mask 'p["run"]["sample_mask"] = -1'
refused covered 'p["trace"]["covered"] = -1/50'
refused covered-twice 'p["trace"]["covered"] = 2.0'
refused delayed 'p["ranks"][0]["delayed_ns"] = 2**62'
refused delayed-longer 'p["ranks"][0]["delayed_ns"] = 10**15'
refused wait 'p["arrivals"][0]["wait_ns"] = 2**63 - 1'
refused wait-longer 'p["arrivals"][0]["wait_ns"] = p["arrivals"][0]["time_ns"] + 1'
refused in-mpi 'p["ranks"][0]["mpi_ns"] = 10**15'
refused wall 'p["ranks"][0]["wall_seconds"] = -1.0'
refused entry-time 'p["entries"][0]["time_ns"] = 10**15; p["entries"][0]["max_ns"] = 1'
refused errors 'p["entries"][0]["errors"] = p["entries"][0]["calls"] + 1'
refused region 'p["regions"].append({"name": "x", "entered": 1, "time_ns": -5})'
refused finding 'p["findings"] = {"benchmark": [{"operation": "MPI_Bcast", "ranks": 2, "methods": [{"time_us": 1e308}]}]}'
refused quoted 'p["operations"][0]["name"] = "\"},{\"ph\":\"X"'
refused nameless 'p["operations"][0]["name"] = ""'
refused members 'p["arrivals"][0]["cost_low_ns"] = 2**62'
refused table 'p["arrivals"][0].pop("operation")'

# More than the memory can hold is not read, and takes no time.
forged large 'pass'
truncate -s 1T large/profile.json || skip "no sparse files"
for command in "report large" "report --list large" "compare good large" "report --format=html large"; do
    timeout 20 "$collprof" $command >shown 2>&1
    test $? != 124 || fail "$command: reads on and on"
    grep -q 'profile.json: it is too large for the memory that is available' shown || { cat shown; fail "$command: a profile of 1 TiB"; }
done

# What the format allows is no reason to refuse: an entry without a site.
forged no-site 'p["entries"] = [dict(e, site=None) for e in p["entries"]]'
for command in "report" "report --format=csv --table=call_sites" "report --format=json" "report --format=csv" "plot"; do
    timeout 60 "$collprof" $command no-site >shown 2>&1 || fail "$command without sites: $(cat shown)"
done

# What the user has made is not replaced, what collprof has made is.
cp -r no-site mine
echo my own page >mine/report.html
timeout 60 "$collprof" report --format=html mine >shown 2>&1
test $? = 2 || fail "report --format=html: status, where there is a page of the user's"
grep -q 'mine/report.html exists and was not written by this version of collprof: use: --output' shown || fail "$(cat shown)"
test "$(cat mine/report.html)" = "my own page" || fail "report --format=html replaced the user's page"
timeout 60 "$collprof" report --format=html -o mine/report.html mine >shown 2>&1 || fail "-o: $(cat shown)"
timeout 60 "$collprof" report --format=html mine >shown 2>&1 || fail "page of its own: $(cat shown)"
cp mine/report.html before.html
(trap '' XFSZ; ulimit -f 4; exec timeout 60 "$collprof" plot mine) >shown 2>&1 && fail "plot: half a page is none"
cmp mine/report.html before.html || fail "plot: half a page has taken the place of a whole one"

# In a directory where others may write, what they put there is not written through.
if [ "$(id -u)" -eq 0 ]; then
    mkdir trap
    cp no-site/profile.json trap
    echo precious >precious
    ln -s "$PWD/precious" trap/report.html
    mkfifo trap/pictures.html
    chown -h 65534 trap/report.html trap/pictures.html
    for option in --format=html "--format=csv -o trap/pictures.html"; do
        timeout 60 "$collprof" report $option trap >shown 2>&1 && fail "$option: wrote through a trap"
        grep -q 'of another user' shown || { cat shown; fail "$option: gives no reason"; }
    done
    test "$(cat precious)" = precious || fail "a file was overwritten through a link"
fi

# Nor through links of the user's own, whatever is asked for; what is no link, and not ours, needs a name.
mkdir own
cp no-site/profile.json own
echo precious >precious
ln -s ../precious own/report.html
for option in --format=html "--format=csv -o own/report.html"; do
    timeout 60 "$collprof" report $option own >shown 2>&1 && fail "$option: wrote through a link"
    grep -q 'it is a link, which is not followed' shown || { cat shown; fail "$option: gives no reason"; }
done
test "$(cat precious)" = precious || fail "written through a link of the user's"
# The system's own link to standard output is none of these.
{ echo before; timeout 60 "$collprof" report --format=html -o /dev/stdout good; } >page 2>shown || fail "/dev/stdout: $(cat shown)"
grep -q '<title>collprof' page && test "$(head -n 1 page)" = before && test -L /dev/stdout || fail "/dev/stdout: not added"

# Names of files: a terminal does not obey them.
odd=$(printf 'odd\033[31m\nname')
cp -r no-site "$odd"
tame()
{
    timeout 60 "$collprof" "$@" >shown 2>&1
    if grep -q "$(printf '\033')" shown; then cat -v shown; fail "$*: control characters"; fi
}
for at in "$odd" "none $odd"; do
    for command in report "report --list" "report --format=csv" run "report --format=html" "compare good"; do
        # shellcheck disable=SC2086 # one word, or two
        tame $command "$at"
    done
done
tame report --"$odd" good
tame report --table="$odd" good
tame report -o "none/$odd" --format=perfetto good
test -s "$odd/report.html" || fail "no page in a directory of an odd name"

# Nor does a program lose its names by that of its directory.
cp "$built/examples/heat" "$odd"
cp /bin/true "$odd/$odd"
tame run "$odd/$odd"
grep -q 'used no MPI' shown || { cat -v shown; fail "nobody says that no MPI was used"; }
layered 2 oddly "$odd/heat" -s 1 >out 2>err || fail "a program with an odd name: $(cat err)"
tame report oddly
grep -q 'heat.c:[0-9]* ' shown || { cat -v shown; fail "a program with an odd name: its call sites have none"; }

# Nothing waits for a writer.
mkdir fifo fifo2
mkfifo fifo/profile.json fifo2/rank-000000.ledger fifo.json
for command in "report fifo" "report fifo2" "plot fifo.json"; do
    timeout 20 "$collprof" $command >shown 2>&1
    status=$?
    test $status = 1 || test $status = 2 || fail "$command: $status, $(cat shown)"
done
forged waiting 'p["modules"] = [dict(m, path="'"$PWD"'/fifo.json") for m in p["modules"]]
for s in p["sites"]:
    for f in s["frames"]:
        f.pop("function", None); f.pop("file", None)'
timeout 20 "$collprof" report waiting >shown 2>&1 || fail "a module that is a FIFO: $(cat shown)"
exit 0
