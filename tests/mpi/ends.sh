#!/bin/sh
# However a run ends, its exit status and output are what they would have been, and the record
# of every rank can be read afterwards, with the calls made until then and how the rank ended.
. "${srcdir:-.}/tests/mpi/lib.sh"
ends=$built/tests/mpi/ends

# way, what the record of the rank that goes this way says, and how the report puts it
while read -r way state words; do
    like_bare 2 $way "$ends" $way
    case $way in
    segv | libc-abort | exit | quick-exit | alarm | pipe | file-size) # it can say so itself
        test "$(grep -c "rank 1 ends before its MPI_Finalize: .collprof report $way. shows" err)" = 1 ||
            { cat err; fail "$way: no word of what is there to be read"; } ;;
    esac
    test ! -e $way/profile.json || fail "$way: a profile as if it had ended well"
    mkdir $way.json
    "$collprof" report --format=json $way >$way.json/profile.json || fail "$way: cannot be reported"
    profile $way.json ranks 2
    profile $way.json calls MPI_Allreduce=200 MPI_Bcast=20
    "$collprof" report --full $way >report 2>&1 || fail "$way: cannot be reported as text"
    tr -s ' \n' ' ' <report >flat
    grep -q "rank.*1.*: $words.*; counts end there" flat ||
        { cat report; fail "$way: not said that it ended early, or by what"; }
    case $way in abort) last="in MPI_Abort" ;; *) last="since MPI_Barrier" ;; esac
    grep -q "rank 1: .*$last, at ends.c:" flat || { cat report; fail "$way: not said where rank 1 was"; }
    python3 - $way.json/profile.json "$(cat flat)" $state <<'EOF' || fail "$way: rank 1's end, or times"
import json, sys
p, said = json.load(open(sys.argv[1])), sys.argv[2]
assert p["ranks"][1]["state"].replace(" ", "_") == sys.argv[3], p["ranks"][1]["state"]
assert all(r["wall_seconds"] > 0 for r in p["ranks"])
cut = [r["rank"] for r in p["ranks"] if r["in_call"]]
assert ("time in MPI: unknown" in said) == bool(cut), said # nor is anything said of what MPI takes
assert not cut or "to be gained" not in said, said
EOF
    grep -q 'rank 0: .*in MPI_Barrier number 112' flat || { cat report; fail "$way: not said what rank 0 was in"; }
done <<END
abort aborted called MPI_Abort with error code 7
segv signalled ended by signal 11
term signalled ended by signal 15
kill cut_off killed or ended without a final record (by SIGKILL
libc-abort signalled ended by signal 6
exit exited exited without MPI_Finalize
quick-exit exited exited without MPI_Finalize
_exit cut_off killed or ended without a final record (by SIGKILL or another signal, or by a system call
handled cut_off killed or ended without a final record
alarm signalled ended by signal 14
pipe signalled ended by signal 13
file-size signalled ended by signal 25
survived cut_off killed or ended without a final record
shrugged cut_off killed or ended without a final record
caught-exit cut_off killed or ended without a final record
caught-return cut_off killed or ended without a final record
caught-abort signalled ended by signal 6
exec cut_off killed or ended without a final record (by SIGKILL or another signal, or by a system call
END

# A table says of a killed rank what the report does; and a full disk is called so, whenever it became full.
"$collprof" report --format=csv --table=ranks kill >kill.csv || fail "kill: no table"
grep -q '^1,.*,cut off,' kill.csv && ! grep -q ',running,' kill.csv || { cat kill.csv; fail "kill: other words than the report's"; }
for command in report "report --explain" "report --format=csv --table=call_sites"; do
    [ ! -w /dev/full ] || { "$collprof" $command kill >/dev/full 2>err; grep -q 'No space left on device' err; } ||
        { cat err; fail "$command: not said that the disk is full"; }
done

# Without mpiexec in between: the status of the process itself.
for way in abort segv term kill libc-abort exit quick-exit _exit handled alarm pipe file-size survived \
    shrugged caught-exit caught-return caught-abort exec; do
    "$ends" $way >/dev/null 2>&1
    status=$?
    LD_PRELOAD=$layer COLLPROF_OUTPUT=alone.$way "$ends" $way >/dev/null 2>&1
    test $? = $status || fail "$way, alone: status is not $status"
done

# What each rank is in that hangs, seen from outside while it does; and that two collectives that have met can never end.
limit=exec layered 5 hangs "$ends" hang >out 2>err &
launcher=$!
for try in $(seq 80); do
    sleep 0.5
    "$collprof" report --full hangs >report 2>&1
    grep -q 'disagree' report && grep -q 'tag 9' report && grep -q 'since MPI_Barrier' report && break
done
kill $launcher 2>/dev/null
wait $launcher 2>/dev/null
tr -s ' \n' ' ' <report >flat
grep -q 'still running' flat || { cat report; fail "hang: not said that it still runs"; }
grep -q 'rank 0: in MPI_Recv from rank 1 (tag 7, MPI_COMM_WORLD), at ends.c:[0-9]* hang' flat ||
    { cat report; fail "hang: rank 0"; }
grep -q 'rank 4: in MPI_Wait, at ends.c:[0-9]* hang, for MPI_Irecv from rank 0 (tag 9, MPI_COMM_WORLD)' flat ||
    { cat report; fail "hang: rank 4 waits for a request"; }
grep -q 'rank 1: [a-z]*, since MPI_Barrier, at ends.c:[0-9]* main' flat ||
    { cat report; fail "hang: rank 1 is outside of MPI"; }
grep -q 'disagree.*: rank 2 in MPI_Barrier .*, but rank 3 in MPI_Bcast .* root' flat ||
    { cat report; fail "hang: what does not fit"; }

# Who waits in MPI_Finalize for a rank that does not come is in that call, and has not ended.
limit=exec layered 2 finalizing "$ends" absent >out 2>err &
launcher=$!
for try in $(seq 80); do
    sleep 0.5
    "$collprof" report --full finalizing >report 2>&1
    grep -q 'rank 1, awaited in MPI_Finalize' report && break
done
kill $launcher 2>/dev/null
wait $launcher 2>/dev/null
grep -q 'rank 1, awaited in MPI_Finalize' report && grep -q 'rank 0: in or after MPI_Finalize' report ||
    { cat report; fail "no rank is in MPI_Finalize"; }

# Ranks enter MPI_Finalize together: over TCP, MPICH never leaves it if one still completes a call while another is in it.
# On a busy machine it may do so without the layer, too.
hung=0
for try in 1 2 3 4 5; do
    UCX_TLS=tcp,self timeout 15 $MPIEXEC -n 2 "$collprof" run --report=no -o tcp "$built/examples/overlap" sender 500000 200 20 \
        >out 2>err || hung=$((hung + 1))
done
test $hung -le 2 || fail "$hung of 5 runs over TCP did not end"
exit 0
