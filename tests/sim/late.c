/* An application in which who is late is known: 20 times 1 ms of work and a first sum, a message
 * around the ring, 1 ms of work and a second sum, before which rank 2 works 300 us more. */
#include <mpi.h>
#include <unistd.h>

static __attribute__((noinline)) double sum_of(double x)
{
    double sum = 0;
    MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

int main(int argc, char **argv)
{
    int rank, size;
    double x = 1, got = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 20; i++) {
        usleep(1000);
        x = sum_of(x) / size;
        MPI_Sendrecv(&x, 1, MPI_DOUBLE, (rank + 1) % size, 1, &got, 1, MPI_DOUBLE,
                     (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        usleep(rank == 2 ? 1300 : 1000);
        x = sum_of(got) / size;
    }
    MPI_Finalize();
    return x != 1;
}
