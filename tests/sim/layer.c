/* An application under the profiling layer in the simulator: broadcasts from rank 0, of which it
 * knows by the simulated clock exactly how long each took to reach each rank. Prints
 * "destination BYTES I MICROSECONDS", the median, for every destination; the test compares the
 * layer's acknowledgements with it. With "late" first, the last rank comes 1 ms after the root to
 * every second broadcast; these are not in its median. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BROADCASTS = 301 };

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int late;

static double latency_to_here(int bytes, char *buffer, int rank, int size)
{
    static double latency[BROADCASTS];
    int n = 0;
    for (int k = 0; k < BROADCASTS; k++) {
        /* Work between broadcasts, of the root only: the others wait inside. */
        if (rank == 0)
            usleep(2000);
        if (late && k % 2 == 0 && rank == size - 1)
            usleep(3000);
        double entry = MPI_Wtime();
        MPI_Bcast(buffer, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
        double exit = MPI_Wtime();
        double root_entry = entry;
        PMPI_Bcast(&root_entry, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        if (!late || k % 2)
            latency[n++] = exit - root_entry;
    }
    qsort(latency, (size_t)n, sizeof *latency, compare);
    return latency[n / 2];
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    late = argc > 1 && !strcmp(argv[1], "late");
    for (int i = 1; i < argc; i++) {
        if (*argv[i] == 'l')
            continue;
        int bytes = atoi(argv[i]);
        char *buffer = calloc((size_t)bytes + 1, 1);
        double *all = malloc((size_t)size * sizeof *all);
        double mine = latency_to_here(bytes, buffer, rank, size);
        PMPI_Gather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        for (int r = 1; rank == 0 && r < size; r++)
            printf("destination %d %d %.3f\n", bytes, r, all[r] * 1e6);
        free(all);
        free(buffer);
    }
    MPI_Finalize();
    return 0;
}
