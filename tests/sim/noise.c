/* Ranks that the operating system takes the processor from, now and then: linked into a simulated
 * program, by --wrap. After a call that has received, SIM_NOISE times in a thousand, the rank does
 * nothing for up to SIM_NOISE_US; seeded by the rank. */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

int __real_PMPI_Recv(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
int __real_PMPI_Wait(MPI_Request *, MPI_Status *);
int __real_PMPI_Bcast(void *, int, MPI_Datatype, int, MPI_Comm);

static double draw(void)
{
    static unsigned state;
    if (!state) {
        int rank;
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
        state = 2654435761u * (unsigned)(rank + 1);
    }
    state = state * 1664525u + 1013904223u;
    return (state >> 8) / 16777216.0;
}

static int disturbed(int result)
{
    const char *often = getenv("SIM_NOISE"), *us = getenv("SIM_NOISE_US");
    if (often && us && 1000 * draw() < atof(often))
        nanosleep(&(struct timespec){.tv_nsec = (long)(1e3 * atof(us) * draw())}, NULL);
    return result;
}

int __wrap_PMPI_Recv(void *buffer, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                     MPI_Status *status)
{
    return disturbed(__real_PMPI_Recv(buffer, n, type, from, tag, comm, status));
}

int __wrap_PMPI_Wait(MPI_Request *request, MPI_Status *status)
{
    return disturbed(__real_PMPI_Wait(request, status));
}

int __wrap_PMPI_Bcast(void *buffer, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    return disturbed(__real_PMPI_Bcast(buffer, n, type, root, comm));
}
