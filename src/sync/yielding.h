/* Waits that release the processor instead of polling, for the start and end of a run and
 * handshakes: with oversubscription, polling ranks delay the very ranks that they wait for. */
#pragma once

#include "base/clock.h"

#include <math.h>
#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <time.h>

/* Releases the processor, WAITED seconds after the wait began. sched_yield() alone leaves the rank
 * runnable: 64 ranks that only yield on 2 processors need 50 ms for one allreduce. So after 0.1 ms
 * the rank sleeps, for a quarter of the time waited so far and at most 1 ms. */
static inline void give_way(double waited)
{
#ifndef COLLPROF_SIMULATED
    if (waited > 1e-4) {
        nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * fmin(waited / 4, 1e-3))}, NULL);
        return;
    }
#endif
    (void)waited;
    sched_yield();
}

/* Waits at most TIMEOUT seconds for REQUEST; RC is the code of the call that posted it. *DONE:
 * whether it is complete. Returns an MPI error code. */
static inline int wait_yielding_for(int rc, MPI_Request *request, double timeout, bool *done)
{
    int flag = 0;
    double start = clock_now(), waited;
    while (!rc && !flag) {
        rc = PMPI_Test(request, &flag, MPI_STATUS_IGNORE);
        waited = clock_now() - start;
        if (flag || waited >= timeout)
            break;
        give_way(waited);
    }
    *done = flag;
    return rc;
}

/* As wait_yielding_for(), without a timeout. */
static inline int wait_yielding(int rc, MPI_Request *request)
{
#ifdef COLLPROF_SIMULATED
    return rc ? rc : PMPI_Wait(request, MPI_STATUS_IGNORE);
#else
    bool done;
    return wait_yielding_for(rc, request, INFINITY, &done);
#endif
}

/* MPI_Comm_dup that waits by wait_yielding(), except in a simulation: SMPI has no MPI_Comm_idup. */
static inline int comm_dup_yielding(MPI_Comm comm, MPI_Comm *copy)
{
#ifdef COLLPROF_SIMULATED
    return PMPI_Comm_dup(comm, copy);
#else
    MPI_Request request;
    return wait_yielding(PMPI_Comm_idup(comm, copy, &request), &request);
#endif
}

/* MPI_Allreduce of 64-bit integers that waits by wait_yielding(). A simulation uses the blocking
 * call: SMPI's MPI_Iallreduce takes time cubic in the number of ranks, minutes for 256 ranks. */
static inline int allreduce_yielding(const void *mine, void *all, int n, MPI_Op op, MPI_Comm comm)
{
#ifdef COLLPROF_SIMULATED
    return PMPI_Allreduce(mine, all, n, MPI_UINT64_T, op, comm);
#else
    MPI_Request request;
    return wait_yielding(PMPI_Iallreduce(mine, all, n, MPI_UINT64_T, op, comm, &request), &request);
#endif
}
