/* Broadcasts from rank 2, one every MS milliseconds, under --bcast=grid on a platform whose
 * latencies change in the middle of the run (platforms/aging.xml). Prints the time of the last of
 * these until all had it. After the 150th, with LATE < 0 from the first on, the others come as many
 * ms later.
 *
 * usage: aging BROADCASTS MS [LATE] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, data[64] = {0};
    double begun, exit, last = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < atoi(argv[1]); i++) {
        PMPI_Barrier(MPI_COMM_WORLD);
        int late = argc > 3 && rank != 2 ? atoi(argv[3]) : 0;
        late = late < 0 || i >= 150 ? abs(late) : 0;
        usleep((useconds_t)(1000 * (atoi(argv[2]) + (rank == 2) + late)));
        begun = MPI_Wtime();
        MPI_Bcast(data, 64, MPI_INT, 2, MPI_COMM_WORLD);
        exit = MPI_Wtime();
        PMPI_Bcast(&begun, 1, MPI_DOUBLE, 2, MPI_COMM_WORLD);
        PMPI_Allreduce(&exit, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        last -= begun;
    }
    if (rank == 0)
        printf("last %.3f\n", 1e6 * last);
    MPI_Finalize();
    return 0;
}
