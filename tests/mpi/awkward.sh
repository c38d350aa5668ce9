#!/bin/sh
# What is legal in MPI but rare, and known to break profilers: the program checks MPI's answers by
# itself (awkward.c), here the profile's counts are checked, all of them known exactly.
. "${srcdir:-.}/tests/mpi/lib.sh"

times=same
run()
{
    what=$1
    counted "${2:-2}" "$what" "$built/tests/mpi/awkward" "$what" >out 2>&1 ||
        { cat out; fail "$what: status is not 0"; }
    test ! -s out || { cat out; fail "$what: something was said"; }
    same_counts "$what" $times || fail "$what: other counts"
    profile "$what" ranks "${2:-2}"
    profile "$what" states finalized="${2:-2}"
    profile "$what" nothing-lost
}

# 8 of each in 100 rounds on 2 ranks; 2 receives of 8 are cancelled, two sends go to
# MPI_PROC_NULL and are no messages, one is freed: MPICH had completed it already
run same-handles
profile same-handles calls MPI_Isend=1600 MPI_Irecv=1600 MPI_Request_free=200
profile same-handles completed MPI_Isend=1000-1200 MPI_Irecv=1200
profile same-handles cancelled MPI_Irecv=400
profile same-handles bytes MPI_Isend=4800 MPI_Irecv=4800

run some
profile some calls MPI_Recv_init=6 MPI_Start=300 MPI_Startall=2

# 10,000 rounds. Members decide the identity: WORLD, SELF, the halves (one rank each, the one
# of rank 0 and the one of rank 1), the intercommunicator and what it is merged to; of each of them a
# call site's first three copies and the others together.
run communicators
profile communicators calls MPI_Comm_split=20000 MPI_Comm_dup=20000 MPI_Intercomm_create=2000 \
    MPI_Comm_free=44000 MPI_Allreduce=20000
profile communicators communicators 64

# Open MPI lets threads in beside each other: how long they wait for each other in the counter and the
# layer is the scheduler's business.
test "$CHECK_MPI" != openmpi || times=same-calls
run threads 1
times=same
profile threads calls MPI_Allreduce=600000 MPI_Isend=200000 MPI_Irecv=200000 MPI_Waitall=200000
profile threads completed MPI_Isend=200000 MPI_Irecv=200000
profile threads waits MPI_Isend+MPI_Irecv=MPI_Waitall

run errors
profile errors errors MPI_Send=4 MPI_Bcast=2 MPI_Barrier=2 MPI_Isend=2 MPI_Wait=2 MPI_Irecv=0 MPI_Waitall=2
profile errors completed MPI_Irecv=0 MPI_Recv_init=0 MPI_Start=2

run children
profile children calls MPI_Barrier=4

run init-thread
profile init-thread calls MPI_Init_thread=2 MPI_Barrier=2

# Sessions alone, no MPI_Init, where MPI has them (from 4.0 on).
layered 2 sessions "$built/tests/mpi/awkward" sessions >out 2>&1
case $? in
0)
    reported sessions
    profile sessions ranks 2
    profile sessions calls MPI_Allreduce=200
    ;;
77) echo "this MPI has no sessions: not tested" ;;
*) cat out; fail "sessions" ;;
esac

# Of 11 barriers those at level 1: 6 on each rank.
layered 2 switching "$built/tests/mpi/awkward" switching >out 2>&1 || { cat out; fail "switching"; }
profile switching calls MPI_Barrier=12
COLLPROF_START=no layered 2 late "$built/tests/mpi/awkward" switching || fail "late start"
profile late calls MPI_Barrier=10
exit 0
