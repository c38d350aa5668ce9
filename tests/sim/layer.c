/* An application under the profiling layer in the simulator: broadcasts from rank 0, of which it
 * knows by the simulated clock exactly how long each took to reach each rank. Prints
 * "destination BYTES I MICROSECONDS", the median, for every destination; the test compares the
 * layer's acknowledgements with it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BROADCASTS = 301 };

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double latency_to_here(int bytes, char *buffer, int rank)
{
    static double latency[BROADCASTS];
    for (int k = 0; k < BROADCASTS; k++) {
        /* Work between broadcasts, of the root only: the others wait inside. */
        if (rank == 0)
            usleep(2000);
        double entry = MPI_Wtime();
        MPI_Bcast(buffer, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
        double exit = MPI_Wtime();
        double root_entry = entry;
        PMPI_Bcast(&root_entry, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        latency[k] = exit - root_entry;
    }
    qsort(latency, BROADCASTS, sizeof *latency, compare);
    return latency[BROADCASTS / 2];
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 1; i < argc; i++) {
        int bytes = atoi(argv[i]);
        char *buffer = calloc((size_t)bytes + 1, 1);
        double *all = malloc((size_t)size * sizeof *all);
        double mine = latency_to_here(bytes, buffer, rank);
        PMPI_Gather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        for (int r = 1; rank == 0 && r < size; r++)
            printf("destination %d %d %.3f\n", bytes, r, all[r] * 1e6);
        free(all);
        free(buffer);
    }
    MPI_Finalize();
    return 0;
}
