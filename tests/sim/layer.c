/* An application under the profiling layer in the simulator.
 *
 *   layer steps BYTES   steps of a broadcast, an exchange with the neighbours and a reduction
 *   layer huge          broadcasts of 300 million doubles, which take no memory
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = 300 };

/* Whoever is held up in one of these, others wait for in the next. */
static void run_steps(int bytes)
{
    int one = 1, all, rank, size;
    char *buffer = calloc((size_t)bytes, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    PMPI_Bcast(buffer, bytes, MPI_BYTE, 0, MPI_COMM_WORLD); /* the first takes longer */
    PMPI_Barrier(MPI_COMM_WORLD);
    PMPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int step = 0; step < STEPS; step++) {
        MPI_Bcast(buffer, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
        MPI_Sendrecv(buffer, 8, MPI_BYTE, (rank + 1) % size, 0, buffer, 8, MPI_BYTE,
                     (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        usleep(100);
        MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    free(buffer);
}

static void run_huge(void)
{
    const int count = 300000000;
    void *buffer = SMPI_SHARED_MALLOC(sizeof(double) * (size_t)count);
    for (int step = 0; step < 8; step++) {
        MPI_Bcast(buffer, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    SMPI_SHARED_FREE(buffer);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (!strcmp(argv[1], "huge"))
        run_huge();
    else
        run_steps(atoi(argv[2]));
    MPI_Finalize();
    return 0;
}
