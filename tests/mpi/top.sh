#!/bin/bash
# `collprof top` follows a run: time in MPI of each group of ranks, the line that costs most and the rank for which the others
# wait there (known: rank 0 sleeps); a rank that is stuck; how the run ends. Piped and on a terminal.
. "${srcdir:-.}/tests/mpi/lib.sh"

write_program late <<'END_OF_C'
    int value;
    for (int i = 0; i < atoi(argv[1]); i++) {
        usleep(rank == 0 ? 200000 : 0);
        MPI_Barrier(MPI_COMM_WORLD); /* the line that costs */
    }
    if (argc > 2 && rank == 0)
        MPI_Recv(&value, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
END_OF_C
line=$(grep -n 'the line that costs' late.c | cut -d: -f1)

start() # ARGUMENT...: 3 ranks in the background, which have passed MPI_Init when it returns
{
    trap 'pkill -9 -f "^$PWD/late"' EXIT # a stuck program would disturb the tests to come
    $MPIEXEC -n 3 "$collprof" run --yield --report=no -o out "$PWD/late" "$@" >log 2>&1 &
    launcher=$!
    for try in $(seq 300); do
        "$collprof" where out >now 2>/dev/null && ! grep -q MPI_Init now && return
        sleep 0.1
    done
    fail "$mpi: no run: $(cat log)"
}

# Shares are judged in the last part that has all of them, before any rank ends.
follows()
{
    cp "$dir/late-$mpi" late
    start 40
    timeout 60 "$collprof" top out >top.txt 2>err || fail "$mpi: status $?: $(cat err)"
    wait "$launcher"
    python3 - "$line" <<'PY' || { cat top.txt err; fail "$mpi: a run that goes on"; }
import re, sys
text = open("top.txt").read()
parts = [p for p in text.split("\ncollprof top: ") if "late rank" in p and "MPI_Finalize" not in p]
assert len(parts) > 1, parts
last = parts[-1]
assert all(len(l) <= 80 for l in text.splitlines()), text
head = re.search(r"late, 3 ranks, .*? (\d+) % in MPI", " ".join(last.split()))
assert head and 40 < int(head[1]) < 90, head
groups = re.findall(r"^ +([\d-]+) % in MPI  (ranks? [\d, -]+): (.*)", last, re.M)
assert any(r == "rank 0" and int(s.split("-")[-1]) < 50 for s, r, t in groups), groups
assert any("2" in r and int(s.split("-")[-1]) > 75 for s, r, t in groups), groups
share = re.search(r"^ +MPI_Barrier .*s +(\d+)\.\d%%.* late.c:%s main$" % sys.argv[1], last, re.M)
assert share and 40 < int(share[1]) < 80, last
late = re.search(r"late rank.*\n +MPI_Barrier +3 .* 0 +[\d.]+%% .* late.c:%s main" % sys.argv[1], last)
assert late, last
assert re.search(r"the run has ended: 3 ranks reached MPI_Finalize, after ([6-9]|[1-9][0-9])", text.splitlines()[-1]), text
PY
}

# What a parser that is not ours makes of it, where Debian's python3-prometheus-client is installed.
metrics() # FILE LINE...: it is OpenMetrics, and has lines that begin so
{
    file=$1
    shift
    test "$(tail -n 1 "$file")" = '# EOF' || fail "$mpi: no end: $(cat "$file")"
    ! grep -vE '^(# (TYPE|UNIT|HELP|EOF)|collprof_[a-z_]+([{]([a-z]+="([^"\\]|\\.)*",?)+[}])? [0-9.e+-]+$)' "$file" ||
        fail "$mpi: a line that is no OpenMetrics"
    for line; do
        grep -q "^collprof_$line" "$file" || fail "$mpi: no $line: $(cat "$file")"
    done
    ! /usr/bin/python3 -c 'import prometheus_client' 2>/dev/null || /usr/bin/python3 - "$file" <<'PY' || fail "$mpi: $file"
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
families = {f.name: f for f in parse(open(sys.argv[1]).read())}
assert all(len(f.samples) <= 20 for f in families.values())
in_mpi = families.get("collprof_mpi_seconds") # unknown where a rank was killed in a call
assert not in_mpi or in_mpi.samples[0].value <= families["collprof_rank_seconds"].samples[0].value
PY
}

stuck()
{
    cp "$dir/late-$mpi" late
    start 2 stuck
    timeout 60 "$collprof" top out >top.txt 2>err &
    top=$!
    for try in $(seq 100); do
        ! tr -s '\n ' ' ' <top.txt | grep -q 'an awaited message is not sent.* 100 % in MPI rank 0: in MPI_Recv' || break
        sleep 0.2
    done
    "$collprof" export --format=openmetrics out >live.txt 2>err || fail "$mpi: no metrics: $(cat err)"
    metrics live.txt 'run{program="late",state="running"} 1$' 'open_calls{operation="MPI_Recv",site="late.c:' \
        'verdict{kind="unmatched"} 1$' 'site_calls_total{operation="MPI_Barrier",site="late.c:.* main"} 6$'
    pkill -9 -f "^$PWD/late"
    wait "$launcher"
    wait $top || fail "$mpi: a run that was killed: status $?: $(cat err)"
    "$collprof" export --format=openmetrics out >dead.txt 2>err || fail "$mpi: no metrics: $(cat err)"
    metrics dead.txt 'run{program="late",state="incomplete"} 1$'
    tr -s ' \n' ' ' <top.txt | grep -q 'collprof top: late, 3 ranks, .* 100 % in MPI rank 0: in MPI_Recv' ||
        fail "$mpi: a stuck run: $(cat top.txt err)"
    tr -s ' \n' ' ' <top.txt | grep -q 'collprof top: when the run ended, .*an awaited message is not sent: rank 1, awaited in MPI_Recv from rank 1' ||
        fail "$mpi: a run that was killed: $(cat top.txt err)"
}

# 100 columns, then 80, at one position.
terminal()
{
    cp "$dir/late-$mpi" late
    start 100000
    timeout 60 python3 - "$collprof" top out <<'PY' || fail "$mpi: on a terminal"
import fcntl, os, pty, select, signal, struct, sys, termios, time
pid, fd = pty.fork()
if pid == 0:
    time.sleep(0.2)
    os.execv(sys.argv[1], sys.argv[1:])
def size(columns):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
def screen(fits): # the first that is whole and fits
    text, end = b"", time.monotonic() + 30
    while time.monotonic() < end:
        if select.select([fd], [], [], 0.1)[0]:
            text += os.read(fd, 65536)
        whole = text.decode(errors="replace").split("\033[H\033[2J")[1:-1]
        if whole and "late, 3 ranks" in whole[-1] and fits(max(len(l) for l in whole[-1].splitlines())):
            return
    raise AssertionError(text)
size(100)
screen(lambda longest: 80 < longest <= 100)
size(80)
screen(lambda longest: longest <= 80)
os.kill(pid, signal.SIGINT)
assert os.waitpid(pid, 0)[1] == signal.SIGINT
PY
    pkill -9 -f "^$PWD/late"
    wait "$launcher"
    true
}

for mpi in $quick_mpis; do
    with_mpi "$mpi"
    $MPICC -g -o "late-$mpi" late.c || fail "$mpi: late.c does not build"
    for case in follows stuck terminal; do
        beside "$case-$mpi" $case
    done
    join
done

mkdir empty
"$collprof" top empty >out.txt 2>err
test $? = 1 && ! test -s out.txt && test "$(wc -l <err)" = 1 && grep -q 'no record' err || fail "no run: $(cat out.txt err)"
exit 0
