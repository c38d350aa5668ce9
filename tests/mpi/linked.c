/* An application that knows collprof.h: regions around its phases, operations that all ranks begin
 * together. Works with and without. */
#include <mpi.h>

#include <collprof.h>
#include <stdio.h>

/* The least that the last of all ranks was off the common moment, of some starts; -1: there are
 * none. */
static double harmonized(MPI_Comm comm)
{
    double least = 1e9;
    for (int i = 0; i < 20; i++) {
        double mine = COLLPROF_HARMONIZE(comm), last, first;
        MPI_Allreduce(&mine, &last, 1, MPI_DOUBLE, MPI_MAX, comm);
        MPI_Allreduce(&mine, &first, 1, MPI_DOUBLE, MPI_MIN, comm);
        if (first < 0)
            return -1;
        least = last < least ? last : least;
    }
    return least;
}

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
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    MPI_Comm backward;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backward);
    double world = harmonized(MPI_COMM_WORLD), other = harmonized(backward);
    MPI_Comm_free(&backward);
    if (rank == 0)
        fprintf(stderr, "off the common moment by %.3f us at least, %.3f backward\n", 1e6 * world,
                1e6 * other);
    int together = world >= 0 && other >= 0 && world < 0.1 && other < 0.1;
    if (rank == 0)
        puts(!collprof_version ? "without" : together ? "with collprof" : "not together");
    if (!collprof_version && (world >= 0 || other >= 0))
        puts("together by nothing");
    MPI_Finalize();
    return 0;
}
