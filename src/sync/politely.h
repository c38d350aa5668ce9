/* Waiting that gives the processor away: for what the layer does at the start and the end of a
 * run, where ranks that wait for others often keep the processor from just those. */
#ifndef COLLPROF_SYNC_POLITELY_H
#define COLLPROF_SYNC_POLITELY_H

#include "base/clock.h"

#include <math.h>
#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <time.h>

/* After WAITED seconds. Who gives the processor away but stays ready to run still takes his share
 * of it: 64 ranks that only yield on 2 processors need 50 ms for one allreduce. Who has waited for
 * long is not missed for a quarter of that, nor for 1 ms. */
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

/* Completes REQUEST, whose posting returned RC, in TIMEOUT seconds; *DONE: it was there by then.
 * Returns an MPI error code. */
static inline int wait_politely_for(int rc, MPI_Request *request, double timeout, bool *done)
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

/* The same for as long as it takes. */
static inline int wait_politely(int rc, MPI_Request *request)
{
#ifdef COLLPROF_SIMULATED
    return rc ? rc : PMPI_Wait(request, MPI_STATUS_IGNORE);
#else
    bool done;
    return wait_politely_for(rc, request, INFINITY, &done);
#endif
}

/* MPI_Comm_dup, politely; the simulator has no MPI_Comm_idup. */
static inline int dup_politely(MPI_Comm comm, MPI_Comm *copy)
{
#ifdef COLLPROF_SIMULATED
    return PMPI_Comm_dup(comm, copy);
#else
    MPI_Request request;
    return wait_politely(PMPI_Comm_idup(comm, copy, &request), &request);
#endif
}

/* MPI_Allreduce of 64-bit numbers, politely. What the simulator does for MPI_Iallreduce grows with
 * the cube of the ranks: minutes for 256. */
static inline int allreduce_politely(const void *mine, void *all, int n, MPI_Op op, MPI_Comm comm)
{
#ifdef COLLPROF_SIMULATED
    return PMPI_Allreduce(mine, all, n, MPI_UINT64_T, op, comm);
#else
    MPI_Request request;
    return wait_politely(PMPI_Iallreduce(mine, all, n, MPI_UINT64_T, op, comm, &request), &request);
#endif
}

#endif
