/* Waiting that gives the processor away: for what the layer does at the start and the end of a
 * run, where ranks that wait for others often keep the processor from just those. */
#ifndef COLLPROF_SYNC_POLITELY_H
#define COLLPROF_SYNC_POLITELY_H

#include <mpi.h>
#include <sched.h>

/* Completes REQUEST; RC is the return code of the call that posted it. Returns an MPI error code.
 */
static inline int wait_politely(int rc, MPI_Request *request)
{
#ifdef COLLPROF_SIMULATED
    return rc ? rc : PMPI_Wait(request, MPI_STATUS_IGNORE);
#else
    int done = 0;
    while (!rc && !done) {
        rc = PMPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done)
            sched_yield();
    }
    return rc;
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

#endif
