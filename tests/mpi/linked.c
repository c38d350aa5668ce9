/* An application that knows collprof.h: regions around its phases. Works with and without. */
#include <mpi.h>

#include <collprof.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int one = 1, sum = 0, rank;
    MPI_Init(&argc, &argv);
    COLLPROF_REGION_BEGIN("setup");
    MPI_Barrier(MPI_COMM_WORLD);
    COLLPROF_REGION_END();
    for (int i = 0; i < 10; i++) {
        COLLPROF_REGION_BEGIN("solve");
        COLLPROF_REGION_BEGIN("residual");
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        COLLPROF_REGION_END();
        MPI_Bcast(&one, 1, MPI_INT, 0, MPI_COMM_WORLD);
        COLLPROF_REGION_END();
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        puts(collprof_region_begin ? "with collprof" : "without");
    MPI_Finalize();
    return 0;
}
