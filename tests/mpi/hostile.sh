#!/bin/sh
# A profile that somebody else made: nothing in it is interpreted, by gnuplot's shell, by a terminal
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
for command in "report names" "report --csv names" "export names" "export --format=perfetto names" \
    "compare names good"; do
    timeout 60 "$collprof" $command >shown 2>&1 || fail "$command: status $? $(cat shown)"
    if grep -q "$(printf '[\033\007]')" shown; then fail "$command: control characters"; fi
done
timeout 60 "$collprof" export names | cut -d, -f1-4 >csv
if grep -E '(^|,)"?[=+@]' csv; then fail "a formula in a spreadsheet"; fi
if command -v "${GNUPLOT:-gnuplot}" >/dev/null; then
    (cd names && timeout 120 "$collprof" plot . >shown 2>&1) || fail "plot: $(cat names/shown)"
    ls names/*.png >/dev/null 2>&1 || fail "plot: no pictures"
fi
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
refused one-in 'p["instances"]["analysed_one_in"] = 3'
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
refused members 'p["instances"]["list"][0]["members"][4] = 2**62'

# What the format allows is no reason to refuse: an entry without a site.
forged no-site 'p["entries"] = [dict(e, site=None) for e in p["entries"]]'
for command in "report" "report --csv" "report --json" "export" "plot"; do
    timeout 60 "$collprof" $command no-site >shown 2>&1 || fail "$command without sites: $(cat shown)"
done

# What the user has made is not replaced, what collprof has made is.
cp -r no-site mine
echo my own page >mine/report.html
timeout 60 "$collprof" report --html mine >shown 2>&1
test $? = 2 || fail "report --html: status, where there is a page of the user's"
grep -q 'mine/report.html is there and was not made by collprof' shown || fail "$(cat shown)"
test "$(cat mine/report.html)" = "my own page" || fail "report --html replaced the user's page"
timeout 60 "$collprof" report --html --force mine >shown 2>&1 || fail "--force: $(cat shown)"
timeout 60 "$collprof" report --html mine >shown 2>&1 || fail "page of its own: $(cat shown)"
if command -v "${GNUPLOT:-gnuplot}" >/dev/null; then
    echo my own picture >mine/sizes.png
    timeout 120 "$collprof" plot mine >shown 2>&1
    test $? = 2 || fail "plot: status, where there is a picture of the user's"
    grep -q 'mine/sizes.png is there and was not made by collprof' shown || fail "$(cat shown)"
    test "$(cat mine/sizes.png)" = "my own picture" || fail "plot replaced the user's picture"
    timeout 120 "$collprof" plot --force mine >shown 2>&1 || fail "--force: $(cat shown)"
    timeout 120 "$collprof" plot mine >shown 2>&1 || fail "pictures of its own: $(cat shown)"
fi

# In a directory where others may write, what they put there is not written through.
if [ "$(id -u)" -eq 0 ]; then
    mkdir trap
    cp no-site/profile.json trap
    echo precious >precious
    mkdir victim
    ln -s "$PWD/precious" trap/ranks.png
    ln -s "$PWD/precious" trap/report.html
    ln -s "$PWD/victim" trap/csv
    mkfifo trap/sizes.png
    chown -h 65534 trap/ranks.png trap/report.html trap/csv trap/sizes.png
    for command in "plot -p ranks" "plot -p sizes" "report --html" "export"; do
        timeout 60 "$collprof" $command trap >shown 2>&1 && fail "$command: wrote through a trap"
        grep -q 'of another user' shown || { cat shown; fail "$command: gives no reason"; }
    done
    test "$(cat precious)" = precious || fail "a file was overwritten through a link"
    test -z "$(ls victim)" || fail "files were written through a link"
fi

# Neither waits for a writer.
mkdir fifo fifo2
mkfifo fifo/profile.json fifo2/rank-000000.ledger
for d in fifo fifo2; do
    timeout 20 "$collprof" report $d >shown 2>&1
    test $? = 1 || fail "$d: $(cat shown)"
done
exit 0
