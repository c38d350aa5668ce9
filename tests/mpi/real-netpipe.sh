#!/bin/sh
# NetPIPE as Debian ships it, unmodified: it ends well, writes its table, and every call is
# counted as by an independent counter. Its results are timings, so they cannot be compared.
. "${srcdir:-.}/tests/mpi/lib.sh"
export COLLPROF_TRACE=calls COLLPROF_MEMORY=64 # in whole: no window cuts a message in two
case $CHECK_MPI in
mpich) netpipe=NPmpich2 package=netpipe-mpich2 ;;
*) netpipe=NP$CHECK_MPI package=netpipe-$CHECK_MPI ;;
esac
command -v $netpipe >/dev/null || skip "$netpipe is not installed ($package)"

plain 2 $netpipe -u 4096 -n 20 -o plain.txt >out 2>&1 || { cat out; fail "without the layer"; }
counted 2 profile $netpipe -u 4096 -n 20 -o layered.txt >out 2>&1 || { cat out; fail "status $?"; }
cut -d' ' -f3 plain.txt | wc -l >want
cut -d' ' -f3 layered.txt | wc -l | cmp - want || fail "another number of message sizes"
same_counts profile || fail "other counts"
profile profile nothing-lost
profile profile matched 1000
exit 0
