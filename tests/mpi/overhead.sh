#!/bin/sh
# bench/overhead.c: what it makes of applications that take known times, while the machine becomes slower all the time;
# and the applications' own figures, which are in the right unit.
set -u
overhead=$PWD/layers/$CHECK_MPI/overhead
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
fail() { echo "FAIL: $*"; cat out; exit 1; }

# In place of env: takes 100 ns more, of a call, or 1 ms, of a run, in every round.
cat >env <<'END'
#!/bin/sh
us=0 mib=10
case "$*" in
*mine.so*) us=20 mib=12.5 ;;
*) echo >>rounds ;;
esac
case "$*" in
*COLLPROF_STACK=4*) us=100 ;;
*COLLPROF_TRACE=calls*) us=150 ;;
*COLLPROF_TRACE=transport*) us=153 ;;
*COLLPROF_ACK*) us=60 ;;
esac
round=$(wc -l <rounds)
case "$*" in
*--work=steps*) echo "$us $mib $round" | awk '{ print 1e-6 * (240 + $1), 1048576 * $2 }' ;;
*--work=start*) echo "$us $mib $round" | awk '{ print 1e-3 * ($3 + $1 / 4), 1048576 * $2 }' ;;
*) echo "$us $mib $round" | awk '{ print 1e-9 * (100 * $3 + $1), 1048576 * $2 }' ;;
esac
END
printf '#!/bin/sh\nshift 2\nexec "$@"\n' >launcher
chmod +x env launcher
touch mine.so
PATH=$dir:$PATH "$overhead" --rounds=6 --layer=mine.so --launcher="$dir/launcher" --format=csv >out 2>&1 || fail "status $?"
for row in '"MPI_Bcast, 1 int",ns,without,350.00,,,,,,' \
    '"MPI_Bcast, 1 int",ns,counted and timed,370.00,without,20.00,20.00,20.00,25,yes' \
    '"MPI_Bcast, 1 int",ns,with call sites,450.00,without,100.00,100.00,100.00,105,yes' \
    '"MPI_Bcast, 1 int",ns,".--trace",500.00,with call sites,50.00,50.00,50.00,40,NO' \
    '"MPI_Isend to the other rank, 1 int",ns,".--trace=transport",.*,".--trace",3.00,3.00,3.00,60,yes' \
    '"start and end, 4 ranks",ms,with call sites,.*,without,25.00,25.00,25.00,30,yes' \
    '"resident memory a rank, 4 ranks",MiB,with call sites,12.50,without,2.50,2.50,2.50,2,NO' \
    '1 KiB broadcast and 50 us of work,us,counted and timed,260.00,without,20.00,20.00,20.00,,' \
    '1 KiB broadcast and 50 us of work,us,".--ack",300.00,without,60.00,60.00,60.00,,'; do
    grep -q -e "^$row$" out || fail "not so: $row"
done
"$overhead" --layer=none >out 2>&1
test $? = 2 && grep -q 'none: No such file.*use: --layer=FILE' out || fail "a layer that is not there"
"$overhead" --work=bcast --threads=65 >out 2>&1
test $? = 2 || fail "65 threads"

# usage: takes LEAST MOST RANKS WORK THREADS: seconds
takes() {
    if [ "$3" = 1 ]; then "$overhead" --work="$4" --threads="$5"; else $MPIEXEC -n "$3" "$overhead" --work="$4" --threads="$5"; fi >out 2>&1
    awk -v least="$1" -v most="$2" 'NF == 2 { n++; bad += $1 < least || $1 > most || $2 < 1e6 || $2 > 1e9 } END { exit bad || n != 1 }' out ||
        fail "$4: not $1 to $2 s"
}
takes 1e-9 3e-6 1 bcast 1
takes 1e-9 3e-6 1 triple 4
takes 1e-9 1e-5 2 isend 1
takes 5e-5 1e-2 2 steps 1
takes 1e-4 10 1 start 1
exit 0
