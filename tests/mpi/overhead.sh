#!/bin/sh
# bench/overhead.c: its figures are in the right unit, and tools/overhead.sh compares the right ways.
set -u
. "$srcdir/tests/mpi/lib.sh"
overhead=$built/layers/$CHECK_MPI/collbench-overhead
# takes LEAST MOST RANKS WORK: ns of one call
takes()
{
    out=$(if [ "$3" = 1 ]; then "$overhead"; else $MPIEXEC -n "$3" "$overhead"; fi) || fail "$4: status $?"
    echo "$out" | sed -n "s/^  $4  *$3  *//p" |
        awk -v least="$1" -v most="$2" '{ n++; bad += $1 < least || $1 > most } END { exit bad || n != 1 }' ||
        fail "$4: not $1 to $2 ns: $out"
}
takes 1 3000 1 'MPI_Bcast, 1 int'
takes 1 3000 1 'Irecv + Isend + Waitall'
takes 1 10000 2 'MPI_Isend to the other rank, 1 int'
takes 50000 10000000 2 'step: 50 us and a broadcast'
takes 100000 10000000000 1 'start and end'

# In place of repeat: what is compared with what.
printf '#!/bin/sh\nprintf "%%s\\n" "$*"\n' >collprof
chmod +x collprof
"$source/tools/overhead.sh" "$CHECK_MPI" mpiexec.some >ways || fail "overhead.sh: status $?"
test "$(grep -c '^repeat -n 15 ' ways)" = 12 || { cat ways; fail "not 12 costs"; }
grep -q -- "--against=.*libcollprof.so ' .*STACK=4 .*overhead -- sh -c .*libcollprof.so ' .*TRACE=calls .*overhead collbench-overhead$" \
    ways || { cat ways; fail "--trace is not compared with call sites"; }
exit 0
