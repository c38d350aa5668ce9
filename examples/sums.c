/* Many small sums over all ranks, as in an iterative solver, to be tuned: collprof run --tune.
 *
 * usage: sums [STEPS [NUMBERS]]: as many allreduces (20000) of so many doubles (8) each. Prints the
 * seconds that they take; the status is 1 if a sum is wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, wrong = 0, steps = argc > 1 ? atoi(argv[1]) : 20000,
                    n = argc > 2 ? atoi(argv[2]) : 8;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double *own = calloc((size_t)n, sizeof *own), *sum = calloc((size_t)n, sizeof *sum);
    double start = MPI_Wtime();
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < n; i++)
            own[i] = rank + step + i;
        MPI_Allreduce(own, sum, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        for (int i = 0; i < n; i++)
            wrong |= sum[i] != size * (step + i) + size * (size - 1) / 2.0;
    }
    if (rank == 0)
        printf("%d sums of %d numbers: %.3f s\n", steps, n, MPI_Wtime() - start);
    MPI_Finalize();
    free(own);
    free(sum);
    return wrong;
}
